/* SPDX-License-Identifier: Apache-2.0 */
/* series_name - which series counters of jobs have in the Prometheus language.
 *
 *     jobstats_write_bytes_total            a counter of each entry: a job on a target
 *     job:jobstats_write_bytes:rate         bytes a second of each job, over all
 * targets target:jobstats_metadata:rate         requests a second of each target
 *
 * The measure is one of query/counters/measure.h; times (usecs) have no rates.
 * Threads  none inside.
 */
#ifndef API_JOBSTATS_SERIES_NAME_H
#define API_JOBSTATS_SERIES_NAME_H

#include "promql/promql.h"
#include "query/query.h"

/* What a series is of. */
enum series_level {
    LEVEL_ENTRY,
    LEVEL_FS,
    LEVEL_TARGET,
    LEVEL_SERVER,
    LEVEL_JOB,
    LEVEL_USER,
    LEVEL_GROUP,
    LEVEL_NODE,
    LEVEL_EXECUTABLE,
    SERIES_LEVEL_COUNT,
};

enum {
    SERIES_LABELS_MAX = 9,
    SERIES_NAME_MAX = 64,
    SERIES_MEASURES_MAX = 64, /* of one level */
};

/* LABEL_ENTRY: what is no enum dim. */
enum { LABEL_ENTRY = DIM_COUNT };

struct series_level_info {
    const char *name;
    size_t label_count;            /* without __name__ */
    int labels[SERIES_LABELS_MAX]; /* enum dim or LABEL_ENTRY, by name */
};
extern const struct series_level_info series_levels[SERIES_LEVEL_COUNT];
const char *series_label_name(int label);
bool series_level_has_label(enum series_level level, struct span name);

/* The index-th measure of a level; false at the end. */
bool series_measure_at(enum series_level level, size_t index, struct measure *ret);
/* ret has SERIES_NAME_MAX bytes. */
struct span series_name_print(char *ret, enum series_level level,
                              const struct measure *measure);

#endif
