/* SPDX-License-Identifier: Apache-2.0 */
/* entry_series - counters of entries, out of rows.
 *
 *     rows        r1 ───── unchanged ─────┤since    r2         begin├0      r3
 *     samples     c1   c1   c1   c1      c1         c2              0       c3
 *                      └ every minute                └ a new generation
 */
#include "api/jobstats/reading.h"
#include "base/span.h"

#include <stdlib.h>

enum { SIDS_MAX = 20000 };

#define FILL_MS INT64_C(60000)

struct entry_reading {
    struct reading *r;
    struct chain *chain;
    struct arena arena; /* of the series */
    struct series series;
    bool has_series, is_wanted, has_any;
    int64_t last_ms; /* of the samples, also those before the range */
    uint64_t counters[SERIES_MEASURES_MAX];
    bool is_known[SERIES_MEASURES_MAX];
    int64_t *times_ms;
    double *values[SERIES_MEASURES_MAX];
    size_t count, capacity;
    struct budget_meter meter;
};

static void entry_reading_done(struct entry_reading *e)
{
    free(e->chain);
    arena_done(&e->arena);
    free(e->times_ms);
    for (size_t i = 0; i < SERIES_MEASURES_MAX; i++)
        free(e->values[i]);
    budget_meter_done(&e->meter);
    free(e);
}
DEFINE_AUTO(struct entry_reading, entry_reading_done);

/* ---- samples ---- */

static int entry_grow(struct entry_reading *e)
{
    size_t capacity = e->capacity ? 2 * e->capacity : 256;
    int rc = budget_meter_follow(&e->meter,
                                 capacity * sizeof(double) * (e->r->measure_count + 1));
    if (rc < 0)
        return rc;
    int64_t *times_ms = reallocarray(e->times_ms, capacity, sizeof *times_ms);
    if (!times_ms)
        return -ENOMEM;
    e->times_ms = times_ms;
    for (size_t i = 0; i < e->r->measure_count; i++) {
        double *values = reallocarray(e->values[i], capacity, sizeof *values);
        if (!values)
            return -ENOMEM;
        e->values[i] = values;
    }
    e->capacity = capacity;
    return 0;
}

/* The counters as they are now; what comes out of order (two servers) adds no sample.
 */
static int entry_add_sample(struct entry_reading *e, int64_t t_ms)
{
    const struct promql_selection *s = e->r->selection;
    if (e->last_ms != T_NONE && t_ms <= e->last_ms)
        return 0;
    e->last_ms = t_ms;
    if (t_ms < s->from_ms || t_ms > s->to_ms)
        return 0;
    int rc = e->count == e->capacity ? entry_grow(e) : 0;
    if (rc < 0)
        return rc;
    e->times_ms[e->count] = t_ms;
    for (size_t i = 0; i < e->r->measure_count; i++)
        e->values[i][e->count] = (double)e->counters[i];
    e->count++;
    return 0;
}

static int add_unchanged(struct entry_reading *e, int64_t until_ms)
{
    int64_t from_ms = e->r->selection->from_ms;
    int64_t t_ms = e->last_ms + FILL_MS;
    int rc = 0;
    if (t_ms < from_ms)
        t_ms += (from_ms - t_ms) / FILL_MS * FILL_MS;
    for (; rc == 0 && t_ms < until_ms && t_ms <= e->r->selection->to_ms;
         t_ms += FILL_MS)
        rc = entry_add_sample(e, t_ms);
    return rc < 0 ? rc : entry_add_sample(e, until_ms);
}

static uint64_t measured_sum(const struct measure *m, uint64_t has_samples,
                             uint64_t has_sum, const uint64_t *samples,
                             const uint64_t *sum, bool *ret_known)
{
    uint64_t total = 0, samples_bits = m->samples & has_samples,
             sum_bits = m->sums & has_sum;
    *ret_known |= (samples_bits | sum_bits) != 0;
    for (; samples_bits; samples_bits &= samples_bits - 1)
        total += samples[__builtin_ctzll(samples_bits)];
    for (; sum_bits; sum_bits &= sum_bits - 1)
        total += sum[__builtin_ctzll(sum_bits)];
    return total;
}

static void set_counters(struct entry_reading *e, const struct jobrow *row)
{
    for (size_t i = 0; i < e->r->measure_count; i++)
        e->counters[i] =
            measured_sum(&e->r->measures[i], row->has_samples, row->has_sum,
                         row->samples, row->sum, &e->is_known[i]);
}

static void add_counters(struct entry_reading *e, const struct increment *inc)
{
    for (size_t i = 0; i < e->r->measure_count; i++)
        e->counters[i] +=
            measured_sum(&e->r->measures[i], inc->has_samples, inc->has_sum,
                         inc->samples, inc->sum, &e->is_known[i]);
}

static int begin_generation(struct entry_reading *e, const struct increment *inc)
{
    int64_t zero_ms = inc->since_ms;
    memset(e->counters, 0, sizeof e->counters);
    if (e->last_ms != T_NONE && zero_ms <= e->last_ms)
        zero_ms = e->last_ms + 1;
    return zero_ms < inc->t_ms ? entry_add_sample(e, zero_ms) : 0;
}

static int entry_add_row(struct entry_reading *e, const struct jobrow *row)
{
    struct increment inc;
    int rc = 0;
    increment_between(e->has_any ? chain_before(e->chain, row) : NULL, row, &inc);
    chain_add(e->chain, row);
    bool is_base = increment_is_base(row);
    if (inc.flags & INCREMENT_RESET) {
        rc = begin_generation(e, &inc);
        add_counters(e, &inc);
    } else if (!e->has_any || (inc.flags & INCREMENT_UNKNOWN)) {
        set_counters(e, row);
    } else if (!is_base) {
        if (inc.since_ms > e->last_ms && inc.since_ms < inc.t_ms)
            rc = add_unchanged(e, inc.since_ms);
        add_counters(e, &inc);
    }
    e->has_any = true;
    return rc < 0 ? rc : entry_add_sample(e, row->t_ms);
}

/* ---- series ---- */

static struct span label_value(const struct series *series, int label,
                               struct strbuf *entry)
{
    if (label != LABEL_ENTRY)
        return dim_of_series((enum dim)label, series);
    strbuf_clear(entry);
    entry_id_print(entry, series->entry_id);
    return strbuf_span(entry);
}

static void labels_of(const struct series *series, struct strbuf *entry,
                      struct reading_labels *ret)
{
    const struct series_level_info *info = &series_levels[LEVEL_ENTRY];
    reading_labels_init(ret);
    for (size_t i = 0; i < info->label_count; i++)
        reading_labels_add(ret, info->labels[i],
                           label_value(series, info->labels[i], entry));
}

static int end_series(struct entry_reading *e)
{
    AUTO(strbuf_done) struct strbuf entry = STRBUF_INIT;
    struct reading_labels labels;
    int rc = 0;
    if (!e->has_series || !e->is_wanted || e->count == 0)
        return 0;
    labels_of(&e->series, &entry, &labels);
    if (strbuf_error(&entry) < 0)
        return -ENOMEM;
    for (size_t i = 0; rc >= 0 && i < e->r->measure_count; i++) {
        const struct promql_samples samples = { e->count, e->times_ms, e->values[i] };
        if (e->is_known[i])
            rc = reading_put(e->r, &labels, &e->r->measures[i], &samples);
    }
    return rc < 0 ? rc : 0;
}

static int begin_series(struct entry_reading *e, const struct series *series)
{
    AUTO(strbuf_done) struct strbuf entry = STRBUF_INIT;
    struct reading_labels labels;
    int rc = end_series(e);
    if (rc < 0)
        return rc;
    arena_reset(&e->arena);
    rc = series_copy(series, &e->arena, &e->series);
    labels_of(series, &entry, &labels);
    if (rc < 0 || strbuf_error(&entry) < 0)
        return -ENOMEM;
    e->is_wanted = reading_fits(e->r, &labels);
    e->has_series = true;
    e->has_any = false;
    e->last_ms = T_NONE;
    e->count = 0;
    memset(e->is_known, 0, sizeof e->is_known);
    memset(e->counters, 0, sizeof e->counters);
    chain_clear(e->chain);
    return 0;
}

static int entry_on_row(void *arg, const struct series *series,
                        const struct jobrow *row)
{
    struct entry_reading *e = arg;
    int rc = 0;
    if (!e->has_series || e->series.sid != series->sid)
        rc = begin_series(e, series);
    return rc < 0 || !e->is_wanted ? rc : entry_add_row(e, row);
}

/* ---- reading ---- */

struct sid_list {
    int64_t *sids[TARGET_KIND_COUNT];
    size_t count[TARGET_KIND_COUNT];
};

static int add_sid(void *arg, const struct series *series)
{
    struct sid_list *list = arg;
    size_t *count = &list->count[series->kind];
    if (*count == SIDS_MAX)
        return -E2BIG;
    list->sids[series->kind][(*count)++] = series->sid;
    return 0;
}

static int compare_sids(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* A job's series, or a user's, are few beside the rows of a time: they are looked up
 * first.  *ret_is_known false: there are too many, or it would find nearly all. */
static int find_sids(struct reading *r, const struct selection *sel,
                     struct sid_list *list, bool *ret_is_known)
{
    const struct series_filter *f = &sel->filter;
    *ret_is_known = f->job.data || f->user.data || f->group.data || f->node.data ||
                    f->executable.data;
    if (!*ret_is_known)
        return 0;
    int rc =
        r->ctx->history->find_series(r->ctx->history->arg, f, add_sid, list, r->err);
    if (rc == -E2BIG)
        *ret_is_known = false;
    for (int kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++)
        if (list->count[kind])
            qsort(list->sids[kind], list->count[kind], sizeof(int64_t), compare_sids);
    return rc < 0 && rc != -E2BIG ? rc : 0;
}

static int read_kind(struct entry_reading *e, const struct selection *sel,
                     enum target_kind kind, const struct sid_list *list)
{
    struct reading *r = e->r;
    struct row_range range = { .kind = kind,
                               .from_ms = r->selection->from_ms - 1,
                               .to_ms = r->selection->to_ms,
                               .sids = list ? list->sids[kind] : NULL,
                               .sid_count = list ? list->count[kind] : 0,
                               .with_before = true };
    for (size_t i = 0; i < r->measure_count; i++)
        if (r->measures[i].kinds & 1u << kind)
            range.ops |= r->measures[i].samples | r->measures[i].sums;
    if (range.ops == 0 || (list && range.sid_count == 0))
        return 0;
    e->has_series = false;
    int rc = history_walk(r->ctx->history, &range, sel, entry_on_row, e, r->err);
    return rc < 0 ? rc : end_series(e);
}

int entry_series_read(struct reading *r)
{
    if (!r->ctx->history)
        return err_set(
            r->err, EAGAIN,
            "counters of jobs are in the database, which is away: try again");
    AUTO(selection_done) struct selection sel;
    AUTO(entry_reading_done) struct entry_reading *e = calloc(1, sizeof *e);
    AUTO_FREE int64_t *sids =
        calloc((size_t)SIDS_MAX * TARGET_KIND_COUNT, sizeof *sids);
    struct sid_list list = { .sids = { sids, sids ? sids + SIDS_MAX : NULL } };
    bool is_known = false;
    selection_init(&sel, r->source->now_ms);
    if (!e || !sids)
        return -ENOMEM;
    e->r = r;
    e->meter.hold = r->source->hold;
    e->chain = calloc(1, sizeof *e->chain);
    arena_init(&e->arena, 0);
    int rc = e->chain ? reading_filter(r, &sel) : -ENOMEM;
    if (rc == 0)
        rc = find_sids(r, &sel, &list, &is_known);
    for (enum target_kind kind = 0; rc == 0 && kind < TARGET_KIND_COUNT; kind++)
        rc = read_kind(e, &sel, kind, is_known ? &list : NULL);
    return rc;
}
