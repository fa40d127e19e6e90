/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - the thread of the daemon that makes hourly roll-ups. */
#include "daemon/rollup/rollup.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "daemon/rollup/rollup_schedule.h"
#include "query/query.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

#define CELLS_A_PUT 500
#define NICENESS 10

/* Cells of one hour on their way. */
struct making_hour {
    int64_t hour_ms, ticket;
    bool is_stale;
    struct rollup_cell cells[CELLS_A_PUT];
    char servers[CELLS_A_PUT][256];
    size_t count;
};

struct rollup_worker {
    struct rollup_worker_opts opts;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_bool stopping;
    struct records_roller *roller;
    struct records_reader *reader;
    enum target_kind kind; /* being made */
    struct making_hour *hours;
    size_t hour_count;
    struct err err; /* of a put inside of a reading */
    _Atomic uint64_t made, cells, stale, errors, dropped, backlog, busy_ms;
};

/* ---- waiting ---- */

/* True: it is time to stop. */
static bool rest(struct rollup_worker *w, int64_t ms)
{
    int64_t end_ns = clock_monotonic_ns() + ms * NS_PER_MS;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&w->mutex);
    while (!w->stopping)
        if (pthread_cond_timedwait(&w->wake, &w->mutex, &until) == ETIMEDOUT)
            break;
    return w->stopping;
}

/* ---- cells ---- */

static int hour_put(struct rollup_worker *w, struct making_hour *hour)
{
    if (hour->count == 0 || hour->is_stale) {
        hour->count = 0;
        return 0;
    }
    int64_t begin_ns = clock_monotonic_ns();
    int rc = records_roller_put(w->roller, w->kind, hour->hour_ms, hour->ticket,
                                hour->cells, hour->count, &w->err);
    if (rc == 0)
        w->cells += hour->count;
    hour->count = 0;
    if (rc == -ESTALE) {
        hour->is_stale = true;
        rc = 0;
    }
    int64_t took_ms = (clock_monotonic_ns() - begin_ns) / NS_PER_MS + 1;
    return rest(w, took_ms) ? -ECANCELED : rc;
}

static int on_cell(void *arg, const struct rollup_cell *cell)
{
    struct rollup_worker *w = arg;
    if (w->stopping)
        return -ECANCELED;
    size_t at = (size_t)((cell->hour_ms - w->hours[0].hour_ms) / ROLLUP_HOUR_MS);
    struct making_hour *hour = &w->hours[at];
    size_t i = hour->count;
    size_t size = cell->server.size < sizeof hour->servers[i] ? cell->server.size
                                                              : sizeof hour->servers[i];
    hour->cells[i] = *cell;
    if (size)
        memcpy(hour->servers[i], cell->server.data, size);
    hour->cells[i].server = (struct span){ hour->servers[i], size };
    return ++hour->count == CELLS_A_PUT ? hour_put(w, hour) : 0;
}

static int hours_begin(struct rollup_worker *w, int64_t from_ms, size_t count,
                       struct err *err)
{
    w->hour_count = count;
    for (size_t i = 0; i < count; i++) {
        struct making_hour *hour = &w->hours[i];
        hour->hour_ms = from_ms + (int64_t)i * ROLLUP_HOUR_MS;
        hour->count = 0;
        hour->is_stale = false;
        int rc =
            records_roller_begin(w->roller, w->kind, hour->hour_ms, &hour->ticket, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int hours_end(struct rollup_worker *w, struct err *err)
{
    for (size_t i = 0; i < w->hour_count; i++) {
        struct making_hour *hour = &w->hours[i];
        int rc = hour_put(w, hour);
        if (rc == 0 && !hour->is_stale)
            rc = records_roller_end(w->roller, w->kind, hour->hour_ms, hour->ticket,
                                    err);
        if (rc < 0 && rc != -ESTALE)
            return rc;
        if (rc == -ESTALE || hour->is_stale)
            w->stale++;
        else
            w->made++;
    }
    w->busy_ms = (uint64_t)(clock_cpu_ns() / NS_PER_MS);
    return 0;
}

/* -ECANCELED: it is time to stop. */
static int hours_make(struct rollup_worker *w, int64_t from_ms, size_t count,
                      struct err *err)
{
    struct history history;
    struct history_readers readers = { .rows = w->reader };
    history_of_records(&readers, &history);
    int rc = hours_begin(w, from_ms, count, err);
    if (rc == 0)
        rc = rollup_make(&history, w->kind, from_ms,
                         from_ms + (int64_t)count * ROLLUP_HOUR_MS, on_cell, w, err);
    return rc < 0 ? rc : hours_end(w, err);
}

/* ---- which hours ---- */

struct states {
    int64_t from_ms;
    size_t count;
    bool *clean;
};

static int on_state(void *arg, int64_t hour_ms, bool is_clean, int64_t changes)
{
    struct states *states = arg;
    (void)changes;
    states->clean[(hour_ms - states->from_ms) / ROLLUP_HOUR_MS] = is_clean;
    return 0;
}

/* All hours of w->kind that are over and not clean, the newest first.  1: hours were
 * given up, look again at once; 0: all is done. */
static int kind_make(struct rollup_worker *w, const struct records_extent *extent,
                     int64_t now_ms, struct err *err)
{
    int64_t from_ms, to_ms;
    if (!rollup_schedule_range(extent, now_ms, w->opts.retention_ms, &from_ms, &to_ms))
        return 0;
    struct states states = { .from_ms = from_ms,
                             .count = (size_t)((to_ms - from_ms) / ROLLUP_HOUR_MS) };
    AUTO_FREE bool *clean = states.clean = calloc(states.count, sizeof *clean);
    if (!clean)
        return -ENOMEM;
    int rc =
        records_read_hours(w->reader, w->kind, from_ms, to_ms, on_state, &states, err);
    size_t left = 0;
    for (size_t i = 0; i < states.count; i++)
        left += !clean[i];
    w->backlog += left;
    struct rollup_run run = { .begin = states.count };
    while (rc == 0 && rollup_schedule_next(clean, &run)) {
        size_t count = run.end - run.begin;
        rc = hours_make(w, from_ms + (int64_t)run.begin * ROLLUP_HOUR_MS, count, err);
        w->backlog -= count;
    }
    return rc;
}

static int old_drop(struct rollup_worker *w, enum target_kind kind, int64_t oldest_ms,
                    struct err *err)
{
    bool dropped = true;
    int rc = 0;
    while (dropped && rc == 0 && !w->stopping) {
        rc = records_roller_drop(w->roller, kind, oldest_ms, &dropped, err);
        w->dropped += dropped;
    }
    return rc;
}

/* A database may sort for seconds before it gives the first row. */
static int on_watch(void *arg)
{
    const struct rollup_worker *w = arg;
    return w->stopping ? -ECANCELED : 0;
}

static int connect_both(struct rollup_worker *w, struct err *err)
{
    int rc = 0;
    if (!w->roller)
        rc = records_roller_open(w->opts.records, &w->roller, err);
    if (rc == 0 && !w->reader)
        rc = records_reader_open(w->opts.records, &w->reader, err);
    if (rc == 0)
        records_reader_watch(w->reader, on_watch, w);
    return rc;
}

static int look(struct rollup_worker *w, struct err *err)
{
    struct records_extent extent = { .first_ms = T_NONE };
    int64_t now_ms = clock_now_ms();
    if (!records_is_connected(w->opts.records))
        return 0; /* barod waits for it, and has said so */
    int rc = connect_both(w, err);
    if (rc == 0)
        rc = records_extent(w->reader, &extent, err);
    if (rc < 0 || extent.first_ms == T_NONE)
        return rc;
    /* Where even the newest row is older than that, the clock is to be doubted: as for
     * rows (records_maintain) nothing is dropped. */
    int64_t oldest_ms = now_ms - w->opts.retention_ms;
    w->backlog = 0;
    for (enum target_kind kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++) {
        w->kind = kind;
        rc = kind_make(w, &extent, now_ms, err);
        if (rc == 0 && extent.last_ms >= oldest_ms)
            rc = old_drop(w, kind, oldest_ms, err);
    }
    return rc;
}

static void report_failure(struct rollup_worker *w, int rc, const struct err *err)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    const char *reason = *err->text     ? err->text
                         : *w->err.text ? w->err.text
                                        : strerror(-rc);
    if (rc == -ECANCELED)
        return;
    w->errors++;
    log_limited(&limit, LOG_LEVEL_WARN, "roll-ups: %s; tried again later", reason);
}

static void *work(void *arg)
{
    struct rollup_worker *w = arg;
    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* of this thread only, on Linux */
    do {
        struct err err = { 0 };
        w->err = err;
        int rc = look(w, &err);
        w->busy_ms = (uint64_t)(clock_cpu_ns() / NS_PER_MS);
        if (rc < 0)
            report_failure(w, rc, &err);
    } while (!rest(w, w->opts.every_ms));
    return NULL;
}

/* ---- start and stop ---- */

int rollup_worker_start(const struct rollup_worker_opts *opts,
                        struct rollup_worker **ret, struct err *err)
{
    pthread_condattr_t attr;
    struct rollup_worker *w = calloc(1, sizeof *w);
    if (w)
        w->hours = calloc(ROLLUP_HOURS_AT_ONCE, sizeof *w->hours);
    if (!w || !w->hours) {
        free(w);
        return -ENOMEM;
    }
    w->opts = *opts;
    (void)pthread_mutex_init(&w->mutex, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&w->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    int rc = pthread_create(&w->thread, NULL, work, w);
    if (rc != 0) {
        free(w->hours);
        free(w);
        return err_set(err, EAGAIN, "roll-ups: no thread: %s", strerror(rc));
    }
    *ret = w;
    return 0;
}

void rollup_worker_free(struct rollup_worker *w)
{
    if (!w)
        return;
    {
        LOCKED(&w->mutex);
        w->stopping = true;
        (void)pthread_cond_signal(&w->wake);
    }
    (void)pthread_join(w->thread, NULL);
    records_reader_close(w->reader);
    records_roller_close(w->roller);
    (void)pthread_cond_destroy(&w->wake);
    (void)pthread_mutex_destroy(&w->mutex);
    free(w->hours);
    free(w);
}

void rollup_worker_stats(const struct rollup_worker *w, struct rollup_worker_stats *ret)
{
    *ret = (struct rollup_worker_stats){ 0 };
    if (!w)
        return;
    *ret = (struct rollup_worker_stats){ .hours = w->made,
                                         .cells = w->cells,
                                         .stale = w->stale,
                                         .errors = w->errors,
                                         .dropped = w->dropped,
                                         .backlog = w->backlog,
                                         .busy_ms = w->busy_ms };
}
