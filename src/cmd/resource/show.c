/* SPDX-License-Identifier: Apache-2.0 */
/* show - baro resource show: one component: its parts, and what each source states. */
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct resource_show_args {
    struct client_args client;
    bool parts;
};

static int resource_show_run(void *arg, int operand_count, char **operands)
{
    const struct resource_show_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    if (operand_count != 1) {
        fprintf(stderr, "baro resource show: name one COMPONENT, such as alex/a0903\n");
        return EXIT_USAGE;
    }
    net_url_init(&url, args->parts ? "/v1/resources" : "/v1/resources/sources");
    net_url_add(&url, args->parts ? "below" : "component", operands[0]);
    return request_run_url(&args->client, &url, "resource show");
}

static const struct option resource_show_options[] = {
    { "parts", 'p', OPTION_FLAG, offsetof(struct resource_show_args, parts), NULL,
      "The component and each of its parts, in place of what its sources state." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_resource_show = {
    .name = "resource show",
    .operands = "COMPONENT",
    .help = "What each source states about a component, or how its parts are.",
    .options = resource_show_options,
    .option_count = COUNT_OF(resource_show_options),
    .args_size = sizeof(struct resource_show_args),
    .run = resource_show_run,
    .prints_times = true,
};
