/* SPDX-License-Identifier: Apache-2.0 */
/* box_oid - an object identifier: its text, its order, and what is below it. */
#include "bmc/box/box_oid.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>

int box_oid_parse(struct span text, struct box_oid *ret)
{
    struct box_oid oid = { .count = 0 };
    struct span rest = text, word;
    bool has_more = true;
    if (rest.size > 0 && rest.data[0] == '.')
        rest = span_skip(rest, 1);
    while (has_more) {
        uint64_t number = 0;
        has_more = span_cut(&rest, '.', &word);
        if (oid.count == BOX_OID_MAX || number_parse_u64(word, &number) < 0 ||
            number > UINT32_MAX)
            return -EINVAL;
        oid.number[oid.count++] = (uint32_t)number;
    }
    /* What no encoding has: the first two are one number of it. */
    if (oid.count < 2 || oid.number[0] > 2 || (oid.number[0] < 2 && oid.number[1] > 39))
        return -EINVAL;
    *ret = oid;
    return 0;
}

int box_oid_compare(const struct box_oid *a, const struct box_oid *b)
{
    size_t count = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < count; i++)
        if (a->number[i] != b->number[i])
            return a->number[i] < b->number[i] ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

bool box_oid_is_below(const struct box_oid *oid, const struct box_oid *root)
{
    return oid->count > root->count &&
           memcmp(oid->number, root->number, root->count * sizeof root->number[0]) == 0;
}

size_t box_oid_print(const struct box_oid *oid, size_t first, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = first; i < oid->count; i++) {
        int more =
            snprintf(out + used, size - used, i > first ? ".%u" : "%u", oid->number[i]);
        if (more < 0 || (size_t)more >= size - used)
            return 0;
        used += (size_t)more;
    }
    return used;
}
