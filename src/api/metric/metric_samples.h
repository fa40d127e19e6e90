/* SPDX-License-Identifier: Apache-2.0 */
/* metric_samples - what /v1/query and (metric_listing) /v1/series respond with.
 *
 *     route        ─▶ new ─▶ next, next, ... ─▶ a stream to the client
 *     own_series   ─▶ new ─▶ next, next, ... ─▶ one text, read here
 *
 * Threads  one worker's.
 */
#ifndef API_METRIC_SAMPLES_H
#define API_METRIC_SAMPLES_H

#include "api/metric/metric_v1.h"
#include "api/reading/reading.h"

/* On whose behalf the store is read. */
struct metric_reading {
    struct metric_store *store;
    int (*watch)(void *arg); /* shall the reading go on?  Below 0: not */
    void *watch_arg;
    struct budget_hold *hold; /* is charged for what is held beside the text */
};

struct metric_samples;

/* job: whose nodes the query is about; it becomes the samples' own.  NULL: the query
 * names none. Errors: -ENOENT (no such component or metric), what watch and the hold
 * report, those of reading, -ENOMEM. */
int metric_samples_new(const struct metric_reading *reading,
                       const struct v1_query *query, struct job_reading *job,
                       struct metric_samples **ret, struct err *err);
/* Append a piece of some tens of KiB; nothing: that was all.  Errors: likewise. */
int metric_samples_next(void *samples, struct strbuf *out);
void metric_samples_free(void *samples);
DEFINE_AUTO(struct metric_samples, metric_samples_free);

struct metric_listing;

struct metric_listing_query {
    struct span components[V1_COMPONENTS_MAX]; /* none: all */
    size_t component_count;
    struct span metric; /* patterns, comma-separated */
    uint64_t limit;
    enum metric_form form; /* table or csv */
};

/* The query's texts outlive the listing.  The rest as above. */
int metric_listing_new(const struct metric_reading *reading,
                       const struct metric_listing_query *query,
                       struct metric_listing **ret, struct err *err);
int metric_listing_next(void *listing, struct strbuf *out);
void metric_listing_free(void *listing);
DEFINE_AUTO(struct metric_listing, metric_listing_free);

#endif
