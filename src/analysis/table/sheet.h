/* SPDX-License-Identifier: Apache-2.0 */
/* sheet - how a table is written: section [table] of a mapping.
 *
 *     what divides fields ─▶ csv_form     numbers ─▶ number_form     missing values
 *     names, where the file has none      lines that are no rows
 *     wide: columns that are runs of their own      long: rows that are one run
 * together
 */
#ifndef ANALYSIS_TABLE_SHEET_H
#define ANALYSIS_TABLE_SHEET_H

#include "analysis/table/csv.h"
#include "analysis/table/expression.h"
#include "analysis/table/quantity.h"
#include "base/config.h"

#define TABLE_MISSING_MAX 32

/* A text that stands for a value that is missing; a number in any form of it. */
struct missing_sign {
    struct span text;
    double number; /* NaN: it is none */
};

struct sheet {
    struct csv_form csv;
    struct number_form number;
    struct missing_sign missing[TABLE_MISSING_MAX];
    size_t missing_count;
    const char *names;          /* "a, b, c"; NULL: the first row has them */
    uint64_t skip_rows;         /* behind the names */
    struct config_list wide;    /* patterns of columns */
    struct config_list long_by; /* columns; none: a row is a run */
    const char *long_name, *long_value;
};

/* For a file of which nothing is said. */
extern const struct sheet sheet_default;
extern const struct config_section sheet_section;

/* The section of a file that was read; texts are the config's.
 * Errors: -EINVAL with the key. */
int sheet_read(const struct config *config, struct sheet *ret, struct err *err);

/* What stands in a field; its text is that of the field. */
struct value sheet_value(const struct sheet *form, struct span text);

#endif
