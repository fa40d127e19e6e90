/* SPDX-License-Identifier: Apache-2.0 */
/* reading - labels of a series as it is read, and what the database is to look for. */
#include "api/jobstats/reading.h"

#include "base/span.h"

/* ---- labels ---- */

void reading_labels_init(struct reading_labels *ret)
{
    ret->pairs[0] = (struct label){ SPAN(LABEL_METRIC_NAME), { NULL, 0 } };
    ret->count = 1;
}

void reading_labels_add(struct reading_labels *l, int label, struct span value)
{
    if (value.size > 0)
        l->pairs[l->count++] =
            (struct label){ span_of(series_label_name(label)), value };
}

bool reading_fits(const struct reading *r, const struct reading_labels *l)
{
    const struct labels labels = { l->count, l->pairs };
    for (size_t i = 0; i < r->selection->matcher_count; i++) {
        const struct matcher *m = &r->selection->matchers[i];
        if (!span_is(m->name, LABEL_METRIC_NAME) &&
            !matcher_fits_text(m, labels_get(&labels, m->name)))
            return false;
    }
    return true;
}

int reading_put(struct reading *r, struct reading_labels *l,
                const struct measure *measure, const struct promql_samples *samples)
{
    char name[SERIES_NAME_MAX];
    if (samples->count == 0)
        return 0;
    if (r->series_count++ == JOB_SERIES_MAX)
        return err_set(
            r->err, E2BIG,
            "a selector of counters of jobs fits over %d series: name fs, "
            "target, job or user, query a shorter time, or use a series that "
            "is added up already, such as job:jobstats_write_bytes:rate",
            JOB_SERIES_MAX);
    int rc = r->source->watch ? r->source->watch(r->source->watch_arg) : 0;
    if (rc < 0)
        return rc;
    l->pairs[0].value = series_name_print(name, r->level, measure);
    const struct labels labels = { l->count, l->pairs };
    return r->put(r->put_arg, &labels, samples);
}

/* ---- what is looked for ---- */

struct span reading_wanted(const struct reading *r, int label)
{
    for (size_t i = 0; i < r->selection->matcher_count; i++) {
        const struct matcher *m = &r->selection->matchers[i];
        if (m->kind == MATCHER_EQ && m->value.size > 0 &&
            span_is(m->name, series_label_name(label)))
            return m->value;
    }
    return (struct span){ NULL, 0 };
}

/* Patterns find more than the one target; what does not fit is left out later. */
int reading_filter(const struct reading *r, struct selection *sel)
{
    struct series_filter *f = &sel->filter;
    struct span target = reading_wanted(r, DIM_TARGET);
    f->fs = reading_wanted(r, DIM_FS);
    f->job = reading_wanted(r, DIM_JOB);
    f->user = reading_wanted(r, DIM_USER);
    f->group = reading_wanted(r, DIM_GROUP);
    f->node = reading_wanted(r, DIM_NODE);
    f->executable = reading_wanted(r, DIM_EXECUTABLE);
    sel->server = reading_wanted(r, DIM_SERVER);
    if (!target.data)
        return 0;
    f->target = arena_dup(&sel->arena, target);
    return f->target ? 0 : -ENOMEM;
}
