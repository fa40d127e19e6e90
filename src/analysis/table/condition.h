/* SPDX-License-Identifier: Apache-2.0 */
/* condition - a formula over typed values: units are checked before it is used, and
 * what is not known makes it unknown, not false.
 *
 *     server_read + server_written > 10TiB and not found.small
 *     (server_read / run_time) < 20MiB/s
 *
 * The language is that of expression.h, and numbers may have units (unit.h): written
 * without a blank, 64MiB, 10min, 2GB/s, 500/s, 90%.  Texts, numbers and truth are three
 * types; numbers of different units are neither compared nor added.
 *
 *     and      true   false  unknown        not unknown = unknown
 *     true     true   false  unknown        a comparison, a sum, min() or a function of
 *     false    false  false  false          what is not known is not known either;
 *     unknown  unknown false unknown        missing(x) is always known
 *
 * Threads  as expression.h.
 */
#ifndef ANALYSIS_TABLE_CONDITION_H
#define ANALYSIS_TABLE_CONDITION_H

#include "analysis/table/expression.h"
#include "analysis/table/unit.h"

enum condition_kind {
    CONDITION_NUMBER,
    CONDITION_TEXT,
    CONDITION_TRUTH,
};

struct condition_type {
    enum condition_kind kind;
    struct unit unit; /* of a number */
};

/* The values that a condition may name. */
struct condition_names {
    void *arg;
    expression_column_fn *find;
    struct condition_type (*type)(void *arg, int column);
    /* Why a name is refused that find did not find: fill *err. */
    void (*unknown)(void *arg, struct span name, struct err *err);
};

enum condition_result {
    CONDITION_FALSE,
    CONDITION_TRUE,
    CONDITION_UNKNOWN,
};

/* *ret_type: of its value.  Errors: -EINVAL with the column ("column 12: ...") and
 * what is wrong there, -ENOMEM. */
int condition_parse(struct span text, const struct condition_names *names,
                    struct arena *arena, const struct expression **ret,
                    struct condition_type *ret_type, struct err *err);

/* Missing where it is not known. */
struct value condition_value(const struct expression *e, const struct value *columns,
                             struct arena *arena);
enum condition_result condition_result(const struct expression *e,
                                       const struct value *columns,
                                       struct arena *arena);

#endif
