/* SPDX-License-Identifier: Apache-2.0 */
/* start - baro session start and stop: a session without a command. */
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "jobsession/jobsession.h"

#define STOP_WAIT_NS INT64_C(60000000000)

/* Print what came of it. */
static int session_done(const char *command, const struct strbuf *text, bool is_quiet,
                        int rc, const struct err *err)
{
    if (rc < 0)
        return request_failed(command, rc, err);
    if (!is_quiet)
        (void)fputs(strbuf_text(text), stdout);
    return EXIT_OK;
}

static int session_start_run(void *arg, int operand_count, char **operands)
{
    struct session_args *args = arg;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro session start: one NAME; see --help\n");
        return EXIT_USAGE;
    }
    args->opts.name = operands[0];
    int rc = service_start(session_args_opts(args),
                           args->is_again ? SERVICE_AGAIN : SERVICE_GIVEN, &text, &err);
    return session_done("session start", &text, args->opts.is_quiet, rc, &err);
}

static const struct option session_start_options[] = {
    SESSION_OPTIONS,
    { "again", 0, OPTION_FLAG, SESSION_FIELD(is_again), NULL,
      "Go on with one that ended, as it was started, without other options." },
    { "quiet", 'q', OPTION_FLAG, SESSION_OPTS_FIELD(is_quiet), NULL, "Print no line." },
};

const struct command cmd_session_start = {
    .name = "session start",
    .operands = "NAME",
    .help = "Start a session without a command, which runs until it is stopped.",
    .options = session_start_options,
    .option_count = COUNT_OF(session_start_options),
    .args_size = sizeof(struct session_args),
    .run = session_start_run,
};

struct session_stop_args {
    const char *directory;
    int64_t wait_ns;
    bool is_quiet;
};

static int session_stop_run(void *arg, int operand_count, char **operands)
{
    const struct session_stop_args *args = arg;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro session stop: one NAME; see --help\n");
        return EXIT_USAGE;
    }
    int rc = service_stop(operands[0], args->directory,
                          args->wait_ns ? args->wait_ns : STOP_WAIT_NS, &text, &err);
    return session_done("session stop", &text, args->is_quiet, rc, &err);
}

static const struct option session_stop_options[] = {
    { "dir", 'd', OPTION_TEXT, offsetof(struct session_stop_args, directory), "DIR",
      "Its directory; default: ~/.local/share/barograph/sessions/NAME." },
    { "wait", 'w', OPTION_DURATION, offsetof(struct session_stop_args, wait_ns),
      "DURATION", "It is killed if it has not ended by then; default: 60s." },
    { "quiet", 'q', OPTION_FLAG, offsetof(struct session_stop_args, is_quiet), NULL,
      "Print no line." },
};

const struct command cmd_session_stop = {
    .name = "session stop",
    .operands = "NAME",
    .help = "End a session that was started: its nodes leave, its data are closed.",
    .options = session_stop_options,
    .option_count = COUNT_OF(session_stop_options),
    .args_size = sizeof(struct session_stop_args),
    .run = session_stop_run,
};
