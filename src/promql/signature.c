/* SPDX-License-Identifier: Apache-2.0 */
/* signature - rows that are equal in some of their labels get one number. */
#include "promql/signature.h"

void signatures_done(struct signatures *signatures)
{
    hashmap_done(&signatures->map);
    strbuf_done(&signatures->key);
}

int signature_of(struct signatures *s, const struct labels *labels, uint32_t *ret,
                 bool *ret_is_new)
{
    strbuf_clear(&s->key);
    labels_add_reduced_key(&s->key, labels, s->mode, &s->names);
    bool is_new = false;
    uintptr_t *number = hashmap_put(&s->map, strbuf_span(&s->key), &is_new);
    if (!number || strbuf_error(&s->key))
        return -ENOMEM;
    if (is_new)
        *number = s->count++;
    *ret = (uint32_t)*number;
    if (ret_is_new)
        *ret_is_new = is_new;
    return 0;
}

int signatures_of_rows(struct signatures *s, const struct row_set *set, uint32_t **ret)
{
    AUTO_FREE uint32_t *numbers = calloc(set->count + 1, sizeof *numbers);
    if (!numbers)
        return -ENOMEM;
    for (size_t i = 0; i < set->count; i++) {
        int rc = signature_of(s, &set->rows[i].labels, &numbers[i], NULL);
        if (rc < 0)
            return rc;
    }
    *ret = numbers;
    numbers = NULL;
    return 0;
}
