/* SPDX-License-Identifier: Apache-2.0 */
/* metric_reader - the buffers of one who reads metrics; private to query.
 *
 * Threads  belongs to one at a time.
 */
#ifndef QUERY_METRIC_METRIC_READER_H
#define QUERY_METRIC_METRIC_READER_H

#include "query/metric/metric_read.h"

struct metric_reader {
    struct metric_store *store;
    int (*watch)(void *arg); /* NULL: none */
    void *watch_arg;
    struct metric_points sum;   /* the result */
    struct metric_points child; /* one of several series */
    struct metric_times own;    /* of a series without a step */
    int64_t *lengths_ns;        /* of own, where these are rates: what each is over */
    size_t lengths_capacity;
    uint32_t *contributors;
    size_t contributors_capacity;
    const struct level_series **series;
    size_t series_count, series_capacity;
};

/* Whether to go on: what the watch says.  Before each series. */
int metric_reader_watched(const struct metric_reader *reader);
/* The series of a question: of each of its levels the nearest at or below.
 * Errors: -ENOENT (none), -ENOMEM. */
int metric_reader_find(struct metric_reader *reader,
                       const struct metric_read_opts *opts);
/* Reserve so many lengths.  Errors: -ENOMEM. */
int metric_reader_reserve_lengths(struct metric_reader *reader, size_t count);
/* The sum of the children as reader->sum: averaged where that is wanted, with how many
 * contributed to a point. */
void metric_reader_finish_sum(struct metric_reader *reader,
                              const struct metric_read_opts *opts,
                              struct metric_result *result);
/* What the numbers among values come to. */
void metric_numbers_count(const double *values, size_t count,
                          struct metric_numbers *ret);
/* Room for the contributors of so many points; 0 from *known on.  Errors: -ENOMEM. */
int metric_reader_reserve(struct metric_reader *reader, size_t *known, size_t count);
/* Add the numbers of reader->child to reader->sum. */
void metric_reader_add_child(struct metric_reader *reader);

#endif
