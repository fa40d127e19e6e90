/* SPDX-License-Identifier: Apache-2.0 */
/* config_sample - baro config sample: the sections of the daemon's file, with defaults.
 */
#include "base/cleanup.h"
#include "cmd/commands.h"
#include "daemon/config/config.h"

static int config_sample_run(void *args, int operand_count, char **operands)
{
    (void)args;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (operand_count) {
        fprintf(stderr, "baro config sample: unexpected operand '%s'\n", operands[0]);
        return EXIT_USAGE;
    }
    daemon_config_describe(&out);
    (void)fputs(strbuf_text(&out), stdout); /* the dispatcher finds out */
    return EXIT_OK;
}

const struct command cmd_config_sample = {
    .name = "config sample",
    .operands = "",
    .help = "Print barod's configuration with every key, its default and its meaning.",
    .run = config_sample_run,
    .prints_data = true,
};
