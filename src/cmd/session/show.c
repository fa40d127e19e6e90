/* SPDX-License-Identifier: Apache-2.0 */
/* show - baro session show, nodes and list: what barod has of its session and of those
 * that users started. */
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct session_show_args {
    struct client_args client;
    bool events;
};

/* Of a session that a user started, or of barod's. */
static int session_show_run(void *arg, int operand_count, char **operands)
{
    struct session_show_args *args = arg;
    AUTO(net_url_done) struct net_url url = { .separator = 0 };
    if (operand_count > 1 || (operand_count == 0 && args->events)) {
        fprintf(stderr, "baro session show: one NAME%s; see --help\n",
                operand_count > 1 ? " at most" : ", with --events");
        return EXIT_USAGE;
    }
    if (request_session(&args->client, "session show") != EXIT_OK)
        return EXIT_FAILED;
    net_url_init(&url, operand_count ? "/v1/sessions" : "/v1/session");
    if (operand_count)
        net_url_add_segment(&url, span_of(operands[0]));
    if (args->events)
        net_url_add_segment(&url, SPAN("events"));
    return request_run_url(&args->client, &url, "session show");
}

static const struct option session_show_options[] = {
    { "events", 'e', OPTION_FLAG, offsetof(struct session_show_args, events), NULL,
      "Events of the session NAME that the site has." },
    CLIENT_SESSION_OPTION,
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_session_show = {
    .name = "session show",
    .operands = "[NAME]",
    .help = "Who is online in the session; or a session that a user started.",
    .options = session_show_options,
    .option_count = COUNT_OF(session_show_options),
    .args_size = sizeof(struct session_show_args),
    .run = session_show_run,
    .prints_times = true,
};

static int session_nodes_run(void *arg, int operand_count, char **operands)
{
    struct client_args *args = arg;
    AUTO(net_url_done) struct net_url url = { .separator = 0 };
    if (operand_count > 1) {
        fprintf(stderr, "baro session nodes: one set of hosts at most; see --help\n");
        return EXIT_USAGE;
    }
    if (request_session(args, "session nodes") != EXIT_OK)
        return EXIT_FAILED;
    net_url_init(&url, "/v1/session/nodes");
    if (operand_count == 1)
        net_url_add(&url, "host", operands[0]);
    return request_run_url(args, &url, "session nodes");
}

const struct command cmd_session_nodes = {
    .name = "session nodes",
    .operands = "[HOSTS]",
    .help = "Place of nodes of the session in the tree, times and counters.",
    .options = session_show_options + 1, /* without --events */
    .option_count = COUNT_OF(session_show_options) - 1,
    .args_size = sizeof(struct client_args),
    .run = session_nodes_run,
};

struct session_list_args {
    struct client_args client;
    const char *state;
    uint64_t limit;
};

static int session_list_run(void *arg, int operand_count, char **operands)
{
    struct session_list_args *args = arg;
    AUTO(net_url_done) struct net_url url = { .separator = 0 };
    (void)operand_count, (void)operands;
    if (request_session(&args->client, "session list") != EXIT_OK)
        return EXIT_FAILED;
    net_url_init(&url, "/v1/sessions");
    if (args->state)
        net_url_add(&url, "state", args->state);
    if (args->limit > 0)
        net_url_add_u64(&url, "limit", args->limit);
    return request_run_url(&args->client, &url, "session list");
}

static const struct option session_list_options[] = {
    { "state", 'S', OPTION_TEXT, offsetof(struct session_list_args, state), "STATE",
      "Only those that are running, ended or lost." },
    { "limit", 0, OPTION_LIMIT, offsetof(struct session_list_args, limit), "COUNT",
      "The last reported so many; default: 1000." },
    CLIENT_SESSION_OPTION,
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_session_list = {
    .name = "session list",
    .operands = "",
    .help = "Sessions that users started: whose, where, in which state.",
    .options = session_list_options,
    .option_count = COUNT_OF(session_list_options),
    .args_size = sizeof(struct session_list_args),
    .run = session_list_run,
    .prints_times = true,
};
