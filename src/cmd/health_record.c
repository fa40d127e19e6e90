/* SPDX-License-Identifier: Apache-2.0 */
/* health_record - baro health record: a sample of how full file systems are, and who
 * serves them, into the directory that stores them.
 */
#include "agent/record/record.h"
#include "cmd/commands.h"

#include <stdio.h>

#define WHO "baro health record"

static void log_print(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, WHO ": %s\n", text);
}

static int health_record_run(void *args_arg, int operand_count, char **operands)
{
    struct health_recorder_opts *opts = args_arg;
    struct err err = { 0 };
    bool is_whole = false;
    (void)operands;
    if (operand_count != 0 || !opts->dir) {
        fprintf(stderr, WHO ": --dir DIR is wanted, and no operand\n");
        return EXIT_USAGE;
    }
    opts->log = log_print;
    if (health_recorder_run(opts, &is_whole, &err) < 0) {
        fprintf(stderr, WHO ": %s\n", err.text);
        return EXIT_FAILED;
    }
    return is_whole ? EXIT_OK : EXIT_FAILED;
}

static const struct option options[] = {
    { "dir", 'd', OPTION_TEXT, offsetof(struct health_recorder_opts, dir), "DIR",
      "The directory of samples; made if it is not there." },
    { "deadline", 0, OPTION_DURATION,
      offsetof(struct health_recorder_opts, deadline_ns), "DURATION",
      "Time limit of a command; default: 30s." },
    { "not-within", 0, OPTION_DURATION,
      offsetof(struct health_recorder_opts, not_within_ns), "DURATION",
      "Do nothing where the last sample is younger." },
    { "retention", 'r', OPTION_DURATION, offsetof(struct health_recorder_opts, keep_ns),
      "DURATION", "Remove samples of days that are over for longer; default: none." },
    { "lfs", 0, OPTION_TEXT, offsetof(struct health_recorder_opts, lfs), "PROGRAM",
      "The program to run in place of lfs." },
    { "lctl", 0, OPTION_TEXT, offsetof(struct health_recorder_opts, lctl), "PROGRAM",
      "The program to run in place of lctl." },
};

const struct command cmd_health_record = {
    .name = "health record",
    .operands = "",
    .help = "Record a sample of lfs df and lctl dl -t, by days.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct health_recorder_opts),
    .run = health_record_run,
    .details =
        "For a timer, and for what a batch system runs before a job. A command that\n"
        "hangs is given up, reported, and not run again until it is gone.",
};
