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
/* Room for the contributors of so many points; 0 from *known on.  Errors: -ENOMEM. */
int metric_reader_reserve(struct metric_reader *reader, size_t *known, size_t count);
/* Add the numbers of reader->child to reader->sum. */
void metric_reader_add_child(struct metric_reader *reader);

#endif
