/* SPDX-License-Identifier: Apache-2.0 */
/* io_time - how many seconds of a run went into I/O, and what each kind of it cost. */
#include "analysis/job/io_time.h"

#include "analysis/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1e12 /* a log may say anything */
#define MIXED_MIN 0.95   /* a file with so many accesses of a kind has no others */
/* Times that add up to so much more than the run are of several threads, not of clocks.
 */
#define THREADS_MIN 1.02
#define CLOCK_S 1.0
#define SLOWEST_MIN 0.9

void io_time_done(struct io_time *t)
{
    hashmap_done(&t->map);
    free(t->own);
    *t = (struct io_time){ 0 };
}

static double sane(double seconds)
{
    return seconds > 0 ? fmin(seconds, SECONDS_MAX) : 0;
}

static int grow(struct io_time *t)
{
    size_t capacity = t->capacity ? t->capacity * 2 : 64;
    struct process_time *own = realloc(t->own, capacity * sizeof *own);
    if (!own)
        return -ENOMEM;
    t->own = own;
    t->capacity = capacity;
    return 0;
}

/* *ret NULL: more processes than are distinguished. */
static int process_of(struct io_time *t, int64_t rank, struct process_time **ret)
{
    struct span key = { (const char *)&rank, sizeof rank };
    uintptr_t *at = hashmap_get(&t->map, key);
    *ret = NULL;
    if (!at && t->count == IO_TIME_PROCESSES_MAX)
        return 0;
    if (!at) {
        if (t->count == t->capacity && grow(t) < 0)
            return -ENOMEM;
        at = hashmap_put(&t->map, key, NULL);
        if (!at)
            return -ENOMEM;
        t->own[t->count] = (struct process_time){ .rank = rank };
        *at = ++t->count;
    }
    *ret = &t->own[*at - 1];
    return 0;
}

static void time_add(struct process_time *to, const struct io_record *r, double io_s,
                     double meta_s, double move_s)
{
    to->io_s += io_s;
    to->meta_s += meta_s;
    for (int kind = 0; kind < ACCESS_KINDS; kind++)
        if (r->shares[kind] > 0)
            to->kind_s[kind] += move_s;
}

int io_time_add(struct io_time *t, const struct io_record *r, uint32_t *ret_process)
{
    double move_s = sane(r->move_s);
    double meta_s = sane(r->meta_s);
    double io_s = move_s + meta_s;
    struct process_time *own = NULL;
    int rc = r->rank >= 0 ? process_of(t, r->rank, &own) : 0;
    if (rc < 0)
        return rc;
    t->total_s += io_s;
    t->total_bytes += fmax(0, r->bytes);
    t->meta_s += meta_s;
    for (int kind = 0; kind < ACCESS_KINDS; kind++)
        t->is_mixed[kind] |= r->shares[kind] > 0 && r->shares[kind] < MIXED_MIN;
    *ret_process = own ? (uint32_t)(own - t->own) : UINT32_MAX;
    if (own) {
        time_add(own, r, io_s, meta_s, move_s);
        own->bytes += fmax(0, r->bytes);
        return 0;
    }
    double slowest = sane(r->slowest_s);
    rc = slowest > 0 && r->slowest_rank >= 0 ? process_of(t, r->slowest_rank, &own) : 0;
    if (rc < 0)
        return rc;
    slowest = slowest > 0 ? fmin(slowest, io_s) : io_s;
    if (own) {
        own->shared_s += slowest;
        own->bytes += fmax(0, r->slowest_bytes);
        own->shared_meta_s += fmax(0, slowest - move_s);
    }
    time_add(&t->sum, r, io_s, meta_s, move_s);
    time_add(&t->slowest, r, slowest, fmin(slowest, meta_s), fmin(slowest, move_s));
    return 0;
}

/* ---- costs ---- */

/* Nothing takes longer than the run; what the processes' sums say beyond it is of
 * threads, and then the least is not known either. */
static struct cost bounded(struct cost cost, bool is_threaded, double run_s)
{
    if (!cost_is_known(&cost) || !(run_s > 0))
        return cost;
    if (is_threaded)
        return cost_between(0, fmin(cost.high_s, run_s), COST_THREADS);
    return cost_between(fmin(cost.low_s, run_s), fmin(cost.high_s, run_s), cost.reason);
}

static double io_of(const void *time)
{
    return ((const struct process_time *)time)->io_s;
}

/* What it surely spent: also in shared files, where it was the slowest. */
static double least_of(const void *time)
{
    const struct process_time *p = time;
    return p->io_s + p->shared_s;
}

/* What of it surely was metadata. */
static double least_meta_of(const struct process_time *p)
{
    return p->meta_s + p->shared_meta_s;
}

static double meta_of(const void *time)
{
    return ((const struct process_time *)time)->meta_s;
}

/* Of whom it is known that it spent the most, where that is all but all of it. */
static int64_t slowest_of(const struct io_time *t, const struct cost *io)
{
    const struct process_time *slowest = NULL;
    for (size_t i = 0; i < t->count; i++)
        if (!slowest || least_of(&t->own[i]) > least_of(slowest))
            slowest = &t->own[i];
    bool is_known = slowest && least_of(slowest) > 0 &&
                    least_of(slowest) >= io->high_s * SLOWEST_MIN;
    return is_known ? slowest->rank : -1;
}

static double most_of(const struct io_time *t, double (*value)(const void *))
{
    double most = 0;
    for (size_t i = 0; i < t->count; i++)
        most = fmax(most, value(&t->own[i]));
    return most;
}

/* The slowest process, had it spent so much of its metadata only. */
static double without_meta(const struct io_time *t, double needed)
{
    double most = 0;
    for (size_t i = 0; i < t->count; i++)
        most = fmax(most, t->own[i].io_s - t->own[i].meta_s * (1 - needed));
    return most;
}

/* The most that the slowest process can have had left, without metadata that it surely
 * had: a process of which nothing is known may have been as slow in every shared file.
 */
static double without_known_meta(const struct io_time *t, double needed)
{
    double shared = t->slowest.io_s;
    double most = shared;
    for (size_t i = 0; i < t->count; i++)
        most = fmax(most,
                    t->own[i].io_s + shared - least_meta_of(&t->own[i]) * (1 - needed));
    return most;
}

/* Of the process that was the slowest, where that is known. */
static double slowest_meta_of(const struct io_time *t, int64_t rank)
{
    for (size_t i = 0; rank >= 0 && i < t->count; i++)
        if (t->own[i].rank == rank && least_of(&t->own[i]) > 0)
            return fmin(1, least_meta_of(&t->own[i]) / least_of(&t->own[i]));
    return NAN;
}

/* What the slowest process moved, against all of them on average. */
static double slowest_bytes_of(const struct io_time *t, int64_t rank, double processes)
{
    for (size_t i = 0; rank >= 0 && t->total_bytes > 0 && i < t->count; i++)
        if (t->own[i].rank == rank)
            return t->own[i].bytes * processes / t->total_bytes;
    return NAN;
}

/* Of all processes, those without files of their own counted as 0. */
static int median_find(const struct io_time *t, size_t processes, double *ret)
{
    AUTO_FREE double *sorted = calloc(t->count + 1, sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++)
        sorted[i] = t->own[i].io_s;
    size_t count = numbers_sort(sorted, t->count);
    size_t idle = processes - count;
    *ret = processes / 2 < idle ? 0 : sorted[processes / 2 - idle];
    return 0;
}

/* The slowest of those that are not slow themselves: as imbalance is reported. */
static double usual_of(const struct io_time *t, double mean)
{
    double most = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->own[i].io_s <= mean * IO_TIME_SLOW_MIN)
            most = fmax(most, t->own[i].io_s);
    return most;
}

static struct cost access_cost(const struct io_time *t, enum access_kind kind)
{
    double most = 0;
    for (size_t i = 0; i < t->count; i++)
        most = fmax(most, t->own[i].kind_s[kind]);
    return cost_between(0, most + t->slowest.kind_s[kind],
                        t->is_mixed[kind] ? COST_MIXED : COST_OTHERWISE);
}

int io_time_costs(const struct io_time *t, const struct io_run *run,
                  struct io_costs *ret)
{
    double processes = run->processes;
    double run_s = run->run_s;
    double median = 0;
    size_t n =
        processes >= (double)t->count && processes < 1e9 ? (size_t)processes : t->count;
    if (median_find(t, n > 0 ? n : 1, &median) < 0)
        return -ENOMEM;
    bool is_shared = t->sum.io_s > 0;
    double own = most_of(t, io_of);
    double mean = t->total_s / (double)(n > 0 ? n : 1);
    struct io_costs c = {
        .io = cost_between(fmax(most_of(t, least_of), mean), own + t->slowest.io_s,
                           COST_SHARED),
    };
    c.slowest_rank = slowest_of(t, &c.io);
    c.slowest_meta = slowest_meta_of(t, c.slowest_rank);
    c.slowest_bytes = slowest_bytes_of(t, c.slowest_rank, (double)(n > 0 ? n : 1));
    c.mean_s = mean;
    c.balance = mean > 0 ? c.io.low_s / mean : NAN;
    bool is_threaded = run_s > 0 && c.io.low_s > run_s * THREADS_MIN + CLOCK_S;
    double least_meta = is_shared ? c.io.low_s - without_known_meta(t, run->needed_meta)
                                  : own - without_meta(t, run->needed_meta);
    double most_meta = most_of(t, meta_of) + t->slowest.meta_s;
    c.meta = cost_between(fmin(least_meta, most_meta), most_meta,
                          is_shared ? COST_SHARED : COST_WAITS);
    c.imbalance = is_shared
                      ? cost_between(c.io.low_s - mean, c.io.high_s - mean, COST_SHARED)
                      : cost_between(own - usual_of(t, mean), own - fmin(mean, median),
                                     COST_EVEN);
    for (int kind = 0; kind < ACCESS_KINDS; kind++)
        c.access[kind] =
            bounded(access_cost(t, (enum access_kind)kind), is_threaded, run_s);
    c.io = bounded(c.io, is_threaded, run_s);
    c.meta = bounded(c.meta, is_threaded, run_s);
    c.imbalance = bounded(c.imbalance, is_threaded, run_s);
    *ret = c;
    return 0;
}

/* The slowest process, had files on the target taken so long by the byte; spared is
 * room for as many numbers as there are processes. */
static double slowest_without(const struct io_time *t, const struct target_file *files,
                              size_t count, const struct slow_target *target,
                              double usual, double *spared)
{
    double most = 0;
    memset(spared, 0, t->count * sizeof *spared);
    for (size_t i = 0; i < count; i++)
        if (files[i].ost == target->ost && files[i].process < t->count)
            spared[files[i].process] += fmax(0, files[i].io_s - files[i].bytes * usual);
    for (size_t i = 0; i < t->count; i++)
        most = fmax(most, t->own[i].io_s - spared[i]);
    return most;
}

int io_time_target(const struct io_time *t, const struct target_file *files,
                   size_t count, const struct slow_target *target, double run_s,
                   struct cost *ret)
{
    AUTO_FREE double *spared = calloc(t->count + 1, sizeof *spared);
    double own = most_of(t, io_of);
    if (!spared)
        return -ENOMEM;
    if (target->ost < 0) {
        *ret = cost_unknown;
        return 0;
    }
    double least =
        own - slowest_without(t, files, count, target, target->usual_q95, spared);
    double most =
        own - slowest_without(t, files, count, target, target->usual_q05, spared);
    *ret = bounded(cost_between(least, most, COST_FILES),
                   run_s > 0 && own > run_s * THREADS_MIN + CLOCK_S, run_s);
    return 0;
}

static int by_target(const void *a, const void *b)
{
    const struct target_file *x = a;
    const struct target_file *y = b;
    if (x->ost != y->ost)
        return x->ost < y->ost ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

/* Keeps those that took longest, the longest first. */
static size_t target_put(struct target_time *times, size_t count,
                         const struct target_time *more)
{
    size_t at = count;
    while (at > 0 && times[at - 1].most_s < more->most_s)
        at--;
    if (at == IO_TIME_TARGETS_MAX)
        return count;
    count += count < IO_TIME_TARGETS_MAX;
    memmove(&times[at + 1], &times[at], (count - 1 - at) * sizeof *times);
    times[at] = *more;
    return count;
}

int io_time_targets(struct target_file *files, size_t count,
                    struct target_time ret[static IO_TIME_TARGETS_MAX])
{
    size_t targets = 0;
    if (count > 0)
        qsort(files, count, sizeof *files, by_target);
    for (size_t i = 0; i < count;) {
        struct target_time time = { files[i].ost, 0 };
        while (i < count && files[i].ost == time.ost) {
            uint32_t process = files[i].process;
            double io_s = 0;
            for (; i < count && files[i].ost == time.ost && files[i].process == process;
                 i++)
                io_s += files[i].io_s;
            time.most_s = fmax(time.most_s, io_s);
        }
        targets = target_put(ret, targets, &time);
    }
    return (int)targets;
}
