/* SPDX-License-Identifier: Apache-2.0 */
/* scalar - one value of a named column: a text, a whole number, a number, or missing.
 */
#ifndef MODEL_SCALAR_H
#define MODEL_SCALAR_H

#include "base/span_type.h"

#include <stdint.h>

enum scalar_type {
    SCALAR_TEXT,
    SCALAR_I64,
    SCALAR_DOUBLE, /* finite */
};

struct scalar_column {
    const char *name; /* [a-z0-9_], as in CSV, JSON and the database */
    enum scalar_type type;
};

/* What type it has, its column says. */
struct scalar {
    bool is_present; /* false: missing, as all zero is */
    union {
        struct span text;
        int64_t i64;
        double dbl;
    };
};

static inline struct scalar scalar_text(struct span text)
{
    return (struct scalar){ .is_present = true, .text = text };
}

static inline struct scalar scalar_i64(int64_t value)
{
    return (struct scalar){ .is_present = true, .i64 = value };
}

static inline struct scalar scalar_double(double value)
{
    return (struct scalar){ .is_present = true, .dbl = value };
}

/* The same value, or both missing.  0.0 and -0.0 are the same number. */
bool scalar_eq(enum scalar_type type, const struct scalar *a, const struct scalar *b);

#endif
