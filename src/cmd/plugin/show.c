/* SPDX-License-Identifier: Apache-2.0 */
/* show - baro plugin show: what a plugin states of itself. */
#include "cmd/plugin/args.h"

#define WHO "baro plugin show"

static int plugin_show_run(void *arg, int operand_count, char **operands)
{
    const struct plugin_args *args = arg;
    AUTO(table_done) struct table table = { 0 };
    struct trial_opts opts;
    struct err err = { 0 };
    const char *file = plugin_operand(WHO, operand_count, operands);
    if (!file)
        return EXIT_USAGE;
    table_init(&table);
    plugin_trial_opts(args, 1, &opts);
    int rc = trial_show(&opts, file, &table, &err);
    return plugin_print(WHO, args, &table, rc, &err);
}

static const struct option options[] = { PLUGIN_OPTIONS };

const struct command cmd_plugin_show = {
    .name = "plugin show",
    .operands = "FILE",
    .help = "What a Lua plugin reads and yields, and the digest of its text.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct plugin_args),
    .run = plugin_show_run,
};
