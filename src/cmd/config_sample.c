/* SPDX-License-Identifier: Apache-2.0 */
/* config_sample - baro config sample: the sections of the daemon's file, with defaults.
 */
#include "base/cleanup.h"
#include "cmd/commands.h"
#include "daemon/config/config.h"

static int config_sample_run(void *args, int operand_count, char **operands)
{
    (void)args;
    (void)operand_count;
    (void)operands;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    daemon_config_describe(&out);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_config_sample = {
    .name = "config sample",
    .operands = "",
    .help = "Print barod's configuration with every key, its default and its meaning.",
    .run = config_sample_run,
    .prints_data = true,
};
