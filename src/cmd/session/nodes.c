/* SPDX-License-Identifier: Apache-2.0 */
/* nodes - baro session nodes: each node's place in the tree, times and counters. */
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "net/net.h"

static int session_nodes_run(void *arg, int operand_count, char **operands)
{
    const struct client_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    if (operand_count > 1) {
        fprintf(stderr, "baro session nodes: one set of hosts at most; see --help\n");
        return EXIT_USAGE;
    }
    net_url_init(&url, "/v1/session/nodes");
    if (operand_count == 1)
        net_url_add(&url, "host", operands[0]);
    return request_run_url(args, &url, "session nodes");
}

static const struct option session_nodes_options[] = {
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_session_nodes = {
    .name = "session nodes",
    .operands = "[HOSTS]",
    .help = "Place of nodes of the session in the tree, times and counters.",
    .options = session_nodes_options,
    .option_count = COUNT_OF(session_nodes_options),
    .args_size = sizeof(struct client_args),
    .run = session_nodes_run,
};
