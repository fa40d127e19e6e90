/* SPDX-License-Identifier: Apache-2.0 */
/* run - baro session run: a command with a session of its own around it. */
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "jobsession/jobsession.h"

static int session_run_run(void *arg, int operand_count, char **operands)
{
    struct session_args *args = arg;
    struct err err = { 0 };
    int status = EXIT_FAILED;
    operands[operand_count] = NULL; /* in argv, which has one more */
    if (operand_count < 1) {
        fprintf(stderr, "baro session run: which command? see --help\n");
        return EXIT_USAGE;
    }
    args->opts.command = operands;
    int rc = session_run(session_args_opts(args), &status, &err);
    return rc < 0 ? request_failed("session run", rc, &err) : status;
}

static const struct option session_run_options[] = {
    SESSION_OPTIONS,
    { "name", 'n', OPTION_TEXT, SESSION_OPTS_FIELD(name), "NAME",
      "Name of the session; default: stepN.job-JOBID.CLUSTER." },
    { "quiet", 'q', OPTION_FLAG, SESSION_OPTS_FIELD(is_quiet), NULL,
      "No summary at the end." },
};

const struct command cmd_session_run = {
    .name = "session run",
    .operands = "COMMAND [ARGUMENT]...",
    .help = "Run a command with a session of its own: your plugins on its nodes.",
    .options = session_run_options,
    .option_count = COUNT_OF(session_run_options),
    .args_size = sizeof(struct session_args),
    .run = session_run_run,
    .prints_data = true,
};
