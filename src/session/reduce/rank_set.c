/* SPDX-License-Identifier: Apache-2.0 */
/* rank_set - a set of ranks as sorted ranges: {0..12, 14, 20..40}. */
#include "session/reduce/rank_set.h"

#include <errno.h>
#include <string.h>

void rank_set_done(struct rank_set *set)
{
    free(set->ranges);
    *set = (struct rank_set){ 0 };
}

void rank_set_clear(struct rank_set *set)
{
    set->count = 0;
}

static int reserve_ranges(struct rank_set *set, size_t count)
{
    if (count <= set->capacity)
        return 0;
    size_t capacity = set->capacity ? set->capacity * 2 : 4;
    if (capacity < count)
        capacity = count;
    void *grown = realloc(set->ranges, capacity * sizeof *set->ranges);
    if (!grown)
        return -ENOMEM;
    set->ranges = grown;
    set->capacity = capacity;
    return 0;
}

/* The first range whose end is at or after rank. */
static size_t range_at(const struct rank_set *set, uint32_t rank)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->ranges[middle].last < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Put a range in the stead of count ranges from index on. */
static int replace_ranges(struct rank_set *set, size_t index, size_t count,
                          struct rank_range range)
{
    int rc = reserve_ranges(set, set->count + 1);
    if (rc < 0)
        return rc;
    struct rank_range *at = set->ranges + index;
    memmove(at + 1, at + count, (set->count - index - count) * sizeof *at);
    *at = range;
    set->count = set->count - count + 1;
    return 0;
}

int rank_set_add(struct rank_set *set, uint32_t first, uint32_t last)
{
    struct rank_range range = { first, last };
    size_t begin = range_at(set, first ? first - 1 : 0), end = begin;
    while (end < set->count && set->ranges[end].first <= last + 1) {
        if (set->ranges[end].first < range.first)
            range.first = set->ranges[end].first;
        if (set->ranges[end].last > range.last)
            range.last = set->ranges[end].last;
        end++;
    }
    return replace_ranges(set, begin, end - begin, range);
}

int rank_set_unite(struct rank_set *set, const struct rank_set *other)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < other->count; i++)
        rc = rank_set_add(set, other->ranges[i].first, other->ranges[i].last);
    return rc;
}

static int subtract_range(struct rank_set *set, struct rank_range cut)
{
    size_t i = range_at(set, cut.first);
    while (i < set->count && set->ranges[i].first <= cut.last) {
        struct rank_range *at = &set->ranges[i], whole = *at;
        if (whole.first < cut.first && whole.last > cut.last) {
            struct rank_range left = { whole.first, cut.first - 1 };
            at->first = cut.last + 1;
            return replace_ranges(set, i, 0, left);
        }
        if (whole.first < cut.first) {
            at->last = cut.first - 1;
            i++;
        } else if (whole.last > cut.last) {
            at->first = cut.last + 1;
            return 0;
        } else {
            memmove(at, at + 1, (set->count - i - 1) * sizeof *at);
            set->count--;
        }
    }
    return 0;
}

int rank_set_subtract(struct rank_set *set, const struct rank_set *other)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < other->count; i++)
        rc = subtract_range(set, other->ranges[i]);
    return rc;
}

int rank_set_copy(struct rank_set *set, const struct rank_set *other)
{
    int rc = reserve_ranges(set, other->count);
    if (rc < 0)
        return rc;
    if (other->count)
        memcpy(set->ranges, other->ranges, other->count * sizeof *set->ranges);
    set->count = other->count;
    return 0;
}

bool rank_set_has(const struct rank_set *set, uint32_t rank)
{
    size_t i = range_at(set, rank);
    return i < set->count && set->ranges[i].first <= rank;
}

bool rank_set_equal(const struct rank_set *a, const struct rank_set *b)
{
    return a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->ranges, b->ranges, a->count * sizeof *a->ranges) == 0);
}

uint32_t rank_set_size(const struct rank_set *set)
{
    uint32_t size = 0;
    for (size_t i = 0; i < set->count; i++)
        size += set->ranges[i].last - set->ranges[i].first + 1;
    return size;
}

/* Each range as its distance from the one before and its length less one. */
void rank_set_encode(const struct rank_set *set, struct strbuf *out)
{
    uint32_t next = 0;
    octets_add_varint(out, set->count);
    for (size_t i = 0; i < set->count; i++) {
        struct rank_range range = set->ranges[i];
        octets_add_varint(out, range.first - next);
        octets_add_varint(out, range.last - range.first);
        next = range.last + 2; /* the next one does not touch it */
    }
}

int rank_set_decode(struct octets *in, uint32_t size, struct rank_set *set)
{
    size_t count = octets_limited(in, size / 2 + 1);
    uint32_t next = 0;
    rank_set_clear(set);
    for (size_t i = 0; i < count; i++) {
        if (next >= size)
            in->is_bad = true;
        uint32_t first = next + (uint32_t)octets_limited(in, size - 1);
        uint32_t last = first + (uint32_t)octets_limited(in, size - 1);
        if (in->is_bad || last >= size)
            return -EBADMSG;
        int rc = rank_set_add(set, first, last);
        if (rc < 0)
            return rc;
        next = last + 2;
    }
    return in->is_bad ? -EBADMSG : 0;
}
