/* SPDX-License-Identifier: Apache-2.0 */
/* running_hosts - the hosts of running jobs, by the records that batch systems sent. */
#include "daemon/jobs/running_hosts.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hashmap.h"
#include "base/log.h"
#include "base/number.h"
#include "daemon/jobs/footprint_worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_S 60
#define UNKNOWN_LONGEST_NS \
    (600 * NS_PER_S) /* then a database that is away is no reason */

struct running_hosts {
    pthread_mutex_t
        lock; /* of all but the reader; the store holds a shard's around it */
    pthread_cond_t wake;
    struct hashmap hosts;
    bool is_known;    /* they were found at least once */
    int64_t begin_ns; /* monotonic */
    bool is_woken, is_stopping, is_started;
    pthread_t thread;
    struct records *records;
    struct records_reader *reader;
    int64_t footprints_ns; /* below 0: none are made */
};

/* ---- which hosts ---- */

bool run_is_going_on(const struct job *run, int64_t now_ns)
{
    int64_t longest_ns = RUNNING_LONGEST_NS;
    if (run->start_ns == JOB_TIME_NONE || run->end_ns != JOB_TIME_NONE)
        return false;
    if (job_resource_known(&run->resources, JOB_TIME_LIMIT_S) &&
        run->resources.value[JOB_TIME_LIMIT_S] < RUNNING_LONGEST_NS / NS_PER_S)
        longest_ns = run->resources.value[JOB_TIME_LIMIT_S] * NS_PER_S;
    return now_ns < run->start_ns + longest_ns + RUNNING_OVERDUE_NS;
}

struct collecting {
    struct hashmap hosts;
    int64_t now_ns;
};

static int hosts_add(struct collecting *c, const struct job *run)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (run->cluster.size == 0 || job_nodes(run, &set, NULL) < 0)
        return 0;
    for (size_t i = 0; i < hostset_count(set); i++) {
        const char *name = hostset_at(set, i);
        const struct component host = { .cluster = run->cluster,
                                        .host = { name, strlen(name) } };
        strbuf_clear(&path);
        component_print(&path, &host);
        if (strbuf_error(&path) < 0 ||
            !hashmap_put(&c->hosts, strbuf_span(&path), NULL))
            return -ENOMEM;
    }
    return 0;
}

static int run_collect(void *arg, const struct job *run)
{
    struct collecting *c = arg;
    return run_is_going_on(run, c->now_ns) ? hosts_add(c, run) : 0;
}

/* It ended, and its samples are still to be read. */
static int ended_collect(void *arg, const struct job *run)
{
    return hosts_add(arg, run);
}

static int stop_watch(void *arg)
{
    struct running_hosts *r = arg;
    LOCKED(&r->lock);
    return r->is_stopping ? -ECANCELED : 0;
}

static int hosts_collect(struct running_hosts *r, struct collecting *c, struct err *err)
{
    const struct job_filter filter = { .from_ns = c->now_ns, .to_ns = JOB_TIME_NONE };
    bool has_more = false;
    if (!r->reader) {
        int rc = records_reader_open(r->records, &r->reader, err);
        if (rc < 0)
            return rc;
        records_reader_watch(r->reader, stop_watch, r);
    }
    int rc = records_find_jobs(r->reader, &filter, run_collect, c, &has_more, err);
    if (rc == 0 && r->footprints_ns >= 0)
        rc = records_find_jobs_without_metrics(
            r->reader, footprint_oldest_ns(r->footprints_ns, c->now_ns), c->now_ns, 0,
            ended_collect, c, err);
    if (rc < 0) {
        records_reader_close(r->reader);
        r->reader = NULL;
    }
    return rc;
}

/* Where the database is away, what was found before stays. */
static void hosts_find(struct running_hosts *r)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    AUTO(hashmap_done) struct hashmap before = HASHMAP_INIT;
    struct collecting c = { .hosts = HASHMAP_INIT, .now_ns = clock_now_ns() };
    struct err err = { 0 };
    if (!records_is_connected(r->records))
        return;
    int rc = hosts_collect(r, &c, &err);
    if (rc < 0) {
        hashmap_done(&c.hosts);
        if (rc != -ECANCELED)
            log_limited(&limit, LOG_LEVEL_WARN,
                        "hosts of running jobs: %s; tried again later",
                        err.text[0] ? err.text : strerror(-rc));
        return;
    }
    LOCKED(&r->lock);
    before = r->hosts;
    r->hosts = c.hosts;
    r->is_known = true;
}

/* ---- the thread ---- */

/* false: it is time to stop. */
static bool pause_until_next(struct running_hosts *r)
{
    int64_t end_ns = clock_monotonic_ns() + EVERY_S * NS_PER_S;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&r->lock);
    while (!r->is_stopping && !r->is_woken)
        if (pthread_cond_timedwait(&r->wake, &r->lock, &until) == ETIMEDOUT)
            break;
    r->is_woken = false;
    return !r->is_stopping;
}

static void *hosts_follow(void *arg)
{
    struct running_hosts *r = arg;
    do
        hosts_find(r);
    while (pause_until_next(r));
    return NULL;
}

/* ---- the door ---- */

int running_hosts_new(struct running_hosts **ret)
{
    pthread_condattr_t attr;
    struct running_hosts *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->hosts = (struct hashmap)HASHMAP_INIT;
    r->begin_ns = clock_monotonic_ns();
    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&r->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    *ret = r;
    return 0;
}

int running_hosts_start(struct running_hosts *running, struct records *records,
                        int64_t footprints_ns, struct err *err)
{
    running->records = records;
    running->footprints_ns = footprints_ns;
    int rc = pthread_create(&running->thread, NULL, hosts_follow, running);
    if (rc != 0)
        return err_set(err, EAGAIN, "hosts of running jobs: no thread: %s",
                       strerror(rc));
    running->is_started = true;
    return 0;
}

void running_hosts_stop(struct running_hosts *running)
{
    if (!running || !running->is_started)
        return;
    {
        LOCKED(&running->lock);
        running->is_stopping = true;
        (void)pthread_cond_signal(&running->wake);
    }
    (void)pthread_join(running->thread, NULL);
    records_reader_close(running->reader);
    running->reader = NULL;
    running->is_started = false;
}

void running_hosts_free(struct running_hosts *running)
{
    if (!running)
        return;
    running_hosts_stop(running);
    hashmap_done(&running->hosts);
    (void)pthread_cond_destroy(&running->wake);
    (void)pthread_mutex_destroy(&running->lock);
    free(running);
}

bool running_hosts_has(void *running, struct span host)
{
    struct running_hosts *r = running;
    LOCKED(&r->lock);
    if (!r->is_known)
        return clock_monotonic_ns() - r->begin_ns < UNKNOWN_LONGEST_NS;
    return r->hosts.count > 0 && hashmap_get(&r->hosts, host);
}

void running_hosts_wake(struct running_hosts *running)
{
    if (!running)
        return;
    LOCKED(&running->lock);
    running->is_woken = true;
    (void)pthread_cond_signal(&running->wake);
}
