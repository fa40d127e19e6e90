/* SPDX-License-Identifier: Apache-2.0 */
/* common - the commonest values that many records name, each with its own four. */
#include "source/darshan/common.h"

#include <errno.h>
#include <string.h>

#define VALUES_MAX_DEFAULT ((size_t)1 << 20)

void darshan_common_done(struct darshan_common *c)
{
    hashmap_done(&c->counts);
}

/* Counts come from outside: they stay at the highest number, they do not wrap. */
static uint64_t add_count(uint64_t a, uint64_t b)
{
    return a > (uint64_t)INT64_MAX - b ? (uint64_t)INT64_MAX : a + b;
}

static int add_value(struct darshan_common *c, int64_t value, uint64_t count)
{
    size_t values_max = c->values_max > 0 ? c->values_max : VALUES_MAX_DEFAULT;
    struct span key = { (const char *)&value, sizeof value };
    uintptr_t *sum = hashmap_get(&c->counts, key);
    if (!sum && c->counts.count >= values_max) {
        c->left_out = add_count(c->left_out, count);
        return 0;
    }
    if (!sum)
        sum = hashmap_put(&c->counts, key, NULL);
    if (!sum)
        return -ENOMEM;
    *sum = add_count(*sum, count);
    return 0;
}

int darshan_common_add(struct darshan_common *c, const int64_t *values)
{
    for (size_t i = 0; i < DARSHAN_COMMON_VALUES; i++) {
        int64_t count = values[DARSHAN_COMMON_VALUES + i];
        if (values[i] == 0 || count <= 0)
            continue;
        int rc = add_value(c, values[i], (uint64_t)count);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static void insert(int64_t *top, int64_t value, int64_t count)
{
    int64_t *counts = top + DARSHAN_COMMON_VALUES;
    size_t at = 0;
    while (at < DARSHAN_COMMON_VALUES &&
           (counts[at] > count || (counts[at] == count && top[at] > value)))
        at++;
    if (at == DARSHAN_COMMON_VALUES)
        return;
    size_t behind = DARSHAN_COMMON_VALUES - 1 - at;
    memmove(top + at + 1, top + at, behind * sizeof *top);
    memmove(counts + at + 1, counts + at, behind * sizeof *counts);
    top[at] = value;
    counts[at] = count;
}

void darshan_common_top(const struct darshan_common *c,
                        int64_t ret[2 * DARSHAN_COMMON_VALUES])
{
    size_t cursor = 0;
    struct span key;
    uintptr_t *count;
    memset(ret, 0, 2 * DARSHAN_COMMON_VALUES * sizeof *ret);
    while (hashmap_next(&c->counts, &cursor, &key, &count)) {
        int64_t value;
        memcpy(&value, key.data, sizeof value);
        insert(ret, value, (int64_t)*count);
    }
}
