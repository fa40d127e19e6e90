/* SPDX-License-Identifier: Apache-2.0 */
/* test - baro plugin test: what a plugin yields on recorded input, and what it costs.
 */
#include "cmd/plugin/args.h"

#define WHO "baro plugin test"

static int plugin_test_run(void *arg, int operand_count, char **operands)
{
    const struct plugin_args *args = arg;
    AUTO(table_done) struct table table = { 0 };
    struct trial_opts opts;
    struct err err = { 0 };
    uint64_t failed = 0;
    const char *file = plugin_operand(WHO, operand_count, operands);
    if (!file)
        return EXIT_USAGE;
    table_init(&table);
    plugin_trial_opts(args, 1, &opts);
    int rc = trial_test(&opts, file, &table, &failed, &err);
    int status = plugin_print(WHO, args, &table, rc, &err);
    return status == EXIT_OK && failed ? EXIT_FAILED : status;
}

static const struct option options[] = { PLUGIN_INPUT_OPTIONS, PLUGIN_OPTIONS };

const struct command cmd_plugin_test = {
    .name = "plugin test",
    .operands = "FILE",
    .help = "What a Lua plugin yields, step by step, and what each call costs.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct plugin_args),
    .run = plugin_test_run,
    .details = "It runs as the agent runs it: in a process without files and network.\n"
               "The exit status is 1 where a call failed or was over its budget.",
};
