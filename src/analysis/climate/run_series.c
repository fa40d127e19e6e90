/* SPDX-License-Identifier: Apache-2.0 */
/* run_series - some runs in the order of time, as columns, with their regions. */
#include "analysis/climate/run_series.h"

#include "base/span.h"

void run_series_done(struct run_series *series)
{
    free(series->runs);
    free(series->times);
    free(series->fractions);
    free(series->raw);
    free(series->sets);
    free(series->peaks);
    region_work_free(series->work);
    free(series->measure);
    free(series->regions);
    *series = (struct run_series){ 0 };
}

int run_series_init(struct run_series *series, const struct runs *runs)
{
    size_t count = runs->count + 1;
    struct run_series s = {
        .runs = reallocarray(NULL, count, sizeof *s.runs),
        .times = reallocarray(NULL, count, sizeof *s.times),
        .fractions = reallocarray(NULL, count, sizeof *s.fractions),
        .raw = reallocarray(NULL, count, sizeof *s.raw),
        .sets = reallocarray(NULL, count, sizeof *s.sets),
        .peaks = reallocarray(NULL, runs->set_count + 1, sizeof *s.peaks),
        .measure = reallocarray(NULL, count, sizeof *s.measure),
        .regions = reallocarray(NULL, count, sizeof *s.regions),
    };
    if (!s.runs || !s.times || !s.fractions || !s.raw || !s.sets || !s.peaks ||
        !s.measure || !s.regions || region_work_new(runs->set_count, &s.work) < 0) {
        run_series_done(&s);
        return -ENOMEM;
    }
    for (size_t i = 0; i < runs->set_count; i++)
        s.peaks[i] = runs->sets[i].best;
    *series = s;
    return 0;
}

void run_series_of_set(struct run_series *series, const struct runs *runs,
                       const struct run_set *set)
{
    series->count = set->count;
    for (size_t i = 0; i < set->count; i++)
        series->runs[i] = &runs->runs[set->first + i];
}

static int run_time_order(const void *a, const void *b)
{
    const struct run *x = *(const struct run *const *)a;
    const struct run *y = *(const struct run *const *)b;
    if (x->clock_ns != y->clock_ns)
        return x->clock_ns < y->clock_ns ? -1 : 1;
    return (x > y) - (x < y);
}

void run_series_of_group(struct run_series *series, const struct runs *runs,
                         const char *group)
{
    series->count = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (!group || strcmp(runs->sets[runs->runs[i].set].group, group) == 0)
            series->runs[series->count++] = &runs->runs[i];
    qsort(series->runs, series->count, sizeof(struct run *), run_time_order);
}

void run_series_fill(struct run_series *series, const struct mapping *mapping,
                     enum run_clock clock)
{
    for (size_t i = 0; i < series->count; i++) {
        const struct run *run = series->runs[i];
        series->times[i] = clock == RUN_CLOCK_UTC ? run->t_ns : run->clock_ns;
        series->fractions[i] = run->fraction;
        series->raw[i] = run->raw;
        series->sets[i] = run->set;
    }
    const struct region_values values = { .times = series->times,
                                          .values = series->raw,
                                          .sets = series->sets,
                                          .peaks = series->peaks,
                                          .count = series->count };
    series->region_count = regions_find(series->work, &values, mapping->short_ns,
                                        mapping->long_ns, series->regions);
}

static const char *name_at(const struct runs *runs, const struct run_selection *s,
                           size_t i)
{
    if (s->pool == RUN_POOL_CLASS)
        return runs->sets[i].name;
    const char *group = runs->sets[i].group;
    return i > 0 && strcmp(group, runs->sets[i - 1].group) == 0 ? NULL : group;
}

bool run_series_next(struct run_series *series, const struct mapping *mapping,
                     const struct runs *runs, struct run_selection *selection)
{
    if (selection->pool == RUN_POOL_ALL) {
        if (selection->next++ > 0)
            return false;
        selection->name = "all";
        run_series_of_group(series, runs, NULL);
        run_series_fill(series, mapping, RUN_CLOCK_SITE);
        return true;
    }
    while (selection->next < runs->set_count) {
        size_t i = selection->next++;
        const char *name = name_at(runs, selection, i);
        if (!name ||
            (selection->pattern && !span_glob(span_of(name), selection->pattern)))
            continue;
        selection->name = name;
        if (selection->pool == RUN_POOL_CLASS)
            run_series_of_set(series, runs, &runs->sets[i]);
        else
            run_series_of_group(series, runs, name);
        run_series_fill(series, mapping, RUN_CLOCK_SITE);
        return true;
    }
    return false;
}

const double *run_series_measure(struct run_series *series, size_t measure)
{
    for (size_t i = 0; i < series->count; i++)
        series->measure[i] = series->runs[i]->measures[measure];
    return series->measure;
}
