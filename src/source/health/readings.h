/* SPDX-License-Identifier: Apache-2.0 */
/* readings - readings of targets (model/target_reading.h) to and from what else has
 * them.
 *
 *     sample ─▶ readings ─▶ lines of POST /v1/health
 *               readings ─▶ table of GET /v1/health ─▶ readings
 *               readings ─▶ the texts of lfs df and lctl dl -t, which all readers of
 *                           health understand
 *
 * Of Lustre alone: disks of GPFS are no targets.
 */
#ifndef SOURCE_HEALTH_READINGS_H
#define SOURCE_HEALTH_READINGS_H

#include "base/table/table.h"
#include "source/health/health_dir.h"
#include "source/health/sample.h"

/* Call fn for each target of a sample: cluster, source and t_ns are the sample's. */
struct health_readings_opts {
    struct span cluster, source;
    int64_t t_ns;
    int (*fn)(void *arg, const struct target_reading *reading);
    void *arg;
};

/* What a line of JSON cannot hold (target_reading_check()) is left out and counted.
 * Errors: what fn returns. */
int health_sample_readings(const struct health_sample *sample,
                           const struct health_readings_opts *opts,
                           uint64_t *ret_left_out);

void health_readings_columns_add(struct table *table);
void health_readings_row_add(struct table *table, const struct target_reading *reading);
/* A row of such a table, whose columns may come in any order; texts are the table's.
 * Errors: -EBADMSG (it has not these columns, or the row is no reading). */
int health_readings_row_read(const struct table *table, size_t row,
                             struct target_reading *ret);

/* All rows of a table as blocks of one kind, in the order of time; rows that are no
 * readings are left out.  Of those at or before from_ns the last one of each target,
 * in one block of the oldest time among them: servers report theirs one by one.
 * Errors: -EBADMSG (it has not these columns), -ENOMEM. */
int health_readings_text(const struct table *table, enum health_kind kind,
                         int64_t from_ns, struct strbuf *out);

#endif
