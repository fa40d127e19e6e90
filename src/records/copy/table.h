/* SPDX-License-Identifier: Apache-2.0 */
/* table - the tables that a copy of a database has: their columns, and by what each is
 * divided into parts.
 *
 * records_identity and schema_version are not among them: a copy is another database,
 * of the same version.
 */
#ifndef RECORDS_COPY_TABLE_H
#define RECORDS_COPY_TABLE_H

#include "records/engine/engine.h"

enum copy_key {
    COPY_WHOLE,       /* a small table: one part */
    COPY_BY_NUMBER,   /* ranges of an integer column; one more part of its nulls */
    COPY_BY_TIME,     /* days of a column of times */
    COPY_BY_DAY,      /* the days of jobstats_days */
    COPY_BY_ID_BYTE0, /* the first byte of a UUID */
};

#define COPY_TABLE_COUNT 23
#define COPY_COLUMNS_MAX 256

struct copy_table {
    const char *name;
    enum copy_key key;
    const char *key_column;
    int64_t width; /* of a part, in the column's unit */
    enum target_kind kind;
    struct bulk_column *columns;
    size_t column_count;
    bool is_private; /* a reading role may not read it */
    bool is_skipped; /* nor can this run */
};

/* In the order in which they are copied: what refers to others comes after them. */
struct copy_tables {
    struct copy_table tables[COPY_TABLE_COUNT];
};

/* Errors: -ENOMEM. */
int copy_tables_make(struct copy_tables *ret);
void copy_tables_done(struct copy_tables *tables);
DEFINE_AUTO_DONE(struct copy_tables, copy_tables_done);

#endif
