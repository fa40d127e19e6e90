/* SPDX-License-Identifier: Apache-2.0 */
/* bulk - many rows of one table, as they are, into an engine: for copies of databases.
 *
 *     begin ─▶ bulk_begin(table, columns) ─▶ bulk_row ... ─▶ bulk_end ─▶ commit
 *
 * Values are those that the other engine was read for: a column has one type here, and
 * in each engine its own.
 */
#ifndef RECORDS_ENGINE_BULK_H
#define RECORDS_ENGINE_BULK_H

#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

enum bulk_type {
    BULK_TEXT,
    BULK_BYTES,
    BULK_UUID, /* 16 bytes */
    BULK_I64,
    BULK_I32, /* an integer that PostgreSQL stores in four bytes */
    BULK_BOOL,
    BULK_DOUBLE,
    BULK_TIME, /* ms */
};

struct bulk_column {
    const char *name;
    enum bulk_type type;
};

struct bulk_value {
    bool is_null;
    int64_t i64; /* also of BULK_BOOL, BULK_TIME */
    double dbl;
    struct span bytes; /* of BULK_TEXT, BULK_BYTES, BULK_UUID; valid during the call */
};

/* Rows on their way into one table; the caller's, all of it is set by bulk_begin. */
struct bulk {
    const char *table;
    const struct bulk_column *columns;
    size_t column_count;
};

#endif
