/* SPDX-License-Identifier: Apache-2.0 */
/* part - a range of a table's key that is copied in one transaction, and its checksum.
 *
 * A checksum does not depend on the order of rows or on the engine: the sum of the
 * hashes of the rows' values.
 */
#ifndef RECORDS_COPY_PART_H
#define RECORDS_COPY_PART_H

#include "records/copy/table.h"

struct copy_part {
    const struct copy_table *table;
    int64_t from, to; /* of the key, both included; of days: ms */
    int32_t day;      /* of COPY_BY_DAY */
    bool is_null;     /* rows whose key is null */
    char name[48];    /* "series 65536": what records_copy calls it */
};

struct copy_part_list {
    struct copy_part *parts;
    size_t count, capacity;
};

void copy_part_list_done(struct copy_part_list *list);
DEFINE_AUTO_DONE(struct copy_part_list, copy_part_list_done);

/* One database of a copy. */
struct copy_side {
    const struct records_engine *engine;
    struct sql_conn sql;
    struct day_list days[TARGET_KIND_COUNT];
};

/* The parts of table that one of both sides has, by key. Errors: as in engine.h. */
int copy_parts_find(const struct copy_table *table, const struct copy_side sides[2],
                    struct copy_part_list *list, struct err *err);

struct copy_sum {
    uint64_t count;
    uint64_t high, low;
    int64_t span_ms; /* of a day's entry */
};

/* The part that key is in; its parts begin at multiples of the width. */
void copy_part_make(const struct copy_table *table, int64_t key, int64_t floor,
                    struct copy_part *ret);

/* As records_copy stores it, without the count: 32 hexadecimal digits and the span. */
#define COPY_SUM_TEXT_SIZE 64
void copy_sum_print(const struct copy_sum *sum, char out[static COPY_SUM_TEXT_SIZE]);
bool copy_sum_eq(const struct copy_sum *a, const struct copy_sum *b);

/* A row of the part; values in the order of the table's columns, valid during the
 * call.  A negative return ends the reading. */
typedef int copy_row_fn(void *arg, const struct bulk_value *values);

/* Every row of the part to fn (NULL: none), and what they add up to.
 * Errors: -ENOMEM, as in engine.h, those of fn. */
int copy_part_read(const struct copy_part *part, const struct copy_side *side,
                   copy_row_fn *fn, void *arg, struct copy_sum *ret, struct err *err);
/* How many rows a day has, without reading them where that is possible; hours of a day
 * and how often they changed: as a text that is another when the part is another.
 * Empty: there is nothing cheaper than to read the part. */
int copy_part_mark(const struct copy_part *part, const struct copy_side *side,
                   uint64_t *ret_count, struct strbuf *ret, struct err *err);
/* ` WHERE ...` with $1, $2, and these. */
size_t copy_part_where(const struct copy_part *part, struct uuid ids[2],
                       struct sql_value values[2], struct strbuf *sql);
/* The table of the part in that engine. */
void copy_part_table(const struct copy_part *part, const struct records_engine *engine,
                     struct strbuf *sql);

#endif
