/* SPDX-License-Identifier: Apache-2.0 */
/* table_parts - an answer that is several tables with names. */
#ifndef CMD_TABLE_PARTS_H
#define CMD_TABLE_PARTS_H

#include "base/options.h"
#include "base/table.h"

#define TABLE_PARTS_MAX 8

struct table_part {
    const char *name;
    const struct table *table;
};

struct table_parts_args {
    const char *output;        /* --output; NULL: table */
    struct option_list wanted; /* --table; none: all */
};

/* To standard output: as tables under their names, as one object of JSON with a member
 * each, or one of them as CSV, its notes on standard error after who.  CSV of several
 * is refused.  Errors: -EINVAL (a form or a name that is none), -EIO, -ENOMEM. */
int table_parts_print(const char *who, const struct table_part *parts, size_t count,
                      const struct table_parts_args *args, struct err *err);

/* All of it to standard output.  Errors: -EIO, -ENOMEM. */
int output_print(const struct strbuf *out, struct err *err);

#endif
