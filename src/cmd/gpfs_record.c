/* SPDX-License-Identifier: Apache-2.0 */
/* gpfs_record - baro gpfs record: what a cluster of GPFS does, stored step by step. */
#include "agent/record/record.h"
#include "base/number.h"
#include "cmd/commands.h"

#include <stdio.h>

#define WHO "baro gpfs record"
#define STEP_NS (5 * NS_PER_S)

static void log_print(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, WHO ": %s\n", text);
}

static int gpfs_record_run(void *args_arg, int operand_count, char **operands)
{
    struct gpfs_recorder_opts *opts = args_arg;
    struct err err = { 0 };
    bool has_lost = false;
    (void)operands;
    opts->side = opts->side ? opts->side : "client";
    opts->step_ns = opts->step_ns ? opts->step_ns : STEP_NS;
    opts->log = log_print;
    int rc = operand_count > 0 ? err_set(&err, EINVAL, "wants no operand")
                               : gpfs_recorder_check(opts, &err);
    if (rc < 0) {
        fprintf(stderr, WHO ": %s\n", err.text);
        return EXIT_USAGE;
    }
    rc = gpfs_recorder_run(opts, &has_lost, &err);
    if (rc < 0)
        fprintf(stderr, WHO ": %s\n", err.text);
    return rc < 0 || has_lost ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "dir", 'd', OPTION_TEXT, offsetof(struct gpfs_recorder_opts, dir), "DIR",
      "The directory of rows: a file a day, gpfs-DATE.csv." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct gpfs_recorder_opts, cluster), "NAME",
      "The name of the cluster." },
    { "side", 's', OPTION_TEXT, offsetof(struct gpfs_recorder_opts, side),
      "client|server", "client (default) or server: the role of its nodes." },
    { "node", 'n', OPTION_LIST, offsetof(struct gpfs_recorder_opts, nodes), "NODE",
      "Query these nodes through mmpmon; may be repeated (default: this one)." },
    { "step", 'i', OPTION_DURATION, offsetof(struct gpfs_recorder_opts, step_ns),
      "DURATION", "The interval; default: 5s." },
    { "rounds", 'r', OPTION_COUNT, offsetof(struct gpfs_recorder_opts, rounds), "N",
      "Stop after so many; default: never." },
    { "command", 0, OPTION_TEXT, offsetof(struct gpfs_recorder_opts, command), "PATH",
      "The mmpmon to run; default: the one on the path." },
};

const struct command cmd_gpfs_record = {
    .name = "gpfs record",
    .operands = "",
    .help = "Record what a cluster of GPFS does, step by step, as mmpmon reports it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct gpfs_recorder_opts),
    .run = gpfs_record_run,
};
