/* SPDX-License-Identifier: Apache-2.0 */
/* run_metrics - runs of jobs beside their footprints. */
#include "analysis/usage/run_metrics.h"

#include "base/span.h"
#include "base/strbuf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const stat_names[RUN_METRIC_STAT_COUNT] = {
    [RUN_METRIC_MEAN] = "mean",
    [RUN_METRIC_MIN] = "min",
    [RUN_METRIC_MAX] = "max",
    [RUN_METRIC_SUM] = "sum",
};

void run_metrics_init(struct run_metrics *runs)
{
    *runs = (struct run_metrics){ .by_run = HASHMAP_INIT };
    arena_init(&runs->arena, 0);
}

void run_metrics_done(struct run_metrics *runs)
{
    hashmap_done(&runs->by_run);
    arena_done(&runs->arena);
    free(runs->rows);
}

size_t run_metrics_bytes(const struct run_metrics *runs)
{
    return runs->arena.used_bytes + hashmap_bytes(&runs->by_run) +
           runs->capacity * sizeof *runs->rows;
}

/* ---- which columns ---- */

/* "mem_used:max"; -EINVAL: it is none. */
static int column_parse(struct span text, struct span *ret_metric,
                        enum run_metric_stat *ret_stat)
{
    struct span stat = text, metric;
    (void)span_cut(&stat, ':', &metric);
    if (metric.size == 0 || metric.size > RUN_METRIC_NAME_MAX)
        return -EINVAL;
    *ret_metric = metric;
    *ret_stat = RUN_METRIC_MEAN;
    if (metric.size == text.size)
        return 0;
    for (int i = 0; i < RUN_METRIC_STAT_COUNT; i++)
        if (span_is(stat, stat_names[i])) {
            *ret_stat = (enum run_metric_stat)i;
            return 0;
        }
    return -EINVAL;
}

static int column_add(struct run_metrics *runs, struct span metric,
                      enum run_metric_stat stat)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    entry_id_print(&name, metric); /* it is a column's name, whatever was requested */
    if (stat != RUN_METRIC_MEAN)
        strbuf_addf(&name, "_%s", stat_names[stat]);
    struct run_metric_column column = {
        .metric = arena_dup(&runs->arena, metric),
        .stat = stat,
        .name = strbuf_error(&name) < 0 ? NULL
                                        : arena_dup(&runs->arena, strbuf_span(&name)),
        .unit = "",
    };
    if (!column.metric || !column.name)
        return -ENOMEM;
    runs->columns[runs->column_count++] = column;
    return 0;
}

int run_metrics_parse(struct run_metrics *runs, struct span list, struct err *err)
{
    struct span text;
    if (list.size == 0)
        return err_set(err, EINVAL,
                       "footprint: METRIC[:STAT] is wanted, with STAT "
                       "one of " RUN_METRIC_STATS);
    while (list.size > 0) {
        struct span metric;
        enum run_metric_stat stat;
        size_t known;
        (void)span_cut(&list, ',', &text);
        if (runs->column_count == RUN_METRIC_COLUMNS_MAX)
            return err_set(err, EINVAL, "footprint: at most %zu columns",
                           RUN_METRIC_COLUMNS_MAX);
        if (column_parse(text, &metric, &stat) < 0)
            return err_set(err, EINVAL,
                           "footprint: invalid value '" SPAN_FMT
                           "' (METRIC[:STAT], with STAT one of " RUN_METRIC_STATS ")",
                           SPAN_ARG(text));
        if (run_metrics_column(runs, text, &known) == 0)
            return err_set(err, EINVAL, "footprint: '" SPAN_FMT "' is there twice",
                           SPAN_ARG(text));
        int rc = column_add(runs, metric, stat);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int run_metrics_column(const struct run_metrics *runs, struct span text, size_t *ret)
{
    struct span metric;
    enum run_metric_stat stat;
    if (column_parse(text, &metric, &stat) < 0)
        return -ENOENT;
    for (size_t i = 0; i < runs->column_count; i++)
        if (runs->columns[i].stat == stat && span_is(metric, runs->columns[i].metric)) {
            *ret = i;
            return 0;
        }
    return -ENOENT;
}

int run_metrics_check(const char *list, const char *worst, struct err *err)
{
    AUTO(run_metrics_done) struct run_metrics runs;
    size_t column;
    run_metrics_init(&runs);
    int rc = run_metrics_parse(&runs, span_of(list), err);
    if (rc == 0 && worst && run_metrics_column(&runs, span_of(worst), &column) < 0)
        return err_set(err, EINVAL,
                       "worst: invalid value '%s' (with footprint, choose one of its "
                       "columns: %s)",
                       worst, list);
    return rc;
}

/* ---- rows ---- */

/* No text of a run has a NUL (job_check). */
static int key_make(struct span cluster, struct span id, int64_t start_ns,
                    struct strbuf *ret)
{
    strbuf_add_span(ret, cluster);
    strbuf_addc(ret, '\0');
    strbuf_add_span(ret, id);
    strbuf_addc(ret, '\0');
    strbuf_addf(ret, "%lld", (long long)start_ns);
    return strbuf_error(ret);
}

static const char *text_dup(struct run_metrics *runs, struct span text, bool *ok)
{
    const char *copy = arena_dup(&runs->arena, text);
    *ok = *ok && copy;
    return copy;
}

static int rows_grow(struct run_metrics *runs)
{
    size_t capacity = runs->capacity ? 2 * runs->capacity : 64;
    if (runs->count < runs->capacity)
        return 0;
    void *grown = reallocarray(runs->rows, capacity, sizeof *runs->rows);
    if (!grown)
        return -ENOMEM;
    runs->rows = grown;
    runs->capacity = capacity;
    return 0;
}

int run_metrics_add_run(struct run_metrics *runs, const struct job *run)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    bool is_new = false, ok = true;
    int rc = key_make(run->cluster, run->id, run->start_ns, &key);
    if (rc == 0)
        rc = rows_grow(runs);
    if (rc < 0)
        return rc;
    uintptr_t *at = hashmap_put(&runs->by_run, strbuf_span(&key), &is_new);
    if (!at)
        return -ENOMEM;
    if (!is_new)
        return 0;
    *at = runs->count;
    struct run_metrics_row *row = &runs->rows[runs->count++];
    *row = (struct run_metrics_row){
        .cluster = text_dup(runs, run->cluster, &ok),
        .id = text_dup(runs, run->id, &ok),
        .user = text_dup(runs, run->user.size > 0 ? run->user : run->uid, &ok),
        .account = text_dup(runs, run->account, &ok),
        .partition = text_dup(runs, run->partition, &ok),
        .state = text_dup(runs, run->state, &ok),
        .name = text_dup(runs, run->name, &ok),
        .nodes = run->node_count,
        .start_ns = run->start_ns,
        .end_ns = run->end_ns,
        .covered = NAN,
    };
    for (size_t i = 0; i < RUN_METRIC_COLUMNS_MAX; i++)
        row->values[i] = NAN;
    return ok ? 0 : -ENOMEM;
}

static double stat_of(const struct job_metric *metric, enum run_metric_stat stat)
{
    const double values[RUN_METRIC_STAT_COUNT] = { [RUN_METRIC_MEAN] = metric->mean,
                                                   [RUN_METRIC_MIN] = metric->min,
                                                   [RUN_METRIC_MAX] = metric->max,
                                                   [RUN_METRIC_SUM] = metric->sum };
    return values[stat];
}

int run_metrics_add(struct run_metrics *runs, const struct job_metric *metric)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    int rc = key_make(metric->cluster, metric->id, metric->start_ns, &key);
    if (rc < 0)
        return rc;
    const uintptr_t *at = hashmap_get(&runs->by_run, strbuf_span(&key));
    if (!at)
        return 0;
    struct run_metrics_row *row = &runs->rows[*at];
    if (metric->metric.size == 0)
        row->covered = metric->covered;
    for (size_t i = 0; i < runs->column_count; i++) {
        struct run_metric_column *column = &runs->columns[i];
        if (!span_is(metric->metric, column->metric))
            continue;
        row->values[i] = stat_of(metric, column->stat);
        if (column->unit[0] || metric->unit.size == 0)
            continue;
        const char *unit = arena_dup(&runs->arena, metric->unit);
        if (!unit)
            return -ENOMEM;
        column->unit = unit;
    }
    return 0;
}

/* ---- the order ---- */

struct run_order {
    size_t column;
    bool is_most;
};

static int by_value(const void *a, const void *b, void *arg)
{
    const struct run_order *order = arg;
    const struct run_metrics_row *x = a, *y = b;
    double p = x->values[order->column], q = y->values[order->column];
    if (isnan(p) != isnan(q))
        return isnan(p) ? 1 : -1;
    if (p != q && !isnan(p))
        return (p < q) == order->is_most ? 1 : -1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? 1 : -1;
    int cluster = strcmp(x->cluster, y->cluster);
    return cluster ? cluster : strcmp(x->id, y->id);
}

void run_metrics_sort(struct run_metrics *runs, size_t column)
{
    struct run_order order = { column,
                               runs->columns[column].stat == RUN_METRIC_MAX ||
                                   runs->columns[column].stat == RUN_METRIC_SUM };
    hashmap_done(&runs->by_run);
    runs->by_run = (struct hashmap)HASHMAP_INIT;
    if (runs->count > 1)
        qsort_r(runs->rows, runs->count, sizeof *runs->rows, by_value, &order);
}
