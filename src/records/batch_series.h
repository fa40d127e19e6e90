/* SPDX-License-Identifier: Apache-2.0 */
/* batch_series - the series of a batch's rows: in memory, in the database, or new.
 *
 *     rows ─▶ cache ─▶ one query for all that miss ─▶ new ones described by the site,
 *                                                     given an id, stored
 *
 * Threads  the writer's, between begin and commit.
 */
#ifndef RECORDS_BATCH_SERIES_H
#define RECORDS_BATCH_SERIES_H

#include "records/records_private.h"

struct batch_series {
    struct records *records;
    struct arena *arena;
    const struct series **series; /* by index in the batch */
    struct series **missing;      /* not in the cache: sorted, each once */
    size_t missing_count;
};

/* For a batch of count rows; all memory is of arena.  Errors: -ENOMEM. */
int batch_series_init(struct batch_series *b, struct records *records,
                      struct arena *arena, size_t count);
/* Set b->series of each row; the texts of rows and the arena must live as long as b.
 * Errors: as records_put. */
int batch_series_find(struct batch_series *b, const struct keyed_row *rows,
                      size_t row_count, struct err *err);
/* After COMMIT: remember those that were not in memory.  Series of this batch may be
 * evicted by that: b->series is not valid any more. */
void batch_series_cache(struct batch_series *b);

#endif
