/* SPDX-License-Identifier: Apache-2.0 */
/* scalar - one value of a named column: a text, a whole number, a number, or missing.
 */
#include "model/scalar.h"

#include "base/span.h"

bool scalar_eq(enum scalar_type type, const struct scalar *a, const struct scalar *b)
{
    if (a->is_present != b->is_present)
        return false;
    if (!a->is_present)
        return true;
    if (type == SCALAR_TEXT)
        return span_eq(a->text, b->text);
    return type == SCALAR_I64 ? a->i64 == b->i64 : a->dbl == b->dbl;
}
