/* SPDX-License-Identifier: Apache-2.0 */
/* signature - rows that are equal in some of their labels get one number. */
#ifndef PROMQL_SIGNATURE_H
#define PROMQL_SIGNATURE_H

#include "base/hashmap.h"
#include "promql/row_set.h"

struct signatures {
    struct hashmap map;
    struct strbuf key;
    enum labels_mode mode;
    struct label_names names;
    uint32_t count; /* numbers given so far: 0 .. count - 1 */
};

void signatures_done(struct signatures *signatures);
DEFINE_AUTO_DONE(struct signatures, signatures_done);

/* The number of each row, an array of set->count that the caller frees.
 * Errors: -ENOMEM. */
int signatures_of_rows(struct signatures *signatures, const struct row_set *set,
                       uint32_t **ret);
/* The number of one set of labels. Errors: -ENOMEM. */
int signature_of(struct signatures *signatures, const struct labels *labels,
                 uint32_t *ret, bool *ret_is_new);

#endif
