/* SPDX-License-Identifier: Apache-2.0 */
/* job_series - counters of jobs as series, for the engine of the language. */
#include "api/jobstats/job_series.h"

#include "api/jobstats/reading.h"
#include "base/span.h"

static bool fits_name(const struct matcher *matchers, size_t count, struct span name)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(matchers[i].name, LABEL_METRIC_NAME) &&
            !matcher_fits_text(&matchers[i], name))
            return false;
    return true;
}

/* A label that the level does not have reads as empty. */
static bool level_may_fit(enum series_level level, const struct matcher *matchers,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!span_is(matchers[i].name, LABEL_METRIC_NAME) &&
            !series_level_has_label(level, matchers[i].name) &&
            !matcher_fits_text(&matchers[i], (struct span){ NULL, 0 }))
            return false;
    return true;
}

/* Names of ours hold this text: most queries are of others. */
static bool may_be_ours(const struct matcher *matchers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct matcher *m = &matchers[i];
        if (span_is(m->name, LABEL_METRIC_NAME) && m->kind == MATCHER_EQ &&
            !span_glob(m->value, "*jobstats_*"))
            return false;
    }
    return true;
}

static size_t find_measures(enum series_level level, const struct matcher *matchers,
                            size_t count, struct measure *ret)
{
    char name[SERIES_NAME_MAX];
    struct measure measure;
    size_t found = 0;
    if (!level_may_fit(level, matchers, count))
        return 0;
    for (size_t i = 0; series_measure_at(level, i, &measure); i++)
        if (fits_name(matchers, count, series_name_print(name, level, &measure)))
            ret[found++] = measure;
    return found;
}

bool job_series_may_fit(const struct matcher *matchers, size_t count)
{
    struct measure measures[SERIES_MEASURES_MAX];
    if (!may_be_ours(matchers, count))
        return false;
    for (enum series_level level = 0; level < SERIES_LEVEL_COUNT; level++)
        if (find_measures(level, matchers, count, measures) > 0)
            return true;
    return false;
}

int job_series_has_rows(const struct job_series *source, int64_t from_ms,
                        struct err *err)
{
    const struct query_ctx *ctx = NULL;
    int64_t latest_ms = T_NONE;
    if (!source->open)
        return 0;
    int rc = source->open(source->open_arg, &ctx, err);
    if (rc == 0)
        rc = query_latest(ctx, &latest_ms, err);
    return rc < 0 ? rc : latest_ms != T_NONE && latest_ms >= from_ms;
}

int job_series_select(const struct job_series *source,
                      const struct promql_selection *selection, promql_series_fn *put,
                      void *put_arg, struct err *err)
{
    struct reading r = { .source = source,
                         .selection = selection,
                         .put = put,
                         .put_arg = put_arg,
                         .err = err };
    if (!source->open || !may_be_ours(selection->matchers, selection->matcher_count))
        return 0;
    int rc = 0;
    for (r.level = 0; rc == 0 && r.level < SERIES_LEVEL_COUNT; r.level++) {
        r.measure_count = find_measures(r.level, selection->matchers,
                                        selection->matcher_count, r.measures);
        if (r.measure_count == 0)
            continue;
        if (!r.ctx)
            rc = source->open(source->open_arg, &r.ctx, err);
        if (rc == 0)
            rc = r.level == LEVEL_ENTRY ? entry_series_read(&r) : rate_series_read(&r);
    }
    return rc;
}
