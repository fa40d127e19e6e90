/* SPDX-License-Identifier: Apache-2.0 */
/* expression - a small formula over the columns of one row.
 *
 *     1 - bytes / (fs_tot_bytes_read + fs_tot_bytes_written)
 *     if(darshan_nprocs > 1 and not contains(app, "test"), basename(app), "other")
 *
 * Numbers, "texts", columns by name ([any name] in brackets, which may hold pairs of
 * them: [write [GiB/s]]); + - * / %, = != < <= > >=, and, or, not; if(c,a,b) min max
 * abs floor log10 missing(x) contains(t,part) starts(t,part) basename(t) join(a,b,...)
 * lower(t) part(t,n,separator); of texts that people write: number(t) bytes(t)
 * seconds(t) time(t[,format]).  Truth is 1 and 0.
 *
 * What is missing makes its whole sum or product missing, so does a division by zero; a
 * comparison with it is false.  Texts are compared byte by byte.
 *
 * Limits  256 parts, 32 levels of brackets.
 * Threads  none: parsing and evaluating take memory from the arenas they are given.
 */
#ifndef ANALYSIS_EXPRESSION_H
#define ANALYSIS_EXPRESSION_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

enum value_kind { VALUE_MISSING, VALUE_NUMBER, VALUE_TEXT };

struct value {
    enum value_kind kind;
    bool is_by_zero; /* a division by zero went into it */
    double number;
    struct span text; /* of a number: how it was written, where it was */
};

static inline struct value value_number(double number)
{
    return (struct value){ .kind = number == number ? VALUE_NUMBER : VALUE_MISSING,
                           .number = number };
}

/* What stands in a field: empty or "nan" is missing, a whole number of any form a
 * number, everything else text. */
struct value value_of_text(struct span text);
/* As a number: of a text and of what is missing NaN. */
double value_as_number(const struct value *value);
/* A number but 0, or a text. */
bool value_is_true(const struct value *value);
/* As text, in arena where it must be made; missing is "", a number as it was written.
 */
struct span value_as_text(const struct value *value, struct arena *arena);

struct expression;

/* Index of the column called name among the values given later; -ENOENT: none. */
typedef int expression_column_fn(void *arg, struct span name);

/* Errors: -EINVAL with the place (column n) and what was expected there, -ENOMEM. */
int expression_parse(struct span text, expression_column_fn *column_fn, void *arg,
                     struct arena *arena, const struct expression **ret,
                     struct err *err);

/* Whether a formula can call a column by this name, in brackets. */
bool expression_can_name(struct span name);

/* arena holds texts that are made; they live as long as it. */
struct value expression_eval(const struct expression *e, const struct value *columns,
                             struct arena *arena);
bool expression_is_true(const struct expression *e, const struct value *columns,
                        struct arena *arena);

#endif
