/* SPDX-License-Identifier: Apache-2.0 */
/* rounds - when to read what. */
#include "agent/rounds.h"

#include "agent/param.h"
#include "agent/places.h"
#include "agent/target_list.h"
#include "agent/text_read.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#define LIST_BYTES_MAX (UINT32_C(4) << 20)
/* job_cleanup_interval is read when a target is new, and now and then; each round
 * where the dumps have no start times. */
#define CLEANUP_ROUNDS 30
/* A read that took more than this part of the interval has a round's rest. */
#define SKIP_PART 10

struct rounds {
    struct rounds_opts opts;
    struct rounds_counts counts;
    struct reading_context context;
    uv_timer_t timer;
    int64_t now_round_ns, next_round_ns;
    struct reading **readings;
    size_t reading_count;
    struct places places;
    struct text_read list, cleanup;
    uint64_t cleanup_due;   /* at this many rounds */
    uint64_t reported_lost; /* batches whose loss was reported */
    bool is_stopping;
};

static void rounds_tick(struct rounds *r);
static void rounds_arm(struct rounds *r);

/* ---- readings ---- */

static void on_reading_over(void *arg, struct reading *reading, bool hangs)
{
    struct rounds *r = arg;
    places_leave(&r->places, reading->was_late, hangs);
    reading->was_late = hangs;
    /* It may be long before it is gone: its place is free now. */
    if (hangs)
        rounds_tick(r);
}

static void on_reading_returned(void *arg, struct reading *reading)
{
    struct rounds *r = arg;
    if (reading->is_hanging)
        places_returned(&r->places);
    reading->is_hanging = false;
    rounds_tick(r);
}

static void on_reading_committed(void *arg)
{
    struct rounds *r = arg;
    r->opts.committed_fn(r->opts.arg);
}

static struct reading *reading_of(struct rounds *r, struct observe_target *target)
{
    for (size_t i = 0; i < r->reading_count; i++)
        if (r->readings[i]->target == target)
            return r->readings[i];
    struct reading **grown =
        realloc(r->readings, (r->reading_count + 1) * sizeof grown[0]);
    if (!grown)
        return NULL;
    r->readings = grown;
    struct reading *reading = NULL;
    if (reading_new(&r->context, target, &reading) < 0)
        return NULL;
    r->readings[r->reading_count++] = reading;
    return reading;
}

static void start_due(struct rounds *r, int64_t now_ns)
{
    for (size_t i = 0; i < r->reading_count; i++) {
        struct reading *reading = r->readings[i];
        if (reading->due_ns == T_NONE || now_ns < reading->due_ns || reading->is_out ||
            !places_has(&r->places, reading->was_late))
            continue;
        if (reading_start(reading) == 0)
            places_take(&r->places, reading->was_late);
    }
}

/* ---- the list of targets, and their cleanup intervals ---- */

static int start_list(struct rounds *r, struct text_read *read, const char *flag,
                      const char *one, const char *two)
{
    char *argv[AGENT_ARGV_MAX];
    agent_get_param(r->opts.agent, flag, one, two, argv);
    int rc = text_read_start(read, argv, r->opts.agent->deadline_ns, clock_now_ms());
    if (rc < 0)
        agent_report(r->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_LIST_FAILED,
                     "start '%s': %s", argv[0], strerror(-rc));
    return rc;
}

/* All went well, or all that went wrong is that there is nothing of the kind. */
static bool is_list_whole(const struct agent_child_result *result)
{
    if (result->error)
        return false;
    if (result->status == 0)
        return true;
    struct span rest = result->complaint, line;
    bool has_line = false;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (line.size && !memmem(line.data, line.size, "No such file", 12))
            return false;
        has_line = true;
    }
    return has_line;
}

static void on_cleanup_known(void *arg, struct observe_target *target)
{
    struct rounds *r = arg;
    struct reading *reading = reading_of(r, target);
    if (!reading)
        return;
    reading->is_new = false;
    int64_t interval_ms = r->opts.agent->interval_ns / NS_PER_MS;
    int64_t cleanup_ms = observe_target_cleanup_ms(target);
    if (cleanup_ms == 0 || interval_ms * 2 <= cleanup_ms ||
        reading->warned_cleanup_ms == cleanup_ms)
        return;
    reading->warned_cleanup_ms = cleanup_ms;
    struct span name = observe_target_name(target);
    agent_report(r->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                 "target " SPAN_FMT ": the interval of %lld s is more than half of its "
                 "job_cleanup_interval of %lld s: resets may go unseen",
                 SPAN_ARG(name), (long long)(interval_ms / MS_PER_S),
                 (long long)(cleanup_ms / MS_PER_S));
}

static void on_cleanup_done(void *arg, const struct agent_child_result *result)
{
    struct rounds *r = arg;
    if (result->error)
        return; /* read again after a while; until then Lustre's default holds */
    target_cleanup_apply(strbuf_span(&r->cleanup.text), r->opts.observe,
                         on_cleanup_known, r);
}

static void schedule_one(struct rounds *r, struct reading *reading)
{
    if (reading->is_out) {
        r->counts.reads_waiting++;
        return;
    }
    if (reading->took_ns > r->opts.agent->interval_ns / SKIP_PART) {
        r->counts.reads_skipped++;
        reading->took_ns = 0;
        return;
    }
    reading->due_ns = r->now_round_ns;
    if (r->opts.mode == ROUNDS_FOREVER)
        reading->due_ns += agent_round_offset(observe_target_name(reading->target),
                                              r->opts.agent->interval_ns);
}

static void schedule_all(struct rounds *r)
{
    bool is_cleanup_due = r->counts.rounds >= r->cleanup_due;
    for (size_t i = 0; i < observe_target_count(r->opts.observe); i++) {
        struct observe_target *target = observe_target_at(r->opts.observe, i);
        if (!observe_target_is_there(target))
            continue;
        struct reading *reading = reading_of(r, target);
        if (reading)
            schedule_one(r, reading);
        is_cleanup_due |= reading && reading->is_new;
        is_cleanup_due |= observe_target_needs_cleanup(target);
    }
    if (is_cleanup_due && !r->cleanup.is_out) {
        r->cleanup_due = r->counts.rounds + CLEANUP_ROUNDS;
        (void)start_list(r, &r->cleanup, NULL, "obdfilter.*.job_cleanup_interval",
                         "mdt.*.job_cleanup_interval");
    }
}

static int commit_targets(struct rounds *r, struct err *err)
{
    AUTO_FREE struct observe_listed *listed = NULL;
    size_t count = 0;
    int rc = target_list_parse(strbuf_span(&r->list.text), &r->opts.agent->filesystems,
                               &listed, &count);
    if (rc < 0)
        return rc;
    rc = observe_list(r->opts.observe, r->list.t_ms, listed, count);
    if (rc == 0)
        rc = commit_list(r->opts.log, err);
    agent_report(r->opts.report, LOG_LEVEL_DEBUG, AGENT_EVENT_ONCE,
                 "list of targets at %lld ms: %s", (long long)r->list.t_ms,
                 rc < 0 ? strerror(-rc) : "stored");
    return rc;
}

static void on_list_done(void *arg, const struct agent_child_result *result)
{
    struct rounds *r = arg;
    struct err err = { 0 };
    if (r->is_stopping)
        return;
    if (!is_list_whole(result)) {
        r->counts.lists_failed++;
        agent_report(r->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_LIST_FAILED,
                     "the list of targets could not be read: %s " SPAN_FMT
                     "; reading those known",
                     result->error ? strerror(-result->error) : "",
                     SPAN_ARG(result->complaint));
    } else {
        int rc = commit_targets(r, &err);
        if (rc < 0) {
            r->counts.lists_failed++;
            agent_report(r->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_LIST_FAILED,
                         "the list of targets cannot be stored: %s",
                         err.text[0] ? err.text : strerror(-rc));
        }
    }
    schedule_all(r);
    rounds_arm(r);
}

static void on_list_gone(void *arg)
{
    rounds_tick(arg);
}

/* ---- rounds ---- */

/* Loss is a fault, and reported once for each round in which it grows. */
static void report_loss(struct rounds *r)
{
    struct spool_counts counts;
    spool_count(r->opts.log->spool, &counts);
    uint64_t lost = counts.lost_records + counts.damaged_records;
    if (lost > r->reported_lost)
        agent_report(r->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_ONCE,
                     "the spool is full or damaged: %llu batches with %llu entries "
                     "were lost, %llu could not be read back",
                     (unsigned long long)counts.lost_records,
                     (unsigned long long)counts.lost_entries,
                     (unsigned long long)counts.damaged_records);
    r->reported_lost = lost;
}

/* Reads that cannot be ended are a fault of the server, and reported in each round. */
static void report_hanging(const struct rounds *r)
{
    const struct reading *first = NULL;
    for (size_t i = 0; i < r->reading_count && !first; i++)
        if (r->readings[i]->is_hanging)
            first = r->readings[i];
    if (r->list.is_out)
        agent_report(r->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_READ_HANGS,
                     "the list of targets was requested at %lld ms, and has not come; "
                     "reading those known",
                     (long long)r->list.t_ms);
    if (!first)
        return;
    struct span name = observe_target_name(first->target);
    agent_report(r->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_READ_HANGS,
                 "%zu reads hang in the kernel and cannot be ended, of target " SPAN_FMT
                 " among them; these targets are not observed%s",
                 r->places.hanging, SPAN_ARG(name),
                 r->places.hanging < PLACES_HANGING_MAX
                     ? ""
                     : ", nor is any other: no more may hang");
}

static void begin_round(struct rounds *r, int64_t t_ns)
{
    int64_t interval_ns = r->opts.agent->interval_ns;
    report_loss(r);
    report_hanging(r);
    if (r->counts.rounds && t_ns > r->next_round_ns)
        r->counts.rounds_missed += (uint64_t)((t_ns - r->next_round_ns) / interval_ns);
    r->now_round_ns = t_ns;
    r->next_round_ns = t_ns + interval_ns;
    r->opts.begin_fn(r->opts.arg);
    r->counts.rounds++;
    for (size_t i = 0; i < r->reading_count; i++) {
        if (r->readings[i]->due_ns != T_NONE)
            r->counts.reads_waiting++;
        r->readings[i]->due_ns = T_NONE;
    }
    if (r->list.is_out ||
        start_list(r, &r->list, "-N", "obdfilter.*.job_stats", "mdt.*.job_stats") < 0) {
        r->counts.lists_failed++;
        schedule_all(r);
    }
}

static bool is_idle(const struct rounds *r)
{
    for (size_t i = 0; i < r->reading_count; i++)
        if (r->readings[i]->due_ns != T_NONE)
            return false;
    return r->places.running == 0 && !r->list.is_out && !r->cleanup.is_out;
}

static void on_rounds_timer(uv_timer_t *timer)
{
    rounds_tick(timer->data);
}

static void rounds_arm(struct rounds *r)
{
    int64_t next_ns = r->opts.mode == ROUNDS_FOREVER ? r->next_round_ns : INT64_MAX;
    for (size_t i = 0; i < r->reading_count; i++) {
        const struct reading *reading = r->readings[i];
        if (reading->due_ns != T_NONE && !reading->is_out &&
            places_has(&r->places, reading->was_late) && reading->due_ns < next_ns)
            next_ns = reading->due_ns;
    }
    if (next_ns == INT64_MAX)
        return;
    int64_t wait_ms = clock_wait_ms(next_ns);
    (void)uv_timer_start(&r->timer, on_rounds_timer,
                         wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}

/* Once: a timer that is armed, or a second child that ended in the same turn of the
 * loop, ticks after it. */
static void end_rounds(struct rounds *r)
{
    rounds_stop(r);
    r->opts.finished_fn(r->opts.arg);
}

static void rounds_tick(struct rounds *r)
{
    if (r->is_stopping)
        return;
    int64_t now_ns = clock_now_ns(), interval_ns = r->opts.agent->interval_ns;
    bool is_forever = r->opts.mode == ROUNDS_FOREVER;
    /* A clock that was set back by more than an interval would else wait for long. */
    if (is_forever && now_ns < r->next_round_ns - interval_ns)
        r->next_round_ns = agent_round_at(now_ns, interval_ns);
    if (is_forever && now_ns >= r->next_round_ns)
        begin_round(r, now_ns - now_ns % interval_ns);
    start_due(r, now_ns);
    if (!is_forever && is_idle(r))
        end_rounds(r);
    else
        rounds_arm(r);
}

/* ---- starting, stopping ---- */

static void rounds_init(struct rounds *r, const struct rounds_opts *opts)
{
    r->opts = *opts;
    r->context = (struct reading_context){
        .opts = opts->agent,
        .loop = opts->loop,
        .log = opts->log,
        .report = opts->report,
        .over_fn = on_reading_over,
        .gone_fn = on_reading_returned,
        .committed_fn = on_reading_committed,
        .arg = r,
    };
    r->list = r->cleanup = (struct text_read){
        .loop = opts->loop,
        .bytes_max = LIST_BYTES_MAX,
        .done_fn = on_list_done,
        .gone_fn = on_list_gone,
        .arg = r,
    };
    r->cleanup.done_fn = on_cleanup_done;
    r->timer.data = r;
    (void)uv_timer_init(opts->loop, &r->timer);
}

int rounds_start(const struct rounds_opts *opts, struct rounds **ret)
{
    struct rounds *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    rounds_init(r, opts);
    *ret = r; /* as long as the loop, whose children may hold it */
    int64_t now_ns = clock_now_ns();
    if (opts->mode == ROUNDS_ONE) {
        begin_round(r, now_ns);
        if (is_idle(r))
            end_rounds(r);
    } else {
        r->next_round_ns = agent_round_at(now_ns, opts->agent->interval_ns);
        rounds_arm(r);
    }
    return 0;
}

void rounds_stop(struct rounds *rounds)
{
    rounds->is_stopping = rounds->context.is_stopping = true;
    (void)uv_timer_stop(&rounds->timer);
}

void rounds_count(const struct rounds *rounds, struct rounds_counts *ret)
{
    *ret = rounds->counts;
    ret->hanging = rounds->places.hanging;
    ret->reading = rounds->context.counts;
}
