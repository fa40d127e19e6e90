/* SPDX-License-Identifier: Apache-2.0 */
/* bench - baro plugin bench: what a call of a plugin costs. */
#include "cmd/plugin/args.h"

#define WHO "baro plugin bench"
#define STEPS 1000

static int plugin_bench_run(void *arg, int operand_count, char **operands)
{
    const struct plugin_args *args = arg;
    AUTO(table_done) struct table table = { 0 };
    struct trial_opts opts;
    struct err err = { 0 };
    const char *file = plugin_operand(WHO, operand_count, operands);
    if (!file)
        return EXIT_USAGE;
    table_init(&table);
    plugin_trial_opts(args, STEPS, &opts);
    int rc = trial_bench(&opts, file, &table, &err);
    return plugin_print(WHO, args, &table, rc, &err);
}

static const struct option options[] = { PLUGIN_INPUT_OPTIONS, PLUGIN_OPTIONS };

const struct command cmd_plugin_bench = {
    .name = "plugin bench",
    .operands = "FILE",
    .help = "What a call of a Lua plugin costs: CPU, instructions, memory.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct plugin_args),
    .run = plugin_bench_run,
    .details = "Without --steps and --root it is called 1000 times.",
};
