/* SPDX-License-Identifier: Apache-2.0 */
/* anomaly - the slowest run of a region, and which measures were at their worst in it.
 */
#include "analysis/climate/anomaly.h"

#include "analysis/stats/stats.h"

#include <math.h>

static struct contributor measure_ask(const struct mapping *mapping,
                                      const struct run_series *series,
                                      const struct region *region, size_t slowest,
                                      size_t measure)
{
    const struct mapping_item *item = &mapping->measures.items[measure];
    struct contributor c = { .worst = NAN, .p = NAN };
    size_t count = 0;
    size_t equal = 0;
    for (size_t i = region->first; i < region->end; i++) {
        double value = series->runs[i]->measures[measure];
        if (isnan(value))
            continue;
        count++;
        if (isnan(c.worst) || (item->is_big_good ? value < c.worst : value > c.worst)) {
            c.worst = value;
            equal = 0;
        }
        equal += value == c.worst;
    }
    if (count == 0)
        return c;
    c.p = (double)equal / (double)count;
    /* Of a run that lacks the measure it is unknown whether it was at its worst. */
    double own = series->runs[slowest]->measures[measure];
    c.is_asked = item->is_contributor && c.p < mapping->p_contributor &&
                 (!isnan(own) || mapping->missing_counts);
    c.is_contributor = c.is_asked && own == c.worst;
    return c;
}

void anomaly_find(const struct mapping *mapping, const struct run_series *series,
                  const struct region *region, struct anomaly *ret)
{
    ret->slowest = region->first;
    ret->is_asked = ret->is_explained = false;
    for (size_t i = region->first; i < region->end; i++)
        if (series->fractions[i] < series->fractions[ret->slowest])
            ret->slowest = i;
    for (size_t m = 0; m < mapping->measures.count; m++) {
        ret->measures[m] = measure_ask(mapping, series, region, ret->slowest, m);
        ret->is_asked = ret->is_asked || ret->measures[m].is_asked;
        ret->is_explained = ret->is_explained || ret->measures[m].is_contributor;
    }
}

void anomaly_count(struct anomaly_counts *counts, const struct mapping *mapping,
                   const struct anomaly *anomaly)
{
    for (size_t m = 0; m < mapping->measures.count; m++) {
        counts->measure_asked[m] += anomaly->measures[m].is_asked;
        counts->measure_worst[m] += anomaly->measures[m].is_contributor;
    }
    counts->all++;
    counts->asked += anomaly->is_asked;
    counts->explained += anomaly->is_explained;
}

size_t anomaly_measures(const struct anomaly_counts *counts,
                        const struct mapping *mapping, struct anomaly_measure *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < mapping->measures.count; i++) {
        const struct mapping_item *item = &mapping->measures.items[i];
        uint64_t asked = counts->measure_asked[i];
        uint64_t worst = counts->measure_worst[i];
        if (!item->is_contributor)
            continue;
        ret[count++] = (struct anomaly_measure){
            .name = item->name,
            .label = item->label,
            .asked = asked,
            .contributed = worst,
            .fraction = asked ? (double)worst / (double)asked : NAN,
            .p = asked ? binomial_tail(worst, asked, mapping->p_contributor) : NAN,
        };
    }
    return count;
}
