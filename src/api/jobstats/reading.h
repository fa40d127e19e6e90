/* SPDX-License-Identifier: Apache-2.0 */
/* reading - what one level of a selection is read with; private to the room. */
#ifndef API_JOBSTATS_READING_H
#define API_JOBSTATS_READING_H

#include "api/jobstats/job_series.h"
#include "api/jobstats/series_name.h"

struct reading {
    const struct job_series *source;
    const struct query_ctx *ctx;
    const struct promql_selection *selection;
    promql_series_fn *put;
    void *put_arg;
    struct err *err;
    enum series_level level;
    struct measure measures[SERIES_MEASURES_MAX];
    size_t measure_count;
    size_t series_count; /* put so far, of all levels */
};

/* Labels of one series, and whether all but the name's matchers fit. */
struct reading_labels {
    struct label pairs[SERIES_LABELS_MAX + 1]; /* the first is the name's */
    size_t count;
};
void reading_labels_init(struct reading_labels *ret);
/* In the order of the level; an empty value is no label. */
void reading_labels_add(struct reading_labels *l, int label, struct span value);
bool reading_fits(const struct reading *r, const struct reading_labels *l);

/* The text that a label must have; data NULL: there is no such. */
struct span reading_wanted(const struct reading *r, int label);
/* Fill what the database can look for. */
int reading_filter(const struct reading *r, struct selection *sel);

/* Counted, and given its name.  Errors: -E2BIG, those of watch and put. */
int reading_put(struct reading *r, struct reading_labels *l,
                const struct measure *measure, const struct promql_samples *samples);

int entry_series_read(struct reading *r);
int rate_series_read(struct reading *r);

#endif
