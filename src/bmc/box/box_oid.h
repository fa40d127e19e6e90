/* SPDX-License-Identifier: Apache-2.0 */
/* box_oid - an object identifier: its text, its order, and what is below it.
 *
 *     "1.3.6.1.2.1.2.2.1.8" ─▶ 10 numbers        a row's index: what follows them
 *
 * Bounds   BOX_OID_MAX numbers of 32 bits.
 * Threads  any: pure.
 */
#ifndef BMC_BOX_BOX_OID_H
#define BMC_BOX_BOX_OID_H

#include "base/span_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOX_OID_MAX 128
#define BOX_OID_TEXT_BYTES (11 * BOX_OID_MAX)

struct box_oid {
    uint32_t number[BOX_OID_MAX];
    size_t count; /* 0: none */
};

/* With a leading dot or without.  Errors: -EINVAL. */
int box_oid_parse(struct span text, struct box_oid *ret);
/* By its numbers; one that begins another is the smaller. */
int box_oid_compare(const struct box_oid *a, const struct box_oid *b);
/* Whether oid is below root, and not root itself. */
bool box_oid_is_below(const struct box_oid *oid, const struct box_oid *root);
/* Numbers from the index first on, with dots.  Returns the length; 0: over size. */
size_t box_oid_print(const struct box_oid *oid, size_t first, char *out, size_t size);

#endif
