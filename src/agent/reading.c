/* SPDX-License-Identifier: Apache-2.0 */
/* reading - one target, read round after round. */
#include "agent/reading.h"

#include "agent/param.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#define SHOWN_BYTES_MAX 80

/* ---- while it is read ---- */

static int on_reading_entry(void *arg, const struct entry *entry)
{
    struct reading *reading = arg;
    return observe_entry(reading->target, entry);
}

static void on_reading_fault(void *arg, enum jobstats_fault fault, uint64_t line,
                             struct span text)
{
    struct reading *reading = arg;
    reading->context->counts.bad_lines++;
    observe_entry_lost(reading->target);
    struct span name = observe_target_name(reading->target);
    if (text.size > SHOWN_BYTES_MAX)
        text.size = SHOWN_BYTES_MAX;
    agent_report(reading->context->report, LOG_LEVEL_WARN, AGENT_EVENT_LINE_BAD,
                 SPAN_FMT ".job_stats:%llu: %s, dropping: '" SPAN_FMT "'",
                 SPAN_ARG(name), (unsigned long long)line, jobstats_fault_name(fault),
                 SPAN_ARG(text));
}

static int on_reading_piece(void *arg, struct span piece)
{
    struct reading *reading = arg;
    return jobstats_parser_feed(reading->parser, piece.data, piece.size);
}

/* ---- when it is over ---- */

/* Close the round of the target.  Errors: there is nothing to store. */
static int close_round(struct reading *reading, const struct agent_child_result *result)
{
    struct reading_context *context = reading->context;
    if (!result->error && result->status == 0) {
        int rc = jobstats_parser_finish(reading->parser);
        return rc < 0 ? rc : observe_round_end(reading->target);
    }
    context->counts.reads_failed++;
    context->counts.reads_given_up += result->error == -ETIMEDOUT;
    struct span name = observe_target_name(reading->target);
    agent_report(context->report, LOG_LEVEL_WARN, AGENT_EVENT_READ_FAILED,
                 "target " SPAN_FMT ": read failed: %s%s" SPAN_FMT
                 "; trying again in the next round",
                 SPAN_ARG(name),
                 result->error == -ETIMEDOUT ? "no response before the deadline"
                 : result->error             ? strerror(-result->error)
                                             : "",
                 result->error ? " " : "", SPAN_ARG(result->complaint));
    bool is_ours = result->error && result->error != -ETIMEDOUT;
    return is_ours ? result->error : observe_round_cut(reading->target);
}

/* Every read, so that it can be known afterwards which of them count.  A read without
 * this line was under way when the agent ended: then the target's state decides. */
static void report_read(const struct reading *reading,
                        const struct agent_child_result *result, int rc)
{
    struct span name = observe_target_name(reading->target);
    const char *what = rc < 0                            ? strerror(-rc)
                       : result->error || result->status ? "stored in part"
                                                         : "stored";
    agent_report(reading->context->report, LOG_LEVEL_DEBUG, AGENT_EVENT_ONCE,
                 "read of " SPAN_FMT " at %lld ms: %s", SPAN_ARG(name),
                 (long long)reading->t_ms, what);
}

static int commit_rows(struct reading *reading, struct err *err)
{
    struct reading_context *context = reading->context;
    int rc = commit_read(context->log, reading->target, reading->batches, err);
    if (rc < 0)
        return rc;
    context->counts.batches += agent_batches_count(reading->batches);
    context->committed_fn(context->arg);
    return 0;
}

static void reading_finish(struct reading *reading,
                           const struct agent_child_result *result)
{
    struct reading_context *context = reading->context;
    struct err err = { 0 };
    int rc = close_round(reading, result);
    if (rc < 0)
        commit_revert(context->log, reading->target);
    else
        rc = commit_rows(reading, &err);
    report_read(reading, result, rc);
    if (rc == 0)
        return;
    context->counts.reads_not_stored++;
    struct span name = observe_target_name(reading->target);
    agent_report(context->report, LOG_LEVEL_ERROR, AGENT_EVENT_READ_NOT_STORED,
                 "target " SPAN_FMT ": what was read at %lld ms cannot be stored: %s; "
                 "the next read reports it again",
                 SPAN_ARG(name), (long long)reading->t_ms,
                 err.text[0] ? err.text : strerror(-rc));
}

static void on_reading_done(void *arg, const struct agent_child_result *result)
{
    struct reading *reading = arg;
    struct reading_context *context = reading->context;
    reading->is_hanging = result->error == -ETIMEDOUT;
    reading->took_ns = clock_monotonic_ns() - reading->started_ns;
    context->counts.read_ns += (uint64_t)reading->took_ns;
    if (!context->is_stopping)
        reading_finish(reading, result);
    context->over_fn(context->arg, reading, reading->is_hanging);
}

static void reading_unprepare(struct reading *reading)
{
    jobstats_parser_free(reading->parser);
    reading->parser = NULL;
    agent_batches_free(reading->batches);
    reading->batches = NULL;
}

static void on_reading_gone(void *arg)
{
    struct reading *reading = arg;
    reading_unprepare(reading);
    reading->is_out = false;
    reading->context->gone_fn(reading->context->arg, reading);
}

/* ---- starting ---- */

static int reading_prepare(struct reading *reading, int64_t t_ms)
{
    struct reading_context *context = reading->context;
    int rc = jobstats_parser_new(on_reading_entry, on_reading_fault, reading,
                                 &reading->parser);
    if (rc == 0)
        rc = agent_batches_new(&context->log->uuid, span_of(context->opts->host),
                               &context->log->batch_number, &reading->batches);
    if (rc == 0)
        rc = observe_round_begin(reading->target, t_ms, agent_batches_row,
                                 reading->batches);
    if (rc == 0)
        jobstats_parser_begin(reading->parser, observe_target_name(reading->target),
                              observe_target_kind(reading->target));
    return rc;
}

static int reading_spawn(struct reading *reading, char *const *argv)
{
    const struct agent_child_events events = { on_reading_piece, on_reading_done,
                                               on_reading_gone, reading };
    reading->started_ns = clock_monotonic_ns();
    int rc = agent_child_start(reading->context->loop, argv,
                               reading->context->opts->deadline_ns, &events);
    if (rc < 0)
        (void)observe_round_cut(reading->target);
    return rc;
}

int reading_start(struct reading *reading)
{
    struct reading_context *context = reading->context;
    char param[TARGET_BYTES_MAX + 32], *argv[AGENT_ARGV_MAX];
    struct span name = observe_target_name(reading->target);
    bool is_mdt = observe_target_kind(reading->target) == TARGET_MDT;
    reading->due_ns = T_NONE;
    (void)snprintf(param, sizeof param, "%s." SPAN_FMT ".job_stats",
                   is_mdt ? "mdt" : "obdfilter", SPAN_ARG(name));
    agent_get_param(context->opts, "-n", param, NULL, argv);
    /* The observation's time: nothing that it shows can be older news than this. */
    int rc = reading_prepare(reading, clock_now_ms());
    reading->t_ms = observe_target_begun_ms(reading->target);
    if (rc == 0)
        rc = reading_spawn(reading, argv);
    if (rc < 0) {
        context->counts.reads_failed++;
        agent_report(context->report, LOG_LEVEL_ERROR, AGENT_EVENT_READ_FAILED,
                     "start '%s': %s", argv[0], strerror(-rc));
        reading_unprepare(reading);
        return rc;
    }
    context->counts.reads++;
    reading->is_out = true;
    return 0;
}

int reading_new(struct reading_context *context, struct observe_target *target,
                struct reading **ret)
{
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading)
        return -ENOMEM;
    *reading = (struct reading){
        .context = context, .target = target, .due_ns = T_NONE, .is_new = true
    };
    *ret = reading;
    return 0;
}

void reading_free(struct reading *reading)
{
    if (!reading)
        return;
    reading_unprepare(reading);
    free(reading);
}
