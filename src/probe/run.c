/* SPDX-License-Identifier: Apache-2.0 */
/* run - one probe, done: a phase of writing, a phase of reading, each measured. */
#include "probe/run.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "probe/darshan_log.h"
#include "probe/pattern.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define PAUSE_LOOK_NS 10000000

struct order {
    const struct run_opts *opts;
    enum shape_phase phase;
};

/* The file that a process's data is in. */
static uint64_t file_of(const struct shape *shape, unsigned rank)
{
    return shape->is_shared ? 0 : rank;
}

static int path_of(const struct run_opts *opts, uint64_t file, char path[RUN_PATH_MAX])
{
    int n = snprintf(path, RUN_PATH_MAX, "%s/%s.%06llu", opts->dir, opts->shape->name,
                     (unsigned long long)file);
    return n > 0 && n < RUN_PATH_MAX ? 0 : -ENAMETOOLONG;
}

static void fail(struct run_rank *r, int rc, const struct err *err)
{
    if (r->error)
        return;
    r->error = rc;
    (void)snprintf(r->text, sizeof r->text, "%s",
                   err->text[0] ? err->text : strerror(-rc));
}

/* ---- in one process ---- */

struct hands {
    const struct run_opts *opts;
    struct interface_file *file;
    struct run_rank *r;
    void *buffer;
    uint64_t file_number, key;
};

static int put_piece(struct hands *h, const struct transfer *t, struct err *err)
{
    pattern_fill(h->key, t->offset, h->buffer, t->size);
    int64_t began = clock_monotonic_ns();
    int rc = h->opts->interface->write(h->file, t, h->buffer, err);
    h->r->transfer_ns += clock_monotonic_ns() - began;
    return rc;
}

static int get_piece(struct hands *h, const struct transfer *t, struct err *err)
{
    int64_t began = clock_monotonic_ns();
    int rc = h->opts->interface->read(h->file, t, h->buffer, err);
    h->r->transfer_ns += clock_monotonic_ns() - began;
    if (rc < 0)
        return rc;
    size_t bad = pattern_check(h->key, t->offset, h->buffer, t->size);
    if (bad == PATTERN_SAME)
        return 0;
    if (h->r->bad_transfers++ == 0) {
        h->r->first_bad_offset = t->offset + bad;
        h->r->first_bad_file = h->file_number;
    }
    return 0; /* the rest is looked at too: how much is bad is worth knowing */
}

static int move_all(struct hands *h, struct shape_walk *walk, struct err *err)
{
    struct transfer t;
    while (shape_next(walk, &t)) {
        int rc =
            walk->phase == SHAPE_WRITE ? put_piece(h, &t, err) : get_piece(h, &t, err);
        if (rc < 0)
            return rc;
        h->r->bytes += t.size;
        h->r->transfers++;
    }
    return 0;
}

static int sync_one(struct hands *h, struct err *err)
{
    int64_t began = clock_monotonic_ns();
    int rc = h->opts->interface->sync(h->file, err);
    h->r->sync_ns = clock_monotonic_ns() - began;
    return rc;
}

static int close_one(struct hands *h, struct err *err)
{
    int64_t began = clock_monotonic_ns();
    int rc = h->opts->interface->close(h->file, err);
    h->r->close_ns = clock_monotonic_ns() - began;
    return rc;
}

static int open_one(struct hands *h, const struct order *order, unsigned ranks,
                    struct err *err)
{
    char path[RUN_PATH_MAX];
    int rc = path_of(h->opts, h->file_number, path);
    if (rc < 0)
        return err_set(err, ENAMETOOLONG, "'%s': the path is too long", h->opts->dir);
    struct interface_open how = { .path = path,
                                  .shape = h->opts->shape,
                                  .phase = order->phase,
                                  .ranks = ranks,
                                  .items = h->opts->items };
    int64_t began = clock_monotonic_ns();
    rc = h->opts->interface->open(&how, &h->file, err);
    h->r->open_ns = clock_monotonic_ns() - began;
    h->r->opens = rc == 0;
    return rc;
}

/* A log that cannot be named is one that is not there. */
static void log_begin(const struct run_opts *opts, enum shape_phase phase,
                      unsigned rank)
{
    char path[RUN_PATH_MAX];
    if (opts->log_stem && darshan_log_path(path, opts->log_stem, phase, rank) == 0)
        (void)darshan_log_set(path);
}

/* A process that cannot open its file still comes to the barriers: others wait there.
 */
static void do_phase(const struct worker *me, void *arg, void *result)
{
    const struct order *order = arg;
    const struct run_opts *opts = order->opts;
    struct run_rank *r = result;
    struct err err = { 0 };
    unsigned whose =
        order->phase == SHAPE_WRITE ? me->rank : (me->rank + 1) % me->count;
    AUTO_FREE void *buffer = malloc(opts->shape->transfer_bytes);
    r->pid = getpid();
    log_begin(opts, order->phase, me->rank);
    (void)gethostname(r->host, sizeof r->host - 1);
    struct hands h = { .opts = opts, .r = r, .buffer = buffer };
    h.file_number = file_of(opts->shape, whose);
    h.key = pattern_key(opts->key, h.file_number);
    struct shape_walk walk = { .shape = opts->shape,
                               .phase = order->phase,
                               .rank = whose,
                               .ranks = me->count,
                               .items = opts->items };
    int rc = buffer ? open_one(&h, order, me->count, &err) : -ENOMEM;
    if (rc < 0)
        fail(r, rc, &err);
    if (workers_barrier(me) < 0)
        return;
    r->first_ns = clock_monotonic_ns();
    if (r->error == 0 && (rc = move_all(&h, &walk, &err)) < 0)
        fail(r, rc, &err);
    /* After a failure too: with MPI these are the business of all at once. */
    if (h.file && order->phase == SHAPE_WRITE && (rc = sync_one(&h, &err)) < 0)
        fail(r, rc, &err);
    if (h.file && (rc = close_one(&h, &err)) < 0)
        fail(r, rc, &err);
    r->last_ns = clock_monotonic_ns();
    (void)workers_barrier(me);
}

/* ---- at the leader ---- */

static int64_t calls_ns(const struct run_rank *r)
{
    return r->open_ns + r->transfer_ns + r->sync_ns + r->close_ns;
}

static int sum_up(struct run_phase *p, const struct shape *shape, struct err *err)
{
    int rc = 0;
    int64_t first = INT64_MAX, last = 0;
    for (unsigned i = 0; i < p->count; i++) {
        const struct run_rank *r = &p->ranks[i];
        p->bytes += r->bytes;
        p->transfers += r->transfers;
        p->opens += r->opens;
        p->bad_transfers += r->bad_transfers;
        if (calls_ns(r) > p->slowest_ns)
            p->slowest_ns = calls_ns(r);
        if (r->last_ns && r->first_ns < first)
            first = r->first_ns;
        if (r->last_ns > last)
            last = r->last_ns;
        if (r->error && rc == 0)
            rc = err_set(err, -r->error, "process %u: %s", i, r->text);
        if (r->bad_transfers && rc == 0)
            rc = err_set(err, EBADMSG,
                         "process %u read from file %llu what was not written there, "
                         "first at byte %llu",
                         i, (unsigned long long)r->first_bad_file,
                         (unsigned long long)r->first_bad_offset);
    }
    p->files = shape->is_shared ? 1 : p->count;
    p->wall_ns = last > first ? last - first : 0;
    p->is_done = rc == 0;
    return rc;
}

static int run_phase(const struct run_opts *opts, struct workers *workers,
                     enum shape_phase phase, struct run_phase *p, struct err *err)
{
    p->phase = phase;
    p->count = workers_count(workers);
    p->ranks = calloc(p->count, sizeof *p->ranks);
    if (!p->ranks)
        return -ENOMEM;
    p->start_ns = clock_now_ns();
    struct order order = { opts, phase };
    struct err own = { 0 };
    int rc = workers_run(workers, do_phase, &order, opts->deadline_ns, p->ranks,
                         sizeof *p->ranks, &own);
    int met = workers_is_leader(workers) ? sum_up(p, opts->shape, err) : 0;
    if (rc < 0 && met == 0) {
        p->is_done = false;
        return err_set(err, -rc, "%s", own.text[0] ? own.text : strerror(-rc));
    }
    return met;
}

static void remove_files(const struct run_opts *opts, unsigned count)
{
    char path[RUN_PATH_MAX];
    for (unsigned i = 0; i < (opts->shape->is_shared ? 1 : count); i++)
        if (path_of(opts, i, path) == 0)
            (void)unlink(path);
}

static int wait_between(const struct run_opts *opts, struct err *err)
{
    int64_t until_ns = clock_monotonic_ns() + opts->pause_ns;
    while (clock_monotonic_ns() < until_ns) {
        if (opts->stop && *opts->stop)
            return err_set(err, ECANCELED, "stopped");
        if (opts->deadline_ns && clock_monotonic_ns() > opts->deadline_ns)
            return err_set(err, ETIME, "the time that was given is over");
        (void)nanosleep(&(struct timespec){ 0, PAUSE_LOOK_NS }, NULL);
    }
    return 0;
}

int run_probe(const struct run_opts *opts, struct workers *workers,
              struct run_result *ret, struct err *err)
{
    int rc = 0;
    for (int phase = SHAPE_WRITE; phase <= SHAPE_READ && rc == 0; phase++) {
        if (phase == SHAPE_READ && workers_is_leader(workers))
            rc = wait_between(opts, err);
        workers_share(workers, &rc, sizeof rc);
        if (rc == 0)
            rc = run_phase(opts, workers, phase, &ret->phases[phase], err);
        workers_share(workers, &rc, sizeof rc); /* all go on, or none */
    }
    if (workers_is_leader(workers))
        remove_files(opts, workers_count(workers));
    return rc;
}

void run_result_done(struct run_result *result)
{
    for (size_t i = 0; i < COUNT_OF(result->phases); i++)
        free(result->phases[i].ranks);
    *result = (struct run_result){ 0 };
}
