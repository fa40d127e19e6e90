/* SPDX-License-Identifier: Apache-2.0 */
/* local_watchers - who reads on the socket what the site has for a job, and what waits
 * for each. */
#include "agent/local/local_watchers.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The longest line that is no event: a report of a session, or a statement. */
#define LINE_BYTES_MAX (SESSION_REPORT_LINE_BYTES_MAX + 64)
/* So long a health is believed: two queries of it. */
#define HEALTH_FRESH_NS (10 * NS_PER_S)

struct local_watcher {
    struct local_watchers *watchers;
    struct local_watcher *next, **link;
    uv_stream_t *stream;
    uid_t uid;
    char job[JOB_ID_BYTES];
    bool is_of_node, has_begun, is_writing, has_ended;
    bool has_health; /* it was given the last one */
    char session[SESSION_ID_BYTES];
    struct local_number after; /* of one that comes back, until that was looked at */
    struct local_number floor; /* of its job: what came before is of no concern to it */
    struct strbuf waiting, written;
    uint64_t lost; /* lines; not stated yet */
    uv_write_t write;
};

struct given_event {
    struct local_number number;
    bool is_user;
    uid_t uid;
    size_t size;
    char *line;
};

/* Since when this agent knows of a job. */
struct known_job {
    char job[JOB_ID_BYTES];
    struct local_number floor; /* the last event then */
    uint64_t used;             /* when, counted; 0: not in use */
};

struct local_watchers {
    struct local_watcher *first;
    size_t count, of_node;
    struct given_event events[LOCAL_EVENTS_STORED]; /* from at first on */
    size_t first_event, event_count;
    struct local_number seen;  /* the last event of the session */
    struct local_number floor; /* what came after it is in events, or was given */
    struct strbuf health;      /* the last line; empty: not known */
    int64_t health_ns;         /* when a query last found it */
    struct known_job jobs[LOCAL_JOBS_KNOWN];
    uint64_t jobs_used;
};

static struct {
    _Atomic uint64_t watchers, given, lost;
} counts;

void local_watchers_count(struct local_watch_counts *ret)
{
    *ret = (struct local_watch_counts){ atomic_load(&counts.watchers),
                                        atomic_load(&counts.given),
                                        atomic_load(&counts.lost) };
}

/* ---- one of them ---- */

static void on_watch_written(uv_write_t *write, int status);

static void state_lost(struct local_watcher *w)
{
    if (w->lost == 0)
        return;
    strbuf_addf(&w->waiting, "lost %" PRIu64 "\n", w->lost);
    if (strbuf_error(&w->waiting) == 0)
        w->lost = 0;
    else
        strbuf_done(&w->waiting);
}

static void watcher_write(struct local_watcher *w)
{
    if (w->is_writing || !w->has_begun || w->has_ended || w->waiting.size == 0)
        return;
    struct strbuf written = w->written;
    w->written = w->waiting;
    w->waiting = written;
    strbuf_clear(&w->waiting);
    uv_buf_t buf = uv_buf_init(w->written.data, (unsigned)w->written.size);
    w->write.data = w;
    w->is_writing = uv_write(&w->write, w->stream, &buf, 1, on_watch_written) == 0;
}

/* The stream's own error comes when it is read. */
static void on_watch_written(uv_write_t *write, int status)
{
    struct local_watcher *w = write->data;
    w->is_writing = false;
    if (status < 0 || w->has_ended)
        return;
    state_lost(w);
    watcher_write(w);
}

static void watcher_lost(struct local_watcher *w)
{
    w->lost++;
    atomic_fetch_add(&counts.lost, 1);
}

/* verb: "event " and such.  While lines are lost none is added: what is lost is between
 * what was before and what comes after "lost". */
static void watcher_line(struct local_watcher *w, const char *verb, struct span line)
{
    size_t size = strlen(verb) + line.size + 1;
    if (!w->is_writing && w->waiting.size == 0)
        state_lost(w); /* memory was out */
    if (w->lost > 0 || w->waiting.size + size > LOCAL_WATCH_BYTES_MAX) {
        watcher_lost(w);
        return;
    }
    strbuf_addf(&w->waiting, "%s" SPAN_FMT "\n", verb, SPAN_ARG(line));
    if (strbuf_error(&w->waiting) < 0) {
        strbuf_done(&w->waiting);
        watcher_lost(w);
        return;
    }
    atomic_fetch_add(&counts.given, 1);
    watcher_write(w);
}

static void watcher_gap(struct local_watcher *w, uint64_t incarnation, uint64_t first,
                        uint64_t last)
{
    char text[80];
    if (first > last)
        return;
    (void)snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRIu64, incarnation,
                   first, last);
    watcher_line(w, "gap ", span_of(text));
}

/* How many there were of an incarnation that is over is not known. */
static void watcher_rest(struct local_watcher *w, const struct local_number *after)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, after->incarnation,
                   after->sequence + 1);
    watcher_line(w, "rest ", span_of(text));
}

static void watcher_position(struct local_watcher *w)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64,
                   w->watchers->seen.incarnation, w->watchers->seen.sequence);
    if (w->watchers->seen.incarnation > 0)
        watcher_line(w, "at ", span_of(text));
}

static bool is_after(const struct local_number *a, const struct local_number *b)
{
    return a->incarnation != b->incarnation ? a->incarnation > b->incarnation
                                            : a->sequence > b->sequence;
}

static void watcher_event(struct local_watcher *w, const struct given_event *event)
{
    if (w->is_of_node && (!event->is_user || event->uid == w->uid))
        watcher_line(w, "event ", (struct span){ event->line, event->size });
}

/* Where it was, and what is stored of what came since.  Until this agent has an event
 * of the session it does not know how far that is. */
static void watcher_resume(struct local_watcher *w)
{
    const struct local_watchers *all = w->watchers;
    struct local_number after = w->after;
    if (!w->is_of_node || after.incarnation == 0 || all->seen.incarnation == 0)
        return;
    w->after = (struct local_number){ 0 };
    if (is_after(&after, &all->seen))
        return; /* one that is not from here */
    if (after.incarnation != all->seen.incarnation) {
        watcher_rest(w, &after);
        after = (struct local_number){ all->seen.incarnation, 0 };
    }
    const struct local_number *floor =
        is_after(&w->floor, &all->floor) ? &w->floor : &all->floor;
    if (is_after(floor, &after)) {
        watcher_gap(w, floor->incarnation, after.sequence + 1, floor->sequence);
        after = *floor;
    }
    for (size_t i = 0; i < all->event_count; i++) {
        const struct given_event *event =
            &all->events[(all->first_event + i) % LOCAL_EVENTS_STORED];
        if (is_after(&event->number, &after))
            watcher_event(w, event);
    }
}

/* A job that is new here is not given what came before it. */
static struct local_number job_floor(struct local_watchers *all, const char *job)
{
    struct known_job *oldest = &all->jobs[0];
    for (size_t i = 0; i < LOCAL_JOBS_KNOWN; i++) {
        struct known_job *known = &all->jobs[i];
        if (known->used > 0 && strcmp(known->job, job) == 0) {
            known->used = ++all->jobs_used;
            return known->floor;
        }
        if (known->used < oldest->used)
            oldest = known;
    }
    *oldest = (struct known_job){ .floor = all->seen, .used = ++all->jobs_used };
    (void)snprintf(oldest->job, sizeof oldest->job, "%s", job);
    return oldest->floor;
}

/* Some are left for users that have none. */
static bool has_slot(const struct local_watchers *all, uid_t uid, const char *job)
{
    size_t of_user = 0, of_job = 0;
    for (const struct local_watcher *w = all->first; w; w = w->next)
        if (w->uid == uid) {
            of_user++;
            of_job += strcmp(w->job, job) == 0;
        }
    size_t most =
        of_user > 0 ? LOCAL_WATCHERS_MAX - LOCAL_WATCHERS_OF_NEW : LOCAL_WATCHERS_MAX;
    return of_job < LOCAL_WATCHERS_OF_USER && all->count < most;
}

const char *local_watchers_add(struct local_watchers *all, uid_t uid, const char *job,
                               const struct local_request *request, uv_stream_t *stream,
                               struct local_watcher **ret)
{
    if (!has_slot(all, uid, job))
        return LOCAL_LATER "8 of a user's programs watch in a job, and 32 of all";
    struct local_watcher *w = calloc(1, sizeof *w);
    if (!w)
        return LOCAL_LATER "memory is out";
    w->watchers = all;
    w->stream = stream;
    w->uid = uid;
    (void)snprintf(w->job, sizeof w->job, "%s", job);
    w->is_of_node = request->kind == LOCAL_WATCH_NODE;
    if (w->is_of_node)
        w->floor = job_floor(all, job);
    w->after = request->after;
    if (!w->is_of_node)
        memcpy(w->session, request->payload.data, sizeof w->session);
    w->next = all->first;
    w->link = &all->first;
    if (w->next)
        w->next->link = &w->next;
    all->first = w;
    all->count++;
    all->of_node += w->is_of_node;
    atomic_fetch_add(&counts.watchers, 1);
    *ret = w;
    return NULL;
}

bool local_watcher_is_of_node(const struct local_watcher *w)
{
    return w->is_of_node;
}

static void watcher_health(struct local_watcher *w)
{
    w->has_health = true;
    watcher_line(w, "health ", strbuf_span(&w->watchers->health));
}

/* A health that is older the next query gives. */
void local_watcher_begin(struct local_watcher *w, int64_t now_ns)
{
    const struct local_watchers *all = w->watchers;
    w->has_begun = true;
    if (w->is_of_node && all->health.size > 0 &&
        now_ns - all->health_ns < HEALTH_FRESH_NS)
        watcher_health(w);
    watcher_resume(w);
    if (w->is_of_node && w->after.incarnation == 0)
        watcher_position(w);
    watcher_write(w);
}

void local_watcher_end(struct local_watcher *w)
{
    if (!w || w->has_ended)
        return;
    w->has_ended = true;
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    w->watchers->count--;
    w->watchers->of_node -= w->is_of_node;
    if (w->watchers->of_node == 0) /* from now on nothing renews it */
        strbuf_clear(&w->watchers->health);
    atomic_fetch_sub(&counts.watchers, 1);
}

void local_watcher_free(struct local_watcher *w)
{
    if (!w)
        return;
    strbuf_done(&w->waiting);
    strbuf_done(&w->written);
    free(w);
}

/* ---- all of them ---- */

int local_watchers_new(struct local_watchers **ret)
{
    struct local_watchers *all = calloc(1, sizeof *all);
    if (!all)
        return -ENOMEM;
    *ret = all;
    return 0;
}

static void first_event_drop(struct local_watchers *all)
{
    struct given_event *event = &all->events[all->first_event];
    all->floor = event->number;
    free(event->line);
    *event = (struct given_event){ 0 };
    all->first_event = (all->first_event + 1) % LOCAL_EVENTS_STORED;
    all->event_count--;
}

void local_watchers_free(struct local_watchers *all)
{
    if (!all)
        return;
    while (all->event_count > 0)
        first_event_drop(all);
    strbuf_done(&all->health);
    free(all);
}

size_t local_watchers_of_node(const struct local_watchers *all)
{
    return all->of_node;
}

/* "17.4711 1669014000123456789 0 kernel.mce PAYLOAD" */
static int event_line(const struct session_event *event, struct strbuf *out)
{
    char payload[LOCAL_PAYLOAD_BYTES_MAX + 1];
    (void)utf8_print_shown(payload, sizeof payload, event->payload);
    strbuf_addf(out, "%" PRIu64 ".%" PRIu64 " %" PRId64 " %u " SPAN_FMT " %s",
                event->incarnation, event->sequence, event->t_ns, (unsigned)event->uid,
                SPAN_ARG(event->name), payload);
    return strbuf_error(out);
}

static void given_event_add(struct local_watchers *all,
                            const struct session_event *event)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (all->event_count == LOCAL_EVENTS_STORED)
        first_event_drop(all);
    char *line = event_line(event, &text) < 0 ? NULL : malloc(text.size);
    if (!line) {
        while (all->event_count > 0)
            first_event_drop(all);
        all->floor = all->seen; /* who comes back later reads of the gap */
        for (struct local_watcher *w = all->first; w; w = w->next)
            if (w->is_of_node)
                watcher_lost(w);
        return;
    }
    memcpy(line, text.data, text.size);
    struct given_event *to =
        &all->events[(all->first_event + all->event_count++) % LOCAL_EVENTS_STORED];
    *to = (struct given_event){ .number = all->seen,
                                .is_user = span_starts(event->name, "user."),
                                .uid = (uid_t)event->uid,
                                .size = text.size,
                                .line = line };
    for (struct local_watcher *w = all->first; w; w = w->next)
        watcher_event(w, to);
}

/* true: the first of its incarnation that this agent has. */
static bool number_advance(struct local_watchers *all, uint64_t incarnation,
                           uint64_t before, uint64_t last)
{
    bool is_first = all->seen.incarnation != incarnation;
    if (is_first) {
        while (all->event_count > 0)
            first_event_drop(all);
        all->floor = (struct local_number){ incarnation, before };
    }
    all->seen = (struct local_number){ incarnation, last };
    return is_first;
}

static void watchers_resume(struct local_watchers *all)
{
    for (struct local_watcher *w = all->first; w; w = w->next)
        watcher_resume(w);
}

void local_watchers_event(struct local_watchers *all, const struct session_event *event,
                          bool is_given)
{
    if (number_advance(all, event->incarnation, event->sequence - 1, event->sequence))
        watchers_resume(all);
    if (is_given)
        given_event_add(all, event);
}

void local_watchers_gap(struct local_watchers *all, const struct session_gap *gap)
{
    bool is_first = number_advance(all, gap->incarnation, gap->last, gap->last);
    while (all->event_count > 0)
        first_event_drop(all);
    all->floor = (struct local_number){ gap->incarnation, gap->last };
    for (struct local_watcher *w = all->first; w; w = w->next)
        if (w->is_of_node && w->after.incarnation == 0)
            watcher_gap(w, gap->incarnation, gap->first, gap->last);
    if (is_first)
        watchers_resume(all); /* the others */
}

void local_watchers_position(struct local_watchers *all)
{
    for (struct local_watcher *w = all->first; w; w = w->next)
        if (w->is_of_node && w->after.incarnation == 0)
            watcher_position(w);
}

void local_watchers_health(struct local_watchers *all, struct span line, int64_t now_ns)
{
    if (line.size > LINE_BYTES_MAX)
        return;
    bool is_another = !span_eq(line, strbuf_span(&all->health));
    if (is_another) {
        strbuf_clear(&all->health);
        strbuf_add_span(&all->health, line);
    }
    if (strbuf_error(&all->health) < 0) {
        strbuf_done(&all->health);
        return;
    }
    all->health_ns = now_ns;
    for (struct local_watcher *w = all->first; w; w = w->next)
        if (w->is_of_node && (is_another || !w->has_health))
            watcher_health(w);
}

void local_watchers_report(struct local_watchers *all, uid_t uid, struct span parent,
                           struct span line)
{
    for (struct local_watcher *w = all->first; w; w = w->next)
        if (!w->is_of_node && w->uid == uid &&
            span_eq(parent, (struct span){ w->session, sizeof w->session }))
            watcher_line(w, "session ", line);
}
