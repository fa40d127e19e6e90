/* SPDX-License-Identifier: Apache-2.0 */
/* publish - baro event publish: an event to every node of the session. */
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct event_publish_args {
    struct client_args client;
    const char *agent; /* NULL: by barod */
};

static int event_publish(const struct event_publish_args *args, const char *name,
                         const char *payload, struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    AUTO(net_url_done) struct net_url url;
    struct span response;
    net_url_init(&url, "/v1/events");
    net_url_add_segment(&url, span_of(name));
    int rc = client_http_open(&args->client.endpoint, &http, err);
    if (rc < 0)
        return rc;
    return client_http_post(http, strbuf_text(&url.text), "text/plain",
                            span_of(payload), &response, err);
}

static int event_publish_run(void *arg, int operand_count, char **operands)
{
    struct event_publish_args *args = arg;
    struct err err = { 0 };
    if (operand_count < 1 || operand_count > 2) {
        fprintf(stderr, "baro event publish: wants a NAME, and at most one PAYLOAD\n");
        return EXIT_USAGE;
    }
    if (request_session(&args->client, "event publish") != EXIT_OK)
        return EXIT_FAILED;
    const char *payload = operand_count > 1 ? operands[1] : "";
    int rc = args->agent ? agent_socket_publish(args->agent, operands[0], payload, &err)
                         : event_publish(args, operands[0], payload, &err);
    return rc < 0 ? request_failed("event publish", rc, &err) : EXIT_OK;
}

static const struct option event_publish_options[] = {
    { "agent", 'a', OPTION_TEXT, offsetof(struct event_publish_args, agent), "SOCKET",
      "By the agent of this node instead of barod, as the user who runs the command." },
    CLIENT_SESSION_OPTION,
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_event_publish = {
    .name = "event publish",
    .operands = "NAME [PAYLOAD]",
    .help = "Publish an event to every node of the session.",
    .options = event_publish_options,
    .option_count = COUNT_OF(event_publish_options),
    .args_size = sizeof(struct event_publish_args),
    .run = event_publish_run,
};
