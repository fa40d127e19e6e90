/* SPDX-License-Identifier: Apache-2.0 */
/* finding_order - what findings cost by the class, which explains which, their order.
 */
#include "analysis/job/finding.h"
#include "analysis/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the class says of costs ---- */

/* The fractions of the others of its class, sorted; NULL: too few. */
static double *fractions_of(const struct finding_climate *c, size_t *ret_count)
{
    const struct run_set *set = &c->runs->sets[c->run->set];
    double *fractions = calloc(set->count + 1, sizeof *fractions);
    size_t count = 0;
    for (size_t i = set->first; fractions && i < set->first + set->count; i++)
        if (&c->runs->runs[i] != c->run && c->runs->runs[i].wanted == 0)
            fractions[count++] = c->runs->runs[i].fraction;
    *ret_count = numbers_sort(fractions, count);
    if (*ret_count >= PERCENTILE_OTHERS_MIN)
        return fractions;
    free(fractions);
    return NULL;
}

struct cost finding_excess(const struct finding_climate *climate,
                           const struct profile *p)
{
    size_t count = 0;
    if (!cost_is_known(&p->io) || !(climate->run->fraction > 0))
        return cost_unknown;
    AUTO_FREE double *fractions = fractions_of(climate, &count);
    if (!fractions)
        return cost_unknown;
    double slow = quantile(fractions, count, 0.25);
    double quick = quantile(fractions, count, 0.75);
    return cost_between(p->io.high_s * (1 - climate->run->fraction / slow),
                        p->io.high_s * (1 - climate->run->fraction / quick),
                        COST_CLASS);
}

void findings_weigh(const struct finding_climate *climate, const struct profile *p,
                    struct finding *findings, size_t count)
{
    struct cost excess = finding_excess(climate, p);
    double lack = p->io.high_s * (1 - climate->run->fraction);
    for (size_t i = 0; i < count; i++) {
        struct finding *f = &findings[i];
        bool is_access =
            f->kind == FINDING_OF_LOG && cost_is_known(&f->cost) &&
            (f->cost.reason == COST_OTHERWISE || f->cost.reason == COST_MIXED);
        if (f->kind == FINDING_AROUND && cost_is_known(&excess))
            f->cost = cost_between(0, excess.high_s, COST_EXCESS);
        else if (is_access && lack < f->cost.high_s)
            f->cost = cost_between(0, lack, COST_BEST);
    }
}

/* ---- order ---- */

static struct finding *finding_find(struct finding *findings, size_t count,
                                    const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(findings[i].name, name) == 0)
            return &findings[i];
    return NULL;
}

static void because_find(struct finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct finding_rule *rule = finding_rule_find(findings[i].name);
        const struct finding *cause =
            rule && rule->because ? finding_find(findings, count, rule->because) : NULL;
        if (cause && (!rule->is_explained || rule->is_explained(cause, &findings[i])))
            findings[i].because = cause->name;
    }
}

/* Where the data say as much of both, what others did comes first: that is reported
 * only where it is rare, while accesses are as they are in every run of a program. */
static bool is_behind(const struct finding *a, const struct finding *b)
{
    double left = cost_middle(&a->cost);
    double right = cost_middle(&b->cost);
    bool is_tie = fabs(left - right) <= 0.05 * fmax(left, right);
    if (is_tie && a->kind != b->kind && left > 0)
        return a->kind == FINDING_OF_LOG;
    return left < right;
}

/* Those that follow from another one come after it, and after what else does. */
static size_t followers_move(struct finding *ret, size_t count,
                             const struct finding *sorted, size_t sorted_count,
                             const char *because)
{
    for (size_t i = 0; i < sorted_count; i++) {
        bool is_here =
            because ? sorted[i].because && strcmp(sorted[i].because, because) == 0
                    : !sorted[i].because;
        if (!is_here)
            continue;
        ret[count++] = sorted[i];
        count = followers_move(ret, count, sorted, sorted_count, sorted[i].name);
    }
    return count;
}

void findings_order(struct finding *findings, size_t count)
{
    struct finding sorted[FINDINGS_MAX];
    because_find(findings, count);
    for (size_t i = 0; i < count; i++) { /* few: by insertion, so that ties stay */
        size_t at = i;
        for (; at > 0 && is_behind(&sorted[at - 1], &findings[i]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = findings[i];
    }
    (void)followers_move(findings, 0, sorted, count, NULL);
}
