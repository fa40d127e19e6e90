/* SPDX-License-Identifier: Apache-2.0 */
/* value - what a node of an expression is at every step. */
#ifndef PROMQL_VALUE_H
#define PROMQL_VALUE_H

#include "promql/row_set.h"
#include "promql/syntax/syntax.h"

struct value {
    enum value_type type;
    double *scalars;     /* TYPE_SCALAR, one a step; on the heap */
    struct row_set rows; /* TYPE_VECTOR */
    struct span string;  /* TYPE_STRING */
};

void value_done(struct value *value);
DEFINE_AUTO_DONE(struct value, value_done);

/* A scalar of count steps, to be filled.  Errors: -E2BIG. */
int value_init_scalar(struct value *ret, struct evaluation *ev, size_t count);
void value_init_vector(struct value *ret, struct evaluation *ev, size_t count);

#endif
