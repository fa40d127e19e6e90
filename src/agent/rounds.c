/* SPDX-License-Identifier: Apache-2.0 */
/* rounds - when to read what.
 *
 *     T            list the targets
 *     T + offset   read a target: each has its own offset, the same in every round
 *     T + interval ...
 *
 * One wake-up each; in between nothing runs.
 */
#include "agent/agent.h"
#include "agent/child.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "source/lustre/lustre.h"

/* Reads at a time.  One that came to no end at its deadline last time may come to none
 * again: those get half of the places. */
#define OUTSTANDING_MAX 8
#define LATE_MAX (OUTSTANDING_MAX / 2)
/* Processes past their deadline that cannot be killed: each has a target, and a place
 * of its own. */
#define HANGING_MAX 40
#define LIST_BYTES_MAX (UINT32_C(4) << 20)
/* job_cleanup_interval is read when a target is new, and now and then; each round
 * where the dumps have no start times. */
#define CLEANUP_ROUNDS 30
/* A read that took more than this part of the interval has a round's rest. */
#define SKIP_PART 10

/* One target, read round after round. */
struct reading {
    struct agent_round *round;
    struct observe_target *target;
    int64_t due_ns;  /* T_NONE: not in this round, or read already */
    bool is_out;     /* its process is not gone */
    bool is_hanging; /* past its deadline, and still not gone */
    bool was_late;   /* the last read was given up */
    bool is_new;
    struct jobstats_parser *parser;
    struct agent_batches *batches;
    int64_t started_ns, took_ns;
    int64_t t_ms; /* of the observation */
    int64_t warned_cleanup_ms;
};

/* A get_param whose text is small: the list, or the cleanup intervals. */
struct asking {
    struct agent_round *round;
    bool is_out;
    int64_t t_ms;
    struct strbuf text;
};

struct agent_round {
    struct agent *agent;
    enum agent_rounds how;
    void (*finished_fn)(struct agent *agent);
    uv_timer_t timer;
    int64_t now_round_ns, next_round_ns;
    struct reading **readings;
    size_t reading_count;
    size_t outstanding;      /* before their deadline */
    size_t outstanding_late; /* of them, of targets that were given up last time */
    size_t hanging;
    struct asking list, cleanup;
    uint64_t cleanup_due; /* at this many rounds */
    uint64_t told_lost;   /* batches whose loss was logged */
    bool is_stopping;
};

static void tick(struct agent_round *r);
static void arm(struct agent_round *r);

static struct log_limit read_limit = LOG_LIMIT_INIT;
static struct log_limit keep_limit = LOG_LIMIT_INIT;
static struct log_limit list_limit = LOG_LIMIT_INIT;
static struct log_limit hang_limit = LOG_LIMIT_INIT;
static struct log_limit line_limit = LOG_LIMIT_INIT;

/* ---- reading one target ---- */

static int take_entry(void *arg, const struct entry *entry)
{
    struct reading *reading = arg;
    return observe_entry(reading->target, entry);
}

static void take_fault(void *arg, enum jobstats_fault fault, uint64_t line,
                       struct span text)
{
    struct reading *reading = arg;
    reading->round->agent->counts.bad_lines++;
    observe_entry_lost(reading->target);
    struct span name = observe_target_name(reading->target);
    if (text.size > 80)
        text.size = 80;
    log_limited(&line_limit, LOG_LEVEL_WARN,
                SPAN_FMT ".job_stats:%llu: %s, dropping: '" SPAN_FMT "'",
                SPAN_ARG(name), (unsigned long long)line, jobstats_fault_name(fault),
                SPAN_ARG(text));
}

static int read_piece(void *arg, struct span piece)
{
    struct reading *reading = arg;
    return jobstats_parser_feed(reading->parser, piece.data, piece.size);
}

/* Close the round of the target.  Returns whether there is something to keep. */
static int close_round(struct reading *reading, const struct agent_child_result *result)
{
    struct agent_counts *counts = &reading->round->agent->counts;
    if (!result->error && result->status == 0) {
        int rc = jobstats_parser_finish(reading->parser);
        return rc < 0 ? rc : observe_round_end(reading->target);
    }
    counts->reads_failed++;
    counts->reads_given_up += result->error == -ETIMEDOUT;
    struct span name = observe_target_name(reading->target);
    log_limited(&read_limit, LOG_LEVEL_WARN,
                "target " SPAN_FMT ": read failed: %s%s" SPAN_FMT
                "; trying again in the next round",
                SPAN_ARG(name),
                result->error == -ETIMEDOUT ? "no answer before the deadline"
                : result->error             ? strerror(-result->error)
                                            : "",
                result->error ? " " : "", SPAN_ARG(result->complaint));
    bool is_ours = result->error && result->error != -ETIMEDOUT;
    if (is_ours)
        return result->error;
    return observe_round_cut(reading->target);
}

/* Every read, for whoever wants to know afterwards which of them count.  A read without
 * this line was under way when the agent ended: then the target's state tells. */
static void tell_read(const struct reading *reading,
                      const struct agent_child_result *result, int rc)
{
    struct span name = observe_target_name(reading->target);
    const char *what = rc < 0                            ? strerror(-rc)
                       : result->error || result->status ? "kept in part"
                                                         : "kept";
    log_debug("read of " SPAN_FMT " at %lld ms: %s", SPAN_ARG(name),
              (long long)reading->t_ms, what);
}

/* The read is over; its process may not be. */
static void give_place(struct reading *reading, const struct agent_child_result *result)
{
    struct agent_round *r = reading->round;
    r->outstanding--;
    r->outstanding_late -= reading->was_late;
    reading->was_late = reading->is_hanging = result->error == -ETIMEDOUT;
    r->hanging += reading->is_hanging;
    r->agent->counts.hanging = r->hanging;
}

static void read_finish(struct reading *reading,
                        const struct agent_child_result *result)
{
    struct agent *agent = reading->round->agent;
    give_place(reading, result);
    reading->took_ns = clock_monotonic_ns() - reading->started_ns;
    agent->counts.read_ns += (uint64_t)reading->took_ns;
    if (reading->round->is_stopping)
        return; /* as if it had not been */
    struct err err = { 0 };
    int rc = close_round(reading, result);
    if (rc < 0)
        agent_keep_revert(agent, reading->target);
    else
        rc = agent_keep_read(agent, reading->target, reading->batches, &err);
    tell_read(reading, result, rc);
    if (rc == 0)
        return;
    agent->counts.reads_not_kept++;
    struct span name = observe_target_name(reading->target);
    log_limited(&keep_limit, LOG_LEVEL_ERROR,
                "target " SPAN_FMT ": what was read at %lld ms cannot be kept: %s; the "
                "next read tells it again",
                SPAN_ARG(name), (long long)reading->t_ms,
                err.text[0] ? err.text : strerror(-rc));
}

static void read_done(void *arg, const struct agent_child_result *result)
{
    struct reading *reading = arg;
    read_finish(reading, result);
    /* It may be long before it is gone: its place is free now. */
    if (result->error == -ETIMEDOUT)
        tick(reading->round);
}

static void read_gone(void *arg)
{
    struct reading *reading = arg;
    struct agent_round *r = reading->round;
    jobstats_parser_free(reading->parser);
    reading->parser = NULL;
    agent_batches_free(reading->batches);
    reading->batches = NULL;
    reading->is_out = false;
    r->hanging -= reading->is_hanging;
    r->agent->counts.hanging = r->hanging;
    reading->is_hanging = false;
    tick(r);
}

static int read_prepare(struct reading *reading, int64_t t_ms)
{
    struct agent *agent = reading->round->agent;
    int rc = jobstats_parser_new(take_entry, take_fault, reading, &reading->parser);
    if (rc == 0)
        rc = agent_batches_new(&agent->uuid, span_of(agent->opts.host),
                               &agent->batch_number, &reading->batches);
    if (rc == 0)
        rc = observe_round_begin(reading->target, t_ms, agent_batches_row,
                                 reading->batches);
    if (rc == 0)
        jobstats_parser_begin(reading->parser, observe_target_name(reading->target),
                              observe_target_kind(reading->target));
    return rc;
}

static void read_unprepare(struct reading *reading)
{
    jobstats_parser_free(reading->parser);
    reading->parser = NULL;
    agent_batches_free(reading->batches);
    reading->batches = NULL;
}

static void read_start(struct reading *reading)
{
    struct agent_round *r = reading->round;
    struct agent *agent = r->agent;
    char param[TARGET_BYTES_MAX + 32], *argv[AGENT_ARGV_MAX];
    struct span name = observe_target_name(reading->target);
    bool is_mdt = observe_target_kind(reading->target) == TARGET_MDT;
    reading->due_ns = T_NONE;
    (void)snprintf(param, sizeof param, "%s." SPAN_FMT ".job_stats",
                   is_mdt ? "mdt" : "obdfilter", SPAN_ARG(name));
    agent_get_param(&agent->opts, "-n", param, NULL, argv);
    /* The observation's time: nothing that it shows can be older news than this. */
    int rc = read_prepare(reading, clock_now_ms());
    reading->t_ms = observe_target_begun_ms(reading->target);
    if (rc == 0) {
        struct agent_child_events events = { read_piece, read_done, read_gone,
                                             reading };
        reading->started_ns = clock_monotonic_ns();
        rc = agent_child_start(&agent->loop, argv, agent->opts.deadline_ns, &events);
        if (rc < 0)
            (void)observe_round_cut(reading->target);
    }
    if (rc < 0) {
        agent->counts.reads_failed++;
        log_limited(&read_limit, LOG_LEVEL_ERROR, "start '%s': %s", argv[0],
                    strerror(-rc));
        read_unprepare(reading);
        return;
    }
    agent->counts.reads++;
    reading->is_out = true;
    r->outstanding++;
    r->outstanding_late += reading->was_late;
}

/* ---- asking for lists ---- */

static int ask_piece(void *arg, struct span piece)
{
    struct asking *asking = arg;
    if (asking->text.size + piece.size > LIST_BYTES_MAX)
        return -EMSGSIZE;
    strbuf_add_span(&asking->text, piece);
    return strbuf_error(&asking->text);
}

static void ask_gone(void *arg)
{
    struct asking *asking = arg;
    asking->is_out = false;
    tick(asking->round);
}

static int ask(struct asking *asking, const char *flag, const char *one,
               const char *two,
               void (*done_fn)(void *arg, const struct agent_child_result *result))
{
    struct agent *agent = asking->round->agent;
    char *argv[AGENT_ARGV_MAX];
    struct agent_child_events events = { ask_piece, done_fn, ask_gone, asking };
    agent_get_param(&agent->opts, flag, one, two, argv);
    strbuf_clear(&asking->text);
    asking->t_ms = clock_now_ms();
    int rc = agent_child_start(&agent->loop, argv, agent->opts.deadline_ns, &events);
    if (rc < 0)
        log_limited(&list_limit, LOG_LEVEL_ERROR, "start '%s': %s", argv[0],
                    strerror(-rc));
    asking->is_out = rc == 0;
    return rc;
}

/* All went well, or all that went wrong is that there is nothing of the kind. */
static bool is_answer_whole(const struct agent_child_result *result)
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

static struct reading *reading_of(struct agent_round *r, struct observe_target *target)
{
    for (size_t i = 0; i < r->reading_count; i++)
        if (r->readings[i]->target == target)
            return r->readings[i];
    struct reading **grown =
        realloc(r->readings, (r->reading_count + 1) * sizeof grown[0]);
    if (!grown)
        return NULL;
    r->readings = grown;
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading)
        return NULL;
    *reading = (struct reading){
        .round = r, .target = target, .due_ns = T_NONE, .is_new = true
    };
    r->readings[r->reading_count++] = reading;
    return reading;
}

static void cleanup_line(struct agent_round *r, struct span line)
{
    struct span param, value = line, name;
    enum target_kind kind;
    uint64_t cleanup_s = 0;
    if (!span_cut(&value, '=', &param) ||
        agent_parse_param(span_trim(param), "job_cleanup_interval", &name, &kind) < 0 ||
        number_parse_u64(span_trim(value), &cleanup_s) < 0 || cleanup_s > UINT32_MAX)
        return;
    struct observe_target *target = observe_target_find(r->agent->observe, name);
    struct reading *reading = target ? reading_of(r, target) : NULL;
    if (!reading)
        return;
    int64_t cleanup_ms = (int64_t)cleanup_s * MS_PER_S;
    observe_target_set_cleanup(target, cleanup_ms);
    reading->is_new = false;
    int64_t interval_ms = r->agent->opts.interval_ns / NS_PER_MS;
    if (cleanup_ms && interval_ms * 2 > cleanup_ms &&
        reading->warned_cleanup_ms != cleanup_ms) {
        reading->warned_cleanup_ms = cleanup_ms;
        log_warn("target " SPAN_FMT ": the interval of %lld s is more than half of its "
                 "job_cleanup_interval of %llu s: resets may go unseen",
                 SPAN_ARG(name), (long long)(interval_ms / MS_PER_S),
                 (unsigned long long)cleanup_s);
    }
}

static void cleanup_done(void *arg, const struct agent_child_result *result)
{
    struct asking *asking = arg;
    struct span rest = strbuf_span(&asking->text), line;
    if (result->error)
        return; /* asked again after a while; until then Lustre's default holds */
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        cleanup_line(asking->round, line);
    }
}

static bool is_wanted(const struct agent_opts *opts, struct span target)
{
    if (opts->filesystems.count == 0)
        return true;
    struct target_name name;
    struct span fs = target_parse(target, &name) == 0 ? name.fs : target;
    for (size_t i = 0; i < opts->filesystems.count; i++)
        if (span_glob(fs, opts->filesystems.items[i]))
            return true;
    return false;
}

static void schedule_one(struct agent_round *r, struct observe_target *target)
{
    struct agent *agent = r->agent;
    struct reading *reading = reading_of(r, target);
    if (!reading)
        return;
    if (reading->is_out) {
        agent->counts.reads_waiting++;
        return;
    }
    if (reading->took_ns > agent->opts.interval_ns / SKIP_PART) {
        agent->counts.reads_skipped++;
        reading->took_ns = 0;
        return;
    }
    reading->due_ns = r->now_round_ns;
    if (r->how == AGENT_ROUNDS_FOREVER)
        reading->due_ns +=
            agent_round_offset(observe_target_name(target), agent->opts.interval_ns);
}

static void schedule(struct agent_round *r)
{
    struct agent *agent = r->agent;
    bool is_cleanup_due = agent->counts.rounds >= r->cleanup_due;
    for (size_t i = 0; i < observe_target_count(agent->observe); i++) {
        struct observe_target *target = observe_target_at(agent->observe, i);
        if (!observe_target_is_there(target))
            continue;
        schedule_one(r, target);
        const struct reading *reading = reading_of(r, target);
        is_cleanup_due |= reading && reading->is_new;
        is_cleanup_due |= observe_target_needs_cleanup(target);
    }
    if (is_cleanup_due && !r->cleanup.is_out) {
        r->cleanup_due = agent->counts.rounds + CLEANUP_ROUNDS;
        (void)ask(&r->cleanup, NULL, "obdfilter.*.job_cleanup_interval",
                  "mdt.*.job_cleanup_interval", cleanup_done);
    }
}

static int take_list(struct agent_round *r, struct err *err)
{
    struct agent *agent = r->agent;
    size_t count = 0, room = 1;
    for (size_t i = 0; i < r->list.text.size; i++)
        room += r->list.text.data[i] == '\n';
    AUTO_FREE struct observe_listed *listed = calloc(room, sizeof listed[0]);
    if (!listed)
        return -ENOMEM;
    struct span rest = strbuf_span(&r->list.text), line;
    while (rest.size && count < room) {
        (void)span_cut(&rest, '\n', &line);
        line = span_trim(line);
        if (agent_parse_param(line, "job_stats", &listed[count].name,
                              &listed[count].kind) == 0 &&
            is_wanted(&agent->opts, listed[count].name))
            count++;
    }
    int rc = observe_list(agent->observe, r->list.t_ms, listed, count);
    if (rc == 0)
        rc = agent_keep_list(agent, err);
    log_debug("list of targets at %lld ms: %s", (long long)r->list.t_ms,
              rc < 0 ? strerror(-rc) : "kept");
    return rc;
}

static void list_done(void *arg, const struct agent_child_result *result)
{
    struct asking *asking = arg;
    struct agent_round *r = asking->round;
    struct agent_counts *counts = &r->agent->counts;
    struct err err = { 0 };
    if (r->is_stopping)
        return;
    if (!is_answer_whole(result)) {
        counts->lists_failed++;
        log_limited(&list_limit, LOG_LEVEL_WARN,
                    "the list of targets could not be read: %s " SPAN_FMT
                    "; reading those known",
                    result->error ? strerror(-result->error) : "",
                    SPAN_ARG(result->complaint));
    } else {
        int rc = take_list(r, &err);
        if (rc < 0) {
            counts->lists_failed++;
            log_limited(&list_limit, LOG_LEVEL_ERROR,
                        "the list of targets cannot be kept: %s",
                        err.text[0] ? err.text : strerror(-rc));
        }
    }
    schedule(r);
    arm(r);
}

/* ---- rounds ---- */

static void write_metrics(struct agent *agent)
{
    if (!agent->opts.metrics || !*agent->opts.metrics)
        return;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf beside = STRBUF_INIT;
    agent_stats_print(agent, &text);
    strbuf_addf(&beside, "%s.new", agent->opts.metrics);
    if (strbuf_error(&text) || strbuf_error(&beside))
        return;
    FILE *f = fopen(beside.data, "we");
    if (!f)
        return;
    bool is_whole = fwrite(text.data, 1, text.size, f) == text.size;
    if (fclose(f) == 0 && is_whole)
        (void)rename(beside.data, agent->opts.metrics);
}

/* Loss is a fault, and said once for each round in which it grows. */
static void tell_loss(struct agent_round *r)
{
    struct spool_counts counts;
    spool_count(r->agent->spool, &counts);
    uint64_t lost = counts.lost_records + counts.damaged_records;
    if (lost > r->told_lost)
        log_error("the spool is full or damaged: %llu batches with %llu entries were "
                  "lost, %llu could not be read back",
                  (unsigned long long)counts.lost_records,
                  (unsigned long long)counts.lost_entries,
                  (unsigned long long)counts.damaged_records);
    r->told_lost = lost;
}

/* Reads that cannot be ended are a fault of the server, and said in each round. */
static void tell_hanging(const struct agent_round *r)
{
    const struct reading *first = NULL;
    for (size_t i = 0; i < r->reading_count && !first; i++)
        if (r->readings[i]->is_hanging)
            first = r->readings[i];
    if (r->list.is_out)
        log_limited(&hang_limit, LOG_LEVEL_ERROR,
                    "the list of targets was asked for at %lld ms, and has not come; "
                    "reading those known",
                    (long long)r->list.t_ms);
    if (!first)
        return;
    struct span name = observe_target_name(first->target);
    log_limited(&hang_limit, LOG_LEVEL_ERROR,
                "%zu reads hang in the kernel and cannot be ended, of target " SPAN_FMT
                " among them; these targets are not observed%s",
                r->hanging, SPAN_ARG(name),
                r->hanging < HANGING_MAX ? "" : ", nor is any other: no more may hang");
}

static void begin_round(struct agent_round *r, int64_t t_ns)
{
    struct agent *agent = r->agent;
    tell_loss(r);
    tell_hanging(r);
    if (agent->counts.rounds && t_ns > r->next_round_ns)
        agent->counts.rounds_missed +=
            (uint64_t)((t_ns - r->next_round_ns) / agent->opts.interval_ns);
    r->now_round_ns = t_ns;
    r->next_round_ns = t_ns + agent->opts.interval_ns;
    write_metrics(agent);
    agent->counts.rounds++;
    for (size_t i = 0; i < r->reading_count; i++) {
        if (r->readings[i]->due_ns != T_NONE)
            agent->counts.reads_waiting++;
        r->readings[i]->due_ns = T_NONE;
    }
    if (r->list.is_out || ask(&r->list, "-N", "obdfilter.*.job_stats",
                              "mdt.*.job_stats", list_done) < 0) {
        agent->counts.lists_failed++;
        schedule(r);
    }
}

static bool is_idle(const struct agent_round *r)
{
    for (size_t i = 0; i < r->reading_count; i++)
        if (r->readings[i]->due_ns != T_NONE)
            return false;
    return r->outstanding == 0 && !r->list.is_out && !r->cleanup.is_out;
}

static bool has_place(const struct agent_round *r, const struct reading *reading)
{
    return !reading->is_out && r->outstanding < OUTSTANDING_MAX &&
           r->hanging < HANGING_MAX &&
           (!reading->was_late || r->outstanding_late < LATE_MAX);
}

static void on_timer(uv_timer_t *timer)
{
    tick(timer->data);
}

static void arm(struct agent_round *r)
{
    int64_t next_ns = r->how == AGENT_ROUNDS_FOREVER ? r->next_round_ns : INT64_MAX;
    for (size_t i = 0; i < r->reading_count; i++) {
        int64_t due_ns = r->readings[i]->due_ns;
        if (due_ns != T_NONE && has_place(r, r->readings[i]) && due_ns < next_ns)
            next_ns = due_ns;
    }
    if (next_ns == INT64_MAX)
        return;
    int64_t wait_ms = clock_wait_ms(next_ns);
    (void)uv_timer_start(&r->timer, on_timer, wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}

static void tick(struct agent_round *r)
{
    if (r->is_stopping)
        return;
    int64_t now_ns = clock_now_ns(), interval_ns = r->agent->opts.interval_ns;
    /* A clock that was set back by more than an interval would else wait for long. */
    if (r->how == AGENT_ROUNDS_FOREVER && now_ns < r->next_round_ns - interval_ns)
        r->next_round_ns = agent_round_at(now_ns, interval_ns);
    if (r->how == AGENT_ROUNDS_FOREVER && now_ns >= r->next_round_ns)
        begin_round(r, now_ns - now_ns % interval_ns);
    for (size_t i = 0; i < r->reading_count; i++) {
        struct reading *reading = r->readings[i];
        if (reading->due_ns == T_NONE || now_ns < reading->due_ns)
            continue;
        if (has_place(r, reading))
            read_start(reading);
    }
    if (r->how == AGENT_ROUNDS_ONE && is_idle(r)) {
        r->finished_fn(r->agent);
        return;
    }
    arm(r);
}

int agent_round_start(struct agent *agent, enum agent_rounds how,
                      void (*finished_fn)(struct agent *agent))
{
    struct agent_round *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->agent = agent;
    r->how = how;
    r->finished_fn = finished_fn;
    r->list.round = r->cleanup.round = r;
    r->timer.data = r;
    agent->round = r;
    (void)uv_timer_init(&agent->loop, &r->timer);
    int64_t now_ns = clock_now_ns();
    if (how == AGENT_ROUNDS_ONE) {
        begin_round(r, now_ns);
        if (is_idle(r))
            finished_fn(agent);
    } else {
        r->next_round_ns = agent_round_at(now_ns, agent->opts.interval_ns);
        arm(r);
    }
    return 0;
}

void agent_round_stop(struct agent *agent)
{
    agent->round->is_stopping = true;
    (void)uv_timer_stop(&agent->round->timer);
}
