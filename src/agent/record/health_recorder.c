/* SPDX-License-Identifier: Apache-2.0 */
/* health_recorder - samples of file systems' health, into the directory that stores
 * them. */
#include "agent/record/health_recorder.h"

#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "source/health/health.h"

#include <inttypes.h>
#include <stdarg.h>

#define TEXT_BYTES_MAX ((size_t)64 << 20)
#define DEADLINE_NS (30 * NS_PER_S)

/* One command.  Static, below: a process that hangs still points here when we leave. */
struct health_command {
    uv_loop_t loop;
    struct strbuf text, complaint;
    int error, status;
};

static struct health_command running[HEALTH_KIND_COUNT];

static const char *const commands[HEALTH_KIND_COUNT] = {
    [HEALTH_KIND_SPACE] = "lfs df",
    [HEALTH_KIND_SERVERS] = "lctl dl -t",
};

static void recorder_log(const struct health_recorder_opts *opts, const char *format,
                         ...) __attribute__((format(printf, 2, 3)));
static void recorder_log(const struct health_recorder_opts *opts, const char *format,
                         ...)
{
    char text[1024];
    va_list args;
    if (!opts->log)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    opts->log(opts->log_arg, text);
}

static int on_piece(void *arg, struct span piece)
{
    struct health_command *t = arg;
    if (piece.size > TEXT_BYTES_MAX - t->text.size)
        return -EMSGSIZE;
    strbuf_add_span(&t->text, piece);
    return strbuf_error(&t->text);
}

static void on_done(void *arg, const struct agent_child_result *result)
{
    struct health_command *t = arg;
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

static int command_run(const struct health_recorder_opts *opts, enum health_kind kind,
                       struct health_command *t)
{
    const char *lfs[] = { opts->lfs ? opts->lfs : "lfs", "df", NULL };
    const char *lctl[] = { opts->lctl ? opts->lctl : "lctl", "dl", "-t", NULL };
    const char **argv = kind == HEALTH_KIND_SPACE ? lfs : lctl;
    const struct agent_child_events events = { on_piece, on_done, on_gone, t };
    int64_t deadline_ns = opts->deadline_ns > 0 ? opts->deadline_ns : DEADLINE_NS;
    int rc = uv_loop_init(&t->loop);
    if (rc < 0)
        return rc;
    rc = agent_child_start(&t->loop, (char *const *)(uintptr_t)argv, deadline_ns,
                           &events);
    (void)uv_run(&t->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&t->loop);
    return rc < 0 ? rc : t->error;
}

int health_recorder_check(struct span text, struct err *err)
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

static int sample_take(const struct health_recorder_opts *opts, enum health_kind kind,
                       struct health_state *state, struct err *err)
{
    struct health_command *t = &running[kind];
    uint64_t torn_bytes = 0;
    int64_t t_ns = clock_now_ns();
    int rc = command_run(opts, kind, t);
    if (rc == -ETIMEDOUT)
        return err_set(err, ETIMEDOUT, "no response within the time limit");
    if (rc < 0)
        return err_set(err, -rc, "%s",
                       rc == -EMSGSIZE ? "its text is too long" : strerror(-rc));
    rc = health_recorder_check(strbuf_span(&t->text), err);
    if (rc < 0 && t->complaint.size > 0)
        return err_prefix(err, rc, "its error output: %.200s",
                          strbuf_text(&t->complaint));
    if (rc < 0)
        return rc;
    if (t->status != 0 || t->complaint.size > 0)
        recorder_log(opts, "%s: ended with %d: %s", commands[kind], t->status,
                     strbuf_text(&t->complaint));
    rc = health_state_append(opts->dir, kind, state, t_ns, strbuf_span(&t->text),
                             &torn_bytes, err);
    if (rc == 0 && torn_bytes > 0)
        recorder_log(opts, "%s: a torn sample of %" PRIu64 " bytes was cut off",
                     commands[kind], torn_bytes);
    return rc;
}

/* 0: there is a sample, be it a recent one. */
static int kind_record(const struct health_recorder_opts *opts, enum health_kind kind)
{
    AUTO(health_state_done) struct health_state state = { .fd = -1 };
    struct err err = { 0 };
    int rc = health_state_open(opts->dir, kind, &state, &err);
    int64_t age_ns = state.t_ns == INT64_MIN ? INT64_MAX : clock_now_ns() - state.t_ns;
    if (rc == 0 && age_ns >= 0 && age_ns < opts->not_within_ns)
        return 0;
    if (rc == 0)
        rc = sample_take(opts, kind, &state, &err);
    if (rc < 0)
        recorder_log(opts, "%s: no sample: %s", commands[kind], err.text);
    strbuf_done(&running[kind].text);
    strbuf_done(&running[kind].complaint);
    return rc;
}

int health_recorder_run(const struct health_recorder_opts *opts, bool *ret_is_whole,
                        struct err *err)
{
    size_t removed = 0;
    bool is_whole = true;
    int rc = file_make_dirs(opts->dir, 0755, err);
    if (rc < 0)
        return rc;
    for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++)
        is_whole &= kind_record(opts, kind) == 0;
    if (opts->keep_ns > 0)
        rc = health_dir_prune(opts->dir, clock_now_ns() - opts->keep_ns, &removed, err);
    if (rc == 0)
        *ret_is_whole = is_whole;
    return rc;
}
