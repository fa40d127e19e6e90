/* SPDX-License-Identifier: Apache-2.0 */
/* table_row - a row of somebody's table as values with time, component and measure.
 *
 * Threads  none inside.
 */
#ifndef SOURCE_TABLE_TABLE_ROW_H
#define SOURCE_TABLE_TABLE_ROW_H

#include "base/strbuf.h"
#include "source/table/table_mapping.h"

struct table_value {
    size_t measure; /* of the mapping's */
    struct span component;
    int64_t t_ns;
    double value; /* scaled */
};

struct table_rows {
    const struct table_mapping *mapping;
    size_t *parts; /* columns of the component's braces, in their order */
    size_t part_count;
    size_t time;
    size_t only; /* SIZE_MAX: none */
    size_t measures[TABLE_MEASURES_MAX];
    size_t column_count;
    struct strbuf component;
    uint64_t fault_count; /* rows that could not be read */
    /* Takes a value; less than 0 ends the reading. */
    int (*on_value)(void *arg, const struct table_value *value);
    /* Hears of a row that cannot be read; may be NULL; reason is static. */
    void (*on_fault)(void *arg, uint64_t row, const char *reason);
    void *arg;
};

/* Find the mapping's columns among names.  Errors: -EINVAL (one is not there), -ENOMEM.
 * Afterwards rows is to be done with, whatever came. */
int table_rows_init(struct table_rows *rows, const struct table_mapping *mapping,
                    const struct span *names, size_t count, struct err *err);
void table_rows_done(struct table_rows *rows);

/* Take one row; number is for messages.  An empty cell is a missing value; a row
 * without time, with other cells than columns, or with a value that is none costs that
 * row. Errors: -ENOMEM, what on_value returns. */
int table_rows_take(struct table_rows *rows, const struct span *cells, size_t count,
                    uint64_t number);

#endif
