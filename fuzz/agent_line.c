/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_agent_line - lines between commands and the agent that mounts datasets: what is
 * accepted has bounds and characters that a path may have, and is printed as it was. */
#include "dataset/visit/agent_line.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void request_check(struct span line)
{
    struct agent_request request, again;
    char out[AGENT_LINE_MAX];
    if (agent_request_parse(line, &request) < 0)
        return;
    if (request.kind == AGENT_REQUEST_MOUNT ||
        request.kind == AGENT_REQUEST_MOUNT_FOR) {
        fuzz_check(strlen(request.name) > 0 &&
                   strlen(request.name) < sizeof request.name);
        fuzz_check(!strpbrk(request.name, " %\n\t\\\"'$"));
    }
    fuzz_check(strlen(request.groups) < sizeof request.groups);
    if (request.kind == AGENT_REQUEST_USED)
        fuzz_check(request.path[0] == '/' &&
                   strlen(request.path) < sizeof request.path &&
                   !strchr(request.command, ' ') && !strchr(request.path, '\n'));
    size_t size = agent_request_print(&request, out);
    fuzz_check(size > 0 && size < sizeof out && out[size - 1] == '\n');
    fuzz_check(agent_request_parse((struct span){ out, size - 1 }, &again) == 0);
    fuzz_check(
        again.kind == request.kind && again.uid == request.uid &&
        again.job == request.job && !strcmp(again.name, request.name) &&
        !strcmp(again.groups, request.groups) && again.number == request.number &&
        !strcmp(again.command, request.command) && !strcmp(again.path, request.path));
}

static void response_check(struct span line)
{
    struct agent_response response, again;
    char out[AGENT_LINE_MAX];
    if (line.size >= AGENT_LINE_MAX || agent_response_parse(line, &response) < 0)
        return;
    fuzz_check(response.error >= 0 && response.error <= 4095);
    size_t size = agent_response_print(&response, out);
    fuzz_check(size > 0 && size < sizeof out && out[size - 1] == '\n');
    fuzz_check(agent_response_parse((struct span){ out, size - 1 }, &again) == 0);
    fuzz_check(again.error == response.error && strcmp(again.text, response.text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span line = { (const char *)data, size };
    request_check(line);
    response_check(line);
    return 0;
}
