/* SPDX-License-Identifier: Apache-2.0 */
/* table_parts - a result that is several tables with names. */
#ifndef REPORT_TABLE_PARTS_H
#define REPORT_TABLE_PARTS_H

#include "base/options.h"
#include "base/table/table.h"
#include "base/terminal/screen.h"

#define TABLE_PARTS_MAX 16

struct table_part {
    const char *name;
    const struct table *table;
};

struct table_parts_args {
    const char *output;        /* --output; NULL: table */
    struct option_list wanted; /* --table; none: all */
};

/* Append the parts to out: as tables under their names, as one object of JSON with a
 * member each, or one of them as CSV, its notes to notes after "who: ".  CSV of several
 * is refused.  Errors: -EINVAL (a form or a name that is none), -ENOMEM. */
int table_parts_form(const char *who, const struct table_part *parts, size_t count,
                     const struct table_parts_args *args, const struct screen *screen,
                     struct strbuf *out, struct strbuf *notes, struct err *err);

/* All parts as one table, which begins with a column "part" that has their names: a
 * program that reads CSV wants one header.  Columns of one name and type are one
 * column; where only the names are the same, the later has its part before it
 * ("operations_total").  ret is initialised and empty.  Errors: -E2BIG (over
 * TABLE_COLUMNS_MAX columns), -ENOMEM. */
int table_parts_join(const struct table_part *parts, size_t count, struct table *ret);

#endif
