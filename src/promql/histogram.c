/* SPDX-License-Identifier: Apache-2.0 */
/* histogram - histogram_quantile() of rows with a bound in their label le. */
#include "promql/histogram.h"

#include "base/span.h"
#include "promql/group.h"
#include "promql/quantile.h"
#include "promql/syntax/syntax.h"

#include <math.h>

/* +Inf, 0.5, 1e3. */
static bool parse_bound(struct span text, double *ret)
{
    bool is_minus = text.size > 0 && text.data[0] == '-';
    if (text.size > 0 && (is_minus || text.data[0] == '+'))
        text = span_skip(text, 1);
    double value = 0;
    if (text.size == 0 || text.data[0] == '-' || text.data[0] == '+' ||
        lexer_parse_number(text, &value) < 0)
        return false;
    *ret = is_minus ? -value : value;
    return true;
}

/* Rows by group, with their bounds. */
struct histograms {
    const struct row_set *set;
    struct groups groups;
    double *bounds; /* ABSENT: the row has none */
    struct bucket *buckets;
};

static void histograms_done(struct histograms *h)
{
    groups_done(&h->groups);
    free(h->bounds);
    free(h->buckets);
}
DEFINE_AUTO_DONE(struct histograms, histograms_done);

static void quantile_at(const struct histograms *h, double quantile, size_t step,
                        struct row_set *ret)
{
    for (uint32_t g = 0; g < h->groups.count; g++) {
        size_t count = 0;
        for (uint32_t m = h->groups.begin[g]; m < h->groups.begin[g + 1]; m++) {
            uint32_t r = h->groups.members[m];
            double value = h->set->rows[r].values[step];
            if (!is_absent(value) && !is_absent(h->bounds[r]))
                h->buckets[count++] = (struct bucket){ h->bounds[r], value };
        }
        if (count > 0)
            ret->rows[g].values[step] =
                quantile_of_buckets(quantile, h->buckets, count);
    }
}

static int add_histogram_rows(const struct histograms *h,
                              const struct expr_aggregate *without_le,
                              struct row_set *ret)
{
    for (uint32_t g = 0; g < h->groups.count; g++) {
        const struct row *first = &h->set->rows[h->groups.members[h->groups.begin[g]]];
        struct labels labels;
        struct row *row = NULL;
        if (group_labels(without_le, h->set, &first->labels, &labels) < 0)
            return evaluation_no_memory(ret->ev);
        int rc = row_set_add(ret, &labels, &row);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int histogram_quantile_rows(const struct row_set *set, const double *quantiles,
                            struct row_set *ret)
{
    static const struct span le = { "le", 2 };
    const struct expr_aggregate without_le = { .is_without = true,
                                               .grouping = { 1, &le } };
    AUTO(histograms_done) struct histograms h = { .set = set };
    h.bounds = calloc(set->count + 1, sizeof *h.bounds);
    h.buckets = calloc(set->count + 1, sizeof *h.buckets);
    if (!h.bounds || !h.buckets || groups_init(&h.groups, &without_le, set) < 0)
        return evaluation_no_memory(ret->ev);
    for (size_t r = 0; r < set->count; r++)
        if (!parse_bound(labels_get(&set->rows[r].labels, le), &h.bounds[r]))
            h.bounds[r] = absent_value();
    int rc = add_histogram_rows(&h, &without_le, ret);
    for (size_t i = 0; i < set->step_count && rc == 0; i++)
        quantile_at(&h, quantiles[i], i, ret);
    return rc < 0 ? rc : row_set_merge(ret, ROWS_BY_STEP);
}
