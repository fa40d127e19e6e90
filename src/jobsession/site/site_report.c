/* SPDX-License-Identifier: Apache-2.0 */
/* site_report - what the site is to have of a job's session: sent until it is stored.
 */
#include "jobsession/site/site_report.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"
#include "jobsession/site/site_numbers.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define END_WAIT_NS (2 * NS_PER_S)
#define AGAIN_NS (500 * NS_PER_MS)
/* The agent accepts ten requests of a user's a second. */
#define PACE_NS (150 * NS_PER_MS)

/* So many numbers are in the file ahead: who goes on after a kill leaves out those that
 * were not used, which is a gap, and uses none twice. */
#define NUMBERS_AHEAD 64

enum report_kind { REPORT_EVENT, REPORT_BEAT, REPORT_END };

struct queued_report {
    struct queued_report *next;
    uint64_t sequence; /* 0: the session itself */
    size_t size;
    char text[];
};

struct site_report {
    struct site_report_opts opts;
    pthread_t thread;
    int numbers_fd;       /* -1: none */
    uint64_t number_max;  /* that is in it; its thread's */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    struct queued_report *first, **last;
    size_t waiting;
    uint64_t events; /* that have a number */
    uint64_t events_lost;
    const char *reason;
    char full_reason[256]; /* with what was lost */
    bool is_ending;
    bool is_silent;         /* the agent did not respond to the last request */
    bool is_last;           /* the time is over: what is sent now is the last */
    int64_t end_ns, due_ns; /* monotonic: what waits then is lost; of the next beat */
    struct site_report_counts counts;
};

static void report_lost(struct site_report *r, size_t count, const char *why)
{
    r->counts.lost += count;
    if (why != r->counts.error)
        (void)snprintf(r->counts.error, sizeof r->counts.error, "%s", why);
}

static void event_lost(struct site_report *r, size_t count, const char *why)
{
    r->events_lost += count;
    report_lost(r, count, why);
}

/* ---- the queue ---- */

static struct queued_report *line_make(const struct session_report *report)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "session ");
    session_report_print_line(report, &text);
    struct queued_report *line =
        strbuf_error(&text) < 0 ? NULL : malloc(sizeof *line + text.size);
    if (!line)
        return NULL;
    line->next = NULL;
    line->sequence = report->sequence;
    line->size = text.size;
    memcpy(line->text, text.data, text.size);
    return line;
}

/* NULL is fine: with its own counter. */
void site_report_event(struct site_report *r, struct span name, struct span payload,
                       int64_t t_ns)
{
    if (!r)
        return;
    LOCKED(&r->lock);
    struct session_report report = { .session = r->opts.self.session,
                                     .sequence = r->events + 1,
                                     .parent = r->opts.self.parent,
                                     .name = name,
                                     .payload = payload,
                                     .start_ns = t_ns };
    const char *why = session_report_check(&report);
    if (!why && r->waiting == REPORTS_QUEUED_MAX)
        why = "too many wait for the agent";
    struct queued_report *line = why ? NULL : line_make(&report);
    if (!line) {
        event_lost(r, 1, why ? why : "memory is out");
        return;
    }
    r->events++;
    r->waiting++;
    *r->last = line;
    r->last = &line->next;
    (void)pthread_cond_signal(&r->wake);
}

static void queue_done(struct site_report *r)
{
    struct queued_report *line;
    while ((line = r->first) != NULL) {
        r->first = line->next;
        free(line);
    }
    r->last = &r->first;
    r->waiting = 0;
}

/* ---- the thread ---- */

/* The session itself, as it is now. */
static struct queued_report *self_line(struct site_report *r)
{
    struct session_report self = r->opts.self;
    if (r->reason && r->events_lost > 0)
        (void)snprintf(r->full_reason, sizeof r->full_reason,
                       "%.200s; %llu events for the site are lost", r->reason,
                       (unsigned long long)r->events_lost);
    else if (r->reason)
        (void)snprintf(r->full_reason, sizeof r->full_reason, "%.200s", r->reason);
    self.events = r->events;
    self.has_ended = r->is_ending;
    self.reason = span_of(r->full_reason);
    self.beat_ms = (uint64_t)(r->opts.beat_ns / NS_PER_MS);
    return line_make(&self);
}

static void until_steady(struct site_report *r, int64_t due_ns)
{
    const struct timespec until = { due_ns / NS_PER_S, due_ns % NS_PER_S };
    (void)pthread_cond_timedwait(&r->wake, &r->lock, &until);
}

/* The time is over: events that wait are lost, and that it ended is tried once more. */
static struct queued_report *last_line(struct site_report *r)
{
    if (r->is_last || r->is_silent)
        return NULL;
    r->is_last = true;
    if (r->waiting > 0)
        event_lost(r, r->waiting,
                   r->counts.error[0] ? r->counts.error : "there was no time for them");
    queue_done(r);
    return self_line(r);
}

/* What is to be sent now: a beat that is due, then events in their order, at the end
 * after all of them that it ended.  NULL: nothing is left, or the time is over. */
static struct queued_report *report_next(struct site_report *r, enum report_kind *ret)
{
    LOCKED(&r->lock);
    for (;;) {
        int64_t now_ns = clock_monotonic_ns();
        bool is_self = !r->first || (!r->is_ending && now_ns >= r->due_ns);
        *ret = !is_self ? REPORT_EVENT : r->is_ending ? REPORT_END : REPORT_BEAT;
        if (r->is_ending && now_ns >= r->end_ns) {
            *ret = REPORT_END;
            return last_line(r);
        }
        if (!is_self)
            return r->first;
        if (r->is_ending || now_ns >= r->due_ns)
            return self_line(r);
        until_steady(r, r->due_ns);
    }
}

/* Wait before the next, or before the same again.  What is left at the end has as many
 * requests as the agent accepts at once. */
static void report_pause(struct site_report *r, int64_t pause_ns)
{
    int64_t until_ns = clock_monotonic_ns() + pause_ns;
    LOCKED(&r->lock);
    if (r->is_ending && pause_ns == PACE_NS)
        return;
    if (r->is_ending && until_ns > r->end_ns)
        until_ns = r->end_ns;
    /* An end that begins meanwhile has its own time for it. */
    while (clock_monotonic_ns() < until_ns)
        until_steady(r, until_ns);
}

static void event_settled(struct site_report *r, struct queued_report *line)
{
    r->first = line->next;
    if (!r->first)
        r->last = &r->first;
    r->waiting--;
    free(line);
}

/* True: it is done with, stored or refused for good. */
static bool report_settle(struct site_report *r, int rc, const struct err *err,
                          struct queued_report *line, enum report_kind kind)
{
    LOCKED(&r->lock);
    bool is_done = rc == 0 || rc == -EPERM;
    r->is_silent = rc == -ETIMEDOUT;
    if (rc == 0)
        r->counts.sent++;
    else if (rc == -EPERM && kind == REPORT_EVENT)
        event_lost(r, 1, err->text);
    else if (rc == -EPERM)
        report_lost(r, 1, err->text);
    else
        (void)snprintf(r->counts.error, sizeof r->counts.error, "%s",
                       err->text[0] ? err->text : strerror(-rc));
    if (kind != REPORT_EVENT) {
        int64_t after_ns = is_done ? r->opts.beat_ns : AGAIN_NS;
        r->due_ns = clock_monotonic_ns() + after_ns;
        free(line);
    } else if (is_done) {
        event_settled(r, line);
    }
    return is_done;
}

/* Before it is sent: a number that the site may have is not given to another event by
 * who goes on after us.  One that was not accepted is then missing there, as it is. */
static int note_number(struct site_report *r, const struct queued_report *line,
                       struct err *err)
{
    if (r->numbers_fd < 0 || line->sequence <= r->number_max)
        return 0;
    uint64_t number = line->sequence + NUMBERS_AHEAD - 1;
    int rc = site_numbers_write(r->numbers_fd, number);
    if (rc < 0)
        return err_set(err, EAGAIN, "'%s': %s", r->opts.numbers, strerror(-rc));
    r->number_max = number;
    return 0;
}

static void *send_reports(void *arg)
{
    struct site_report *r = arg;
    struct queued_report *line;
    enum report_kind kind = REPORT_BEAT;
    bool has_ended = false;
    while (!has_ended && (line = report_next(r, &kind)) != NULL) {
        struct err err = { 0 };
        int rc = note_number(r, line, &err);
        if (rc == 0)
            rc = agent_socket_submit(r->opts.path,
                                     (struct span){ line->text, line->size }, &err);
        bool is_done = report_settle(r, rc, &err, line, kind);
        has_ended = kind == REPORT_END && is_done;
        if (!has_ended)
            report_pause(r, is_done ? PACE_NS : AGAIN_NS);
    }
    LOCKED(&r->lock);
    event_lost(r, r->waiting, r->counts.error);
    r->counts.lost += !has_ended;
    return NULL;
}

/* ---- the door ---- */

static void report_free(struct site_report *r)
{
    queue_done(r);
    auto_close(&r->numbers_fd);
    (void)pthread_cond_destroy(&r->wake);
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

int site_report_open(const struct site_report_opts *opts, struct site_report **ret,
                     struct err *err)
{
    pthread_condattr_t steady;
    const char *why = session_report_check(&opts->self);
    if (why)
        return err_set(err, EINVAL, "%s", why);
    struct site_report *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->opts = *opts;
    r->numbers_fd = -1;
    r->last = &r->first;
    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&r->wake, &steady);
    (void)pthread_condattr_destroy(&steady);
    int rc = opts->numbers
                 ? site_numbers_open(opts->numbers, &r->numbers_fd, &r->number_max, err)
                 : 0;
    r->events = r->number_max;
    if (rc == 0)
        rc = -pthread_create(&r->thread, NULL, send_reports, r);
    if (rc < 0)
        report_free(r);
    else
        *ret = r;
    return rc;
}

void site_report_end(struct site_report *r, const char *reason,
                     struct site_report_counts *ret)
{
    *ret = (struct site_report_counts){ 0 };
    if (!r)
        return;
    {
        LOCKED(&r->lock);
        r->is_ending = true;
        r->reason = reason;
        r->end_ns = clock_monotonic_ns() + END_WAIT_NS;
        (void)pthread_cond_signal(&r->wake);
    }
    (void)pthread_join(r->thread, NULL);
    *ret = r->counts;
    report_free(r);
}
