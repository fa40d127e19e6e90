/* SPDX-License-Identifier: Apache-2.0 */
/* health_record - baro health record: a sample of how full file systems are, and who
 * serves them, into the directory that keeps them.
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "source/health/health.h"

#include <inttypes.h>

#define TEXT_BYTES_MAX ((size_t)64 << 20)
#define DEADLINE_NS (30 * NS_PER_S)

struct args {
    const char *dir;
    const char *lfs;
    const char *lctl;
    int64_t deadline_ns;
    int64_t keep_ns;       /* 0: for ever */
    int64_t not_within_ns; /* 0: always */
};

/* One command.  Static, below: a process that hangs still points here when we leave. */
struct taking {
    uv_loop_t loop;
    struct strbuf text, complaint;
    int error, status;
};

static struct taking takings[HEALTH_KIND_COUNT];

static const char *const words[HEALTH_KIND_COUNT] = {
    [HEALTH_KIND_SPACE] = "lfs df",
    [HEALTH_KIND_SERVERS] = "lctl dl -t",
};

static int on_piece(void *arg, struct span piece)
{
    struct taking *t = arg;
    if (piece.size > TEXT_BYTES_MAX - t->text.size)
        return -EMSGSIZE;
    strbuf_add_span(&t->text, piece);
    return strbuf_error(&t->text);
}

static void on_done(void *arg, const struct agent_child_result *result)
{
    struct taking *t = arg;
    t->error = result->error;
    t->status = result->status;
    strbuf_add_span(&t->complaint, result->complaint);
    if (result->error == -ETIMEDOUT)
        uv_stop(&t->loop);
}

static void on_gone(void *arg)
{
    (void)arg;
}

static int command_run(const struct args *args, enum health_kind kind, struct taking *t)
{
    const char *lfs[] = { args->lfs ? args->lfs : "lfs", "df", NULL };
    const char *lctl[] = { args->lctl ? args->lctl : "lctl", "dl", "-t", NULL };
    const char **argv = kind == HEALTH_KIND_SPACE ? lfs : lctl;
    const struct agent_child_events events = { on_piece, on_done, on_gone, t };
    int64_t deadline_ns = args->deadline_ns > 0 ? args->deadline_ns : DEADLINE_NS;
    int rc = uv_loop_init(&t->loop);
    if (rc < 0)
        return rc;
    rc = agent_child_start(&t->loop, (char *const *)(uintptr_t)argv, deadline_ns,
                           &events);
    (void)uv_run(&t->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&t->loop);
    return rc < 0 ? rc : t->error;
}

/* A text that no reader would understand is no sample. */
static int text_check(struct span text, struct err *err)
{
    AUTO(health_sample_done) struct health_sample sample;
    struct health_blocks blocks;
    struct health_block block;
    health_sample_init(&sample);
    health_blocks_init(&blocks, text);
    if (text.size == 0 || !health_blocks_next(&blocks, &block))
        return err_set(err, ENODATA, "it printed nothing");
    if (block.has_time || block.text.size != text.size)
        return err_set(err, EBADMSG, "its text has a line that begins with BEGIN");
    if (text.data[text.size - 1] != '\n')
        return err_set(err, EBADMSG, "its text is cut");
    if (health_sample_add(&sample, &block, NULL, NULL) < 0)
        return err_set(err, ENOMEM, "memory is out");
    if (sample.count == 0)
        return err_set(err, ENODATA, "it names no target");
    return 0;
}

static int take(const struct args *args, enum health_kind kind,
                struct health_state *state, struct err *err)
{
    struct taking *t = &takings[kind];
    uint64_t torn_bytes = 0;
    int64_t t_ns = clock_now_ns();
    int rc = command_run(args, kind, t);
    if (rc == -ETIMEDOUT)
        return err_set(err, ETIMEDOUT, "it did not answer in time");
    if (rc < 0)
        return err_set(err, -rc, "%s",
                       rc == -EMSGSIZE ? "its text is too long" : strerror(-rc));
    rc = text_check(strbuf_span(&t->text), err);
    if (rc < 0 && t->complaint.size > 0)
        return err_prefix(err, rc, "it said: %.200s", strbuf_text(&t->complaint));
    if (rc < 0)
        return rc;
    if (t->status != 0 || t->complaint.size > 0)
        fprintf(stderr, "baro health record: %s: ended with %d: %s\n", words[kind],
                t->status, strbuf_text(&t->complaint));
    rc = health_state_append(args->dir, kind, state, t_ns, strbuf_span(&t->text),
                             &torn_bytes, err);
    if (rc == 0 && torn_bytes > 0)
        fprintf(stderr,
                "baro health record: %s: a torn sample of %" PRIu64
                " bytes was cut off\n",
                words[kind], torn_bytes);
    return rc;
}

/* 0: there is a sample, be it a recent one. */
static int record(const struct args *args, enum health_kind kind)
{
    AUTO(health_state_done) struct health_state state = { .fd = -1 };
    struct err err = { 0 };
    int rc = health_state_open(args->dir, kind, &state, &err);
    int64_t age_ns = state.t_ns == INT64_MIN ? INT64_MAX : clock_now_ns() - state.t_ns;
    if (rc == 0 && age_ns >= 0 && age_ns < args->not_within_ns)
        return 0;
    if (rc == 0)
        rc = take(args, kind, &state, &err);
    if (rc < 0)
        fprintf(stderr, "baro health record: %s: no sample: %s\n", words[kind],
                err.text);
    strbuf_done(&takings[kind].text);
    strbuf_done(&takings[kind].complaint);
    return rc;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct err err = { 0 };
    size_t removed = 0;
    int status = EXIT_OK;
    (void)operands;
    if (operand_count != 0 || !args->dir) {
        fprintf(stderr, "baro health record: --dir DIR is wanted, and no operand\n");
        return EXIT_USAGE;
    }
    int rc = file_make_dirs(args->dir, 0755, &err);
    if (rc < 0) {
        fprintf(stderr, "baro health record: %s\n", err.text);
        return EXIT_FAILED;
    }
    for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++)
        if (record(args, kind) < 0)
            status = EXIT_FAILED;
    if (args->keep_ns > 0)
        rc =
            health_dir_prune(args->dir, clock_now_ns() - args->keep_ns, &removed, &err);
    if (rc == 0)
        return status;
    fprintf(stderr, "baro health record: %s\n", err.text);
    return EXIT_FAILED;
}

static const struct option options[] = {
    { "dir", 'd', OPTION_TEXT, offsetof(struct args, dir), "DIR",
      "Where samples are kept; made if it is not there." },
    { "deadline", 0, OPTION_DURATION, offsetof(struct args, deadline_ns), "DURATION",
      "How long a command may take; default: 30s." },
    { "not-within", 0, OPTION_DURATION, offsetof(struct args, not_within_ns),
      "DURATION", "Do nothing where the last sample is younger." },
    { "keep", 'k', OPTION_DURATION, offsetof(struct args, keep_ns), "DURATION",
      "Remove samples of days that are over for longer; default: none." },
    { "lfs", 0, OPTION_TEXT, offsetof(struct args, lfs), "PROGRAM",
      "What is asked in place of lfs." },
    { "lctl", 0, OPTION_TEXT, offsetof(struct args, lctl), "PROGRAM",
      "What is asked in place of lctl." },
};

const struct command cmd_health_record = {
    .name = "health record",
    .operands = "",
    .help = "A sample of lfs df and lctl dl -t, kept by days.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "For a timer, and for what a batch system runs before a job. A command that\n"
        "hangs is given up, said, and not asked again until it is gone.",
};
