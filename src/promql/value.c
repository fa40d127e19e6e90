/* SPDX-License-Identifier: Apache-2.0 */
/* value - what a node of an expression is at every step. */
#include "promql/value.h"

#include <stdlib.h>

void value_done(struct value *value)
{
    free(value->scalars);
    row_set_done(&value->rows);
    *value = (struct value){ 0 };
}

int value_init_scalar(struct value *ret, struct evaluation *ev, size_t count)
{
    *ret = (struct value){ .type = TYPE_SCALAR };
    int rc = evaluation_charge(ev, count);
    if (rc < 0)
        return rc;
    ret->scalars = calloc(count, sizeof *ret->scalars);
    return ret->scalars ? 0 : evaluation_no_memory(ev);
}

void value_init_vector(struct value *ret, struct evaluation *ev, size_t count)
{
    *ret = (struct value){ .type = TYPE_VECTOR };
    row_set_init(&ret->rows, ev, count);
}
