/* SPDX-License-Identifier: Apache-2.0 */
/* table_mapping - what the columns of somebody's table of measures mean.
 *
 *     [table]
 *     time = #Time                       a column
 *     zone = epoch                       epoch, UTC or +01:00
 *     component = {fs}@{ProducerName}    columns in braces
 *     [measure datatargets/readbytes]
 *     column = read_kb
 *     unit = KiB
 *     kind = counter
 *
 * doc/formats/table.md; etc/tables has some that are whole.
 */
#ifndef SOURCE_TABLE_TABLE_MAPPING_H
#define SOURCE_TABLE_TABLE_MAPPING_H

#include "base/config.h"

#define TABLE_MEASURES_MAX 64

enum table_zone { TABLE_ZONE_EPOCH, TABLE_ZONE_TEXT };

enum table_kind { TABLE_GAUGE, TABLE_COUNT, TABLE_RATE, TABLE_COUNTER };

/* What the time of a row stands for. */
enum table_at { TABLE_AT_START, TABLE_AT_END };

struct table_measure {
    const char *name; /* "datatargets/readbytes" */
    const char *column;
    enum table_kind kind;
    double scale; /* what a value is multiplied with */
};

struct table_mapping {
    const char *time;
    enum table_zone zone;
    int64_t zone_east_s; /* of texts */
    enum table_at at;
    const char *component;
    const char
        *only_column; /* NULL: every row; else those that have only_value there */
    const char *only_value;
    const char *query; /* of databases; NULL: none */
    int64_t query_timeout_ns;
    struct table_measure measures[TABLE_MEASURES_MAX];
    size_t measure_count;
    struct config *config; /* holds the texts */
};

/* Errors: -EINVAL with file, line, key and reason; what open says. */
int table_mapping_load(const char *path, struct table_mapping *ret, struct err *err);
int table_mapping_parse(const char *name, struct span text, struct table_mapping *ret,
                        struct err *err);
void table_mapping_done(struct table_mapping *mapping);

static inline void auto_table_mapping_done(struct table_mapping *mapping)
{
    table_mapping_done(mapping);
}

#endif
