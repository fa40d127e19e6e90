/* SPDX-License-Identifier: Apache-2.0 */
/* space_parts - the parts of a history between which data was cleaned up. */
#include "analysis/space/space_parts.h"

#include "analysis/stats/stats.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The values that are there, and where each of them is. */
struct history {
    const double *used;
    size_t *at;
    size_t count;
    double drop_min,
        quick; /* of a value's change to the next slot: above it is quick */
};

static double value_at(const struct history *h, size_t i)
{
    return h->used[h->at[i]];
}

/* By slot, where some are missing between two values. */
static double change_at(const struct history *h, size_t i)
{
    return (value_at(h, i + 1) - value_at(h, i)) / (double)(h->at[i + 1] - h->at[i]);
}

static int quick_find(struct history *h)
{
    AUTO_FREE double *changes = calloc(h->count + 1, sizeof *changes);
    if (!changes)
        return -ENOMEM;
    for (size_t i = 0; i + 1 < h->count; i++)
        changes[i] = fabs(change_at(h, i));
    size_t count = numbers_sort(changes, h->count > 0 ? h->count - 1 : 0);
    h->quick = count > 0 ? SPACE_CLEANUP_QUICK * quantile(changes, count, 0.5) : 0;
    return 0;
}

/* The last of the values that fall from first on. */
static size_t fall_end(const struct history *h, size_t first)
{
    size_t end = first;
    while (end + 1 < h->count && change_at(h, end) < 0)
        end++;
    return end;
}

/* What there was before values rose quickly to that of index. */
static double before_rise(const struct history *h, size_t index)
{
    while (index > 0 && change_at(h, index - 1) > h->quick)
        index--;
    return value_at(h, index);
}

static bool is_cleanup(const struct history *h, size_t first, size_t end)
{
    if (end == first)
        return false;
    double drop = value_at(h, first) - value_at(h, end);
    double slots = (double)(h->at[end] - h->at[first]);
    return drop >= h->drop_min && drop / slots > h->quick &&
           before_rise(h, first) - value_at(h, end) >= h->drop_min;
}

static void parts_number(const struct history *h, size_t *parts,
                         struct space_cleanups *ret)
{
    for (size_t i = 0; i < h->count; i++) {
        size_t end = fall_end(h, i);
        parts[h->at[i]] = ret->count;
        if (!is_cleanup(h, i, end))
            continue;
        ret->removed += value_at(h, i) - value_at(h, end);
        ret->count++;
        i = end - 1; /* what is between them belongs to no part */
    }
}

int space_parts_find(const double *used, size_t count, double capacity, size_t *parts,
                     struct space_cleanups *ret)
{
    struct space_cleanups found = { 0 };
    AUTO_FREE size_t *at = calloc(count + 1, sizeof *at);
    struct history h = { .used = used,
                         .at = at,
                         .drop_min = SPACE_CLEANUP_SHARE * capacity };
    if (!at)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (isfinite(used[i]))
            at[h.count++] = i;
    if (quick_find(&h) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        parts[i] = SPACE_NO_PART;
    parts_number(&h, parts, &found);
    *ret = found;
    return 0;
}
