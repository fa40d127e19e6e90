/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate - rows grouped by labels. */
#include "promql/aggregate.h"

#include "base/hashmap.h"
#include "promql/group.h"
#include "promql/quantile.h"
#include "promql/ranking.h"
#include "promql/syntax/syntax.h"

#include <math.h>

struct aggregating {
    const struct expr_aggregate *aggregate;
    const struct row_set *set;
    const double *parameters;
    struct span label;
    struct groups groups;
    struct row_set *result;
};

/* What a group has of a step, beside its value. */
struct moment {
    double count, mean;
};

static bool mean_is_final(double mean, double value)
{
    if (!isinf(mean))
        return false;
    if (isinf(value))
        return (mean > 0) == (value > 0);
    return !isnan(value);
}

static double add_avg(struct moment *m, double value)
{
    m->count++;
    if (m->count == 1)
        m->mean = value;
    else if (!mean_is_final(m->mean, value))
        m->mean += value / m->count - m->mean / m->count;
    return m->mean;
}

/* Welford's sum of squared distances from the mean. */
static double add_square(struct moment *m, double sum, double value)
{
    m->count++;
    if (m->count == 1) {
        m->mean = value;
        return 0;
    }
    double delta = value - m->mean;
    m->mean += delta / m->count;
    return sum + delta * (value - m->mean);
}

static double aggregate_value(enum aggregator aggregator, struct moment *m, double old,
                              double value)
{
    bool is_first = is_absent(old);
    switch (aggregator) {
    case AGGREGATOR_SUM:
        return is_first ? value : old + value;
    case AGGREGATOR_COUNT:
        return is_first ? 1 : old + 1;
    case AGGREGATOR_MIN:
        return is_first || value < old || isnan(old) ? value : old;
    case AGGREGATOR_MAX:
        return is_first || value > old || isnan(old) ? value : old;
    case AGGREGATOR_AVG:
        return add_avg(m, value);
    case AGGREGATOR_STDDEV:
    case AGGREGATOR_STDVAR:
        return add_square(m, old, value);
    default:
        return 1; /* group */
    }
}

static void finish_moments(const struct aggregating *a, const struct moment *moments)
{
    enum aggregator aggregator = a->aggregate->aggregator;
    if (aggregator != AGGREGATOR_STDDEV && aggregator != AGGREGATOR_STDVAR)
        return;
    size_t steps = a->set->step_count;
    for (size_t g = 0; g < a->groups.count; g++) {
        for (size_t i = 0; i < steps; i++) {
            double *value = &a->result->rows[g].values[i];
            if (is_absent(*value))
                continue;
            *value /= moments[g * steps + i].count;
            if (aggregator == AGGREGATOR_STDDEV)
                *value = sqrt(*value);
        }
    }
}

/* One row a group, in order. */
static int add_group_rows(struct aggregating *a)
{
    for (uint32_t g = 0; g < a->groups.count; g++) {
        const struct row *first = &a->set->rows[a->groups.members[a->groups.begin[g]]];
        struct labels labels;
        struct row *row = NULL;
        if (group_labels(a->aggregate, a->set, &first->labels, &labels) < 0)
            return evaluation_no_memory(a->result->ev);
        int rc = row_set_add(a->result, &labels, &row);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int aggregate_simply(struct aggregating *a)
{
    size_t steps = a->set->step_count;
    int rc = add_group_rows(a);
    if (rc < 0)
        return rc;
    AUTO_FREE struct moment *moments =
        calloc(a->groups.count * steps + 1, sizeof *moments);
    if (!moments)
        return evaluation_no_memory(a->result->ev);
    for (size_t r = 0; r < a->set->count; r++) {
        uint32_t g = a->groups.of_row[r];
        const double *from = a->set->rows[r].values;
        double *to = a->result->rows[g].values;
        for (size_t i = 0; i < steps; i++)
            if (!is_absent(from[i]))
                to[i] = aggregate_value(a->aggregate->aggregator,
                                        &moments[g * steps + i], to[i], from[i]);
    }
    finish_moments(a, moments);
    return 0;
}

static int aggregate_quantiles(struct aggregating *a)
{
    int rc = add_group_rows(a);
    AUTO_FREE double *values = calloc(a->set->count + 1, sizeof *values);
    if (rc < 0 || !values)
        return rc < 0 ? rc : evaluation_no_memory(a->result->ev);
    for (uint32_t g = 0; g < a->groups.count; g++) {
        for (size_t i = 0; i < a->set->step_count; i++) {
            size_t count = 0;
            for (uint32_t m = a->groups.begin[g]; m < a->groups.begin[g + 1]; m++) {
                double value = a->set->rows[a->groups.members[m]].values[i];
                if (!is_absent(value))
                    values[count++] = value;
            }
            if (count > 0)
                a->result->rows[g].values[i] =
                    quantile_of(a->parameters[i], values, count);
        }
    }
    return 0;
}

/* How many are ranked at a step: a count below 1 is none.  Errors: -EDOM. */
static int ranked_count(const struct aggregating *a, double parameter, size_t *ret)
{
    if (!(fabs(parameter) < 9223372036854775808.0))
        return err_set(a->result->ev->err, EDOM,
                       "the parameter %g of %s() is not an integer of 64 bits",
                       parameter, aggregator_text(a->aggregate->aggregator));
    double most = (double)a->set->count;
    *ret = parameter < 1 ? 0 : (size_t)fmin(trunc(parameter), most);
    return 0;
}

static int put_ranked(struct aggregating *a, size_t step, const struct ranked *entries,
                      size_t count)
{
    bool is_instant = a->set->step_count == 1;
    for (size_t n = 0; n < count; n++) {
        struct row *row = is_instant ? NULL : &a->result->rows[entries[n].row];
        if (is_instant) {
            int rc = row_set_add(a->result, &a->set->rows[entries[n].row].labels, &row);
            if (rc < 0)
                return rc;
        }
        row->values[step] = entries[n].value;
    }
    return 0;
}

static int rank_step(struct aggregating *a, size_t step, struct ranked *entries)
{
    struct ranking_heap heap = { .entries = entries };
    heap.ranking =
        a->aggregate->aggregator == AGGREGATOR_TOPK ? RANKING_TOP : RANKING_BOTTOM;
    int rc = ranked_count(a, a->parameters[step], &heap.limit);
    for (uint32_t g = 0; g < a->groups.count && rc == 0 && heap.limit > 0; g++) {
        heap.count = 0;
        for (uint32_t m = a->groups.begin[g]; m < a->groups.begin[g + 1]; m++) {
            uint32_t row = a->groups.members[m];
            double value = a->set->rows[row].values[step];
            if (!is_absent(value))
                ranking_put(&heap, (struct ranked){ value, row });
        }
        ranking_sort(heap.ranking, entries, heap.count);
        rc = put_ranked(a, step, entries, heap.count);
    }
    return rc;
}

/* An instant has its rows in order of rank, a range all rows in their own. */
static int aggregate_ranked(struct aggregating *a)
{
    AUTO_FREE struct ranked *entries = calloc(a->set->count + 1, sizeof *entries);
    if (!entries)
        return evaluation_no_memory(a->result->ev);
    int rc = 0;
    for (size_t r = 0; r < a->set->count && a->set->step_count > 1 && rc == 0; r++) {
        struct row *row = NULL;
        rc = row_set_add(a->result, &a->set->rows[r].labels, &row);
    }
    for (size_t i = 0; i < a->set->step_count && rc == 0; i++)
        rc = rank_step(a, i, entries);
    return rc < 0 ? rc : row_set_merge(a->result, ROWS_BY_STEP);
}

/* Labels of what count_values() counts: the group's, with the value as one more. */
static int counted_labels(const struct aggregating *a, const struct row *row,
                          double value, struct labels *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct arena *arena = &a->result->ev->arena;
    float_text_add_plain(&text, value);
    const char *copy = arena_dup(arena, strbuf_span(&text));
    if (!copy || strbuf_error(&text))
        return -ENOMEM;
    struct label pair = { a->label, { copy, text.size } };
    struct labels labels;
    if (!a->aggregate->is_without) {
        int rc = group_labels(a->aggregate, a->set, &row->labels, &labels);
        return rc < 0 ? rc : labels_set(arena, &labels, pair, ret);
    }
    int rc = labels_set(arena, &row->labels, pair, &labels);
    return rc < 0 ? rc : group_labels(a->aggregate, a->set, &labels, ret);
}

static int count_value(struct aggregating *a, struct hashmap *rows, struct strbuf *key,
                       const struct row *row, size_t step)
{
    struct labels labels;
    bool is_new = false;
    if (counted_labels(a, row, row->values[step], &labels) < 0)
        return evaluation_no_memory(a->result->ev);
    strbuf_clear(key);
    labels_add_key(key, &labels);
    uintptr_t *index = hashmap_put(rows, strbuf_span(key), &is_new);
    if (!index || strbuf_error(key))
        return evaluation_no_memory(a->result->ev);
    if (is_new) {
        struct row *added = NULL;
        *index = a->result->count;
        int rc = row_set_add(a->result, &labels, &added);
        if (rc < 0)
            return rc;
    }
    double *value = &a->result->rows[*index].values[step];
    *value = is_absent(*value) ? 1 : *value + 1;
    return 0;
}

static int aggregate_counted(struct aggregating *a)
{
    AUTO(hashmap_done) struct hashmap rows = HASHMAP_INIT;
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    if (!label_name_is_valid(a->label))
        return err_set(a->result->ev->err, EDOM,
                       "count_values(): '%.*s' is not the name of a label",
                       (int)(a->label.size < 80 ? a->label.size : 80), a->label.data);
    for (size_t i = 0; i < a->set->step_count; i++) {
        for (size_t r = 0; r < a->set->count; r++) {
            if (is_absent(a->set->rows[r].values[i]))
                continue;
            int rc = count_value(a, &rows, &key, &a->set->rows[r], i);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

int aggregate_rows(const struct expr_aggregate *aggregate, const struct row_set *set,
                   const double *parameters, struct span label, struct row_set *ret)
{
    struct aggregating a = { aggregate, set, parameters, label, { 0 }, ret };
    AUTO(groups_done) struct groups groups = { 0 };
    int rc = evaluation_charge(ret->ev, set->count * set->step_count);
    if (rc < 0)
        return rc;
    if (groups_init(&groups, aggregate, set) < 0)
        return evaluation_no_memory(ret->ev);
    a.groups = groups;
    switch (aggregate->aggregator) {
    case AGGREGATOR_TOPK:
    case AGGREGATOR_BOTTOMK:
        return aggregate_ranked(&a);
    case AGGREGATOR_QUANTILE:
        return aggregate_quantiles(&a);
    case AGGREGATOR_COUNT_VALUES:
        return aggregate_counted(&a);
    default:
        return aggregate_simply(&a);
    }
}
