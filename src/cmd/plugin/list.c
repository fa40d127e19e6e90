/* SPDX-License-Identifier: Apache-2.0 */
/* list - baro plugin list: the plugins of directories. */
#include "cmd/plugin/args.h"

#define WHO "baro plugin list"

static int plugin_list_run(void *arg, int operand_count, char **operands)
{
    static const char *const installed[] = { BARO_DATADIR "/plugins" };
    const struct plugin_args *args = arg;
    AUTO(table_done) struct table table = { 0 };
    struct trial_opts opts;
    struct err err = { 0 };
    table_init(&table);
    plugin_trial_opts(args, 1, &opts);
    int rc = operand_count ? trial_list(&opts, (const char *const *)(uintptr_t)operands,
                                        (size_t)operand_count, &table, &err)
                           : trial_list(&opts, installed, 1, &table, &err);
    return plugin_print(WHO, args, &table, rc, &err);
}

static const struct option options[] = { PLUGIN_OPTIONS };

const struct command cmd_plugin_list = {
    .name = "plugin list",
    .operands = "[FILE|DIRECTORY]...",
    .help = "The Lua plugins of a directory, and which of them are refused.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct plugin_args),
    .run = plugin_list_run,
    .details = "Default: " BARO_DATADIR "/plugins.",
};
