/* SPDX-License-Identifier: Apache-2.0 */
/* job_usage - what jobs used of what they were given. */
#include "analysis/usage/job_usage.h"

#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define S_PER_H 3600.0
#define GIB 1073741824.0
#define J_PER_KWH 3.6e6

const char *const job_usage_orders[JOB_USAGE_ORDER_COUNT] = {
    [JOB_USAGE_BY_CPU] = "cpu",     [JOB_USAGE_BY_MEMORY] = "memory",
    [JOB_USAGE_BY_TIME] = "time",   [JOB_USAGE_BY_ENERGY] = "energy",
    [JOB_USAGE_BY_HOURS] = "hours", [JOB_USAGE_BY_START] = "start",
};

void job_usage_init(struct job_usage_list *list)
{
    *list = (struct job_usage_list){ 0 };
    arena_init(&list->arena, 0);
}

void job_usage_done(struct job_usage_list *list)
{
    free(list->rows);
    hashmap_done(&list->indices);
    arena_done(&list->arena);
    *list = (struct job_usage_list){ 0 };
}

size_t job_usage_bytes(const struct job_usage_list *list)
{
    return list->arena.used_bytes + list->capacity * sizeof *list->rows +
           hashmap_bytes(&list->indices);
}

int job_usage_order_parse(struct span name, enum job_usage_order *ret)
{
    for (enum job_usage_order i = 0; i < JOB_USAGE_ORDER_COUNT; i++)
        if (span_is(name, job_usage_orders[i])) {
            *ret = i;
            return 0;
        }
    return -EINVAL;
}

bool job_state_is_failure(struct span state)
{
    static const char *const states[] = { "FAILED",    "TIMEOUT",   "OUT_OF_ME",
                                          "NODE_FAIL", "BOOT_FAIL", "DEADLINE" };
    for (size_t i = 0; i < COUNT_OF(states); i++)
        if (span_starts(state, states[i]))
            return true;
    return false;
}

/* ---- rows ---- */

static int row_new(struct job_usage_list *list, const struct job *job, size_t *ret)
{
    if (list->count == JOB_USAGE_ROWS_MAX)
        return -E2BIG;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct job_usage *rows = reallocarray(list->rows, capacity, sizeof *list->rows);
        if (!rows)
            return -ENOMEM;
        list->rows = rows;
        list->capacity = capacity;
    }
    struct job_usage row = {
        .cluster = arena_dup(&list->arena, job->cluster),
        .id = arena_dup(&list->arena, job->id),
        .user = arena_dup(&list->arena, job->user.size ? job->user : job->uid),
        .account = arena_dup(&list->arena, job->account),
        .partition = arena_dup(&list->arena, job->partition),
        .name = arena_dup(&list->arena, job->name),
        .state = arena_dup(&list->arena, job->state),
        .start_ns = JOB_TIME_NONE,
        .end_ns = JOB_TIME_NONE,
        .gib_hours_unused = (double)NAN,
        .memory_share = (double)NAN,
        .time_share = (double)NAN,
        .energy_kwh = (double)NAN,
    };
    if (!row.cluster || !row.id || !row.user || !row.account || !row.partition ||
        !row.name || !row.state)
        return -ENOMEM;
    *ret = list->count;
    list->rows[list->count++] = row;
    return 0;
}

/* The row of the job, or of the array that it is an element of. */
static int row_find(struct job_usage_list *list, const struct job *job, size_t *ret)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    strbuf_add_span(&key, job->cluster);
    strbuf_addc(&key, '\0');
    strbuf_add_span(&key, list->are_tasks_apart ? job->id : job_array_id(job->id));
    uintptr_t *index = strbuf_error(&key)
                           ? NULL
                           : hashmap_put(&list->indices, strbuf_span(&key), NULL);
    if (!index)
        return -ENOMEM;
    if (*index > 0) {
        *ret = *index - 1;
        return 0;
    }
    int rc = row_new(list, job, ret);
    if (rc == 0)
        *index = *ret + 1;
    return rc;
}

/* A second element: the row is the array's from now on. */
static int row_widen(struct job_usage_list *list, struct job_usage *row,
                     const struct job *job)
{
    if (!span_eq(span_of(row->state), job->state))
        row->state = "";
    if (span_eq(span_of(row->id), job->id))
        return 0;
    row->id = arena_dup(&list->arena, job_array_id(job->id));
    return row->id ? 0 : -ENOMEM;
}

/* ---- sums ---- */

static double max_known(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static double sum_known(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void shares_add(struct job_usage *row, const struct job_resources *r,
                       double elapsed_s)
{
    double cpu = job_cpu_share(r, elapsed_s);
    double memory = job_memory_share(r);
    if (!isnan(cpu)) {
        double given = (double)r->value[JOB_CPUS] * elapsed_s / S_PER_H;
        row->cpu_hours += given;
        row->cpu_hours_used += given * cpu;
    }
    if (!isnan(memory)) {
        double unused = memory < 1 ? 1 - memory : 0;
        double gib = (double)r->value[JOB_MEMORY_BYTES] / GIB;
        row->gib_hours_unused =
            sum_known(row->gib_hours_unused, gib * unused * elapsed_s / S_PER_H);
        row->memory_share = max_known(row->memory_share, memory);
    }
    if (job_resource_known(r, JOB_ENERGY_J))
        row->energy_kwh =
            sum_known(row->energy_kwh, (double)r->value[JOB_ENERGY_J] / J_PER_KWH);
}

static void allocation_add(struct job_usage *row, const struct job *job,
                           double elapsed_s)
{
    const struct job_resources *r = &job->resources;
    if (job->node_count > row->nodes)
        row->nodes = job->node_count;
    if (job_resource_known(r, JOB_CPUS) && (uint64_t)r->value[JOB_CPUS] > row->cpus)
        row->cpus = (uint64_t)r->value[JOB_CPUS];
    if (job_resource_known(r, JOB_GPUS)) {
        row->has_gpus = true;
        row->gpu_hours += (double)r->value[JOB_GPUS] * elapsed_s / S_PER_H;
        if ((uint64_t)r->value[JOB_GPUS] > row->gpus)
            row->gpus = (uint64_t)r->value[JOB_GPUS];
    }
    if (job_resource_known(r, JOB_TIME_LIMIT_S) && r->value[JOB_TIME_LIMIT_S] > 0)
        row->time_share =
            max_known(row->time_share, elapsed_s / (double)r->value[JOB_TIME_LIMIT_S]);
}

static void times_add(struct job_usage *row, const struct job *job, bool is_running)
{
    if (row->start_ns == JOB_TIME_NONE || job->start_ns < row->start_ns)
        row->start_ns = job->start_ns;
    if (!is_running && job->end_ns > row->end_ns)
        row->end_ns = job->end_ns;
}

int job_usage_add(struct job_usage_list *list, const struct job *job, int64_t now_ns)
{
    size_t index = 0;
    int rc = row_find(list, job, &index);
    if (rc == 0)
        rc = row_widen(list, &list->rows[index], job);
    if (rc < 0)
        return rc;
    struct job_usage *row = &list->rows[index];
    row->runs++;
    row->failed += job_state_is_failure(job->state);
    if (job->start_ns == JOB_TIME_NONE) {
        allocation_add(row, job, 0);
        return 0;
    }
    bool is_running = job->end_ns == JOB_TIME_NONE;
    int64_t end_ns = is_running ? now_ns : job->end_ns;
    double elapsed_s = end_ns > job->start_ns
                           ? (double)(end_ns - job->start_ns) / (double)NS_PER_S
                           : 0;
    row->running += is_running;
    row->hours += elapsed_s / S_PER_H;
    times_add(row, job, is_running);
    allocation_add(row, job, elapsed_s);
    if (!is_running)
        shares_add(row, &job->resources, elapsed_s);
    return 0;
}

double job_usage_cpu_share(const struct job_usage *usage)
{
    return usage->cpu_hours > 0 ? usage->cpu_hours_used / usage->cpu_hours
                                : (double)NAN;
}

/* ---- order ---- */

/* High is bad; NaN: not known. */
static double badness(const struct job_usage *row, enum job_usage_order order)
{
    switch (order) {
    case JOB_USAGE_BY_CPU:
        return row->cpu_hours > 0 ? row->cpu_hours - row->cpu_hours_used : (double)NAN;
    case JOB_USAGE_BY_MEMORY:
        return row->gib_hours_unused;
    case JOB_USAGE_BY_TIME:
        return row->running == 0 ? -row->time_share : (double)NAN;
    case JOB_USAGE_BY_ENERGY:
        return row->energy_kwh;
    case JOB_USAGE_BY_HOURS:
        return row->cpus > 0 ? (double)row->cpus * row->hours : (double)NAN;
    case JOB_USAGE_BY_START:
    case JOB_USAGE_ORDER_COUNT:
        break;
    }
    return (double)NAN;
}

static int by_start(const struct job_usage *a, const struct job_usage *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? 1 : -1;
    int order = strcmp(a->cluster, b->cluster);
    return order != 0 ? order : strcmp(a->id, b->id);
}

static int row_order(const void *x, const void *y, void *arg)
{
    const struct job_usage *a = x, *b = y;
    double bad_a = badness(a, *(const enum job_usage_order *)arg);
    double bad_b = badness(b, *(const enum job_usage_order *)arg);
    if (isnan(bad_a) != isnan(bad_b))
        return isnan(bad_a) ? 1 : -1;
    if (!isnan(bad_a) && bad_a != bad_b)
        return bad_a < bad_b ? 1 : -1;
    return by_start(a, b);
}

void job_usage_sort(struct job_usage_list *list, enum job_usage_order order)
{
    if (list->count > 1)
        qsort_r(list->rows, list->count, sizeof *list->rows, row_order, &order);
    hashmap_done(&list->indices); /* rows have moved: nothing is added any more */
    list->indices = (struct hashmap)HASHMAP_INIT;
}
