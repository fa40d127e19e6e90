/* SPDX-License-Identifier: Apache-2.0 */
/* scripted - a connection whose statements return the rows that a test wrote down. */
#ifndef RECORDS_ENGINE_TEST_SCRIPTED_H
#define RECORDS_ENGINE_TEST_SCRIPTED_H

#include "base/strbuf.h"
#include "records/engine/statement.h"

#define SCRIPTED_COLUMNS_MAX 64

/* A column: null, unless one of the others is set. */
struct scripted_cell {
    bool has_number;
    int64_t number; /* also of a time, in ms */
    const char *text;
    const struct uuid *uuid;
};

#define CELL_NULL \
    {             \
        0         \
    }
#define CELL_NUMBER(n)                    \
    {                                     \
        .has_number = true, .number = (n) \
    }
#define CELL_TEXT(t) \
    {                \
        .text = (t)  \
    }

struct scripted {
    const struct scripted_cell (*rows)[SCRIPTED_COLUMNS_MAX];
    size_t row_count;
    int fails; /* -errno of every statement; 0: none */
    /* What was run last. */
    struct strbuf sql;
    struct sql_value values[SQL_VALUES_MAX];
    size_t value_count;
    size_t given; /* rows */
};

struct sql_conn scripted_conn(struct scripted *script);
void scripted_done(struct scripted *script);
DEFINE_AUTO_DONE(struct scripted, scripted_done);
/* The row of those cells by itself. */
struct sql_row scripted_row(const struct scripted_cell *cells);

#endif
