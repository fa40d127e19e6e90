/* SPDX-License-Identifier: Apache-2.0 */
/* cell - what others submitted, as cells of a table. */
#ifndef MODEL_CELL_H
#define MODEL_CELL_H

#include "base/span_type.h"
#include "base/table/table.h"

/* Bytes in the text form of identifiers, so that none drives a terminal; none: the cell
 * stays empty. */
void cell_set_bytes(struct table *table, size_t column, struct span bytes);

/* JOB_TIME_NONE: the cell stays empty. */
void cell_set_job_time(struct table *table, size_t column, int64_t t_ns);

#endif
