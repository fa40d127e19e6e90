/* SPDX-License-Identifier: Apache-2.0 */
/* show - baro session show: who is online, and who contributed to the last epoch. */
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "net/net.h"

static int session_show_run(void *arg, int operand_count, char **operands)
{
    const struct client_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    (void)operands;
    if (operand_count > 0) {
        fprintf(stderr, "baro session show: it has no operands; see --help\n");
        return EXIT_USAGE;
    }
    net_url_init(&url, "/v1/session");
    return request_run_url(args, &url, "session show");
}

static const struct option session_show_options[] = {
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_session_show = {
    .name = "session show",
    .operands = "",
    .help = "Who is online in the session, and who contributed to its last epoch.",
    .options = session_show_options,
    .option_count = COUNT_OF(session_show_options),
    .args_size = sizeof(struct client_args),
    .run = session_show_run,
};
