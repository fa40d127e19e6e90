/* SPDX-License-Identifier: Apache-2.0 */
/* space_owners - what users, groups or projects hold of file systems. */
#include "analysis/space/space_owners.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a target listed in its newest reading. */
struct listing {
    const struct space_holding *first; /* cluster, fs and target */
    int64_t newest_ns;
    double floor; /* what an owner that is not listed holds at most */
    bool has_others;
};

struct listings {
    struct listing *items;
    size_t count;
};

void space_owners_done(struct space_owners *owners)
{
    free(owners->items);
    *owners = (struct space_owners){ 0 };
}

static bool is_others(const struct space_holding *h)
{
    return strcmp(h->owner, SPACE_OTHERS) == 0;
}

static enum space_what what_of(const struct space_holding *h)
{
    return h->is_mdt ? SPACE_INODES : SPACE_BYTES;
}

/* ---- targets ---- */

static int by_fs(const struct space_holding *x, const struct space_holding *y)
{
    int order = strcmp(x->cluster, y->cluster);
    return order ? order : strcmp(x->fs, y->fs);
}

static int by_target_owner(const void *a, const void *b)
{
    const struct space_holding *x = a, *y = b;
    int order = by_fs(x, y);
    if (order == 0)
        order = strcmp(x->target, y->target);
    return order ? order : strcmp(x->owner, y->owner);
}

/* The newest reading of one target, and what is current. */
static void listing_make(struct space_holding *holdings, size_t count,
                         struct listing *ret)
{
    *ret = (struct listing){ .first = holdings, .newest_ns = INT64_MIN };
    for (size_t i = 0; i < count; i++)
        if (holdings[i].newest_ns > ret->newest_ns)
            ret->newest_ns = holdings[i].newest_ns;
    ret->floor = INFINITY;
    for (size_t i = 0; i < count; i++) {
        struct space_holding *h = &holdings[i];
        h->is_current = h->newest_ns == ret->newest_ns;
        if (!h->is_current)
            continue;
        if (is_others(h))
            ret->has_others = true;
        else
            ret->floor = fmin(ret->floor, h->now);
    }
    if (!ret->has_others || !isfinite(ret->floor))
        ret->floor = 0;
}

/* first of a listing is of no use once holdings are in another order: a copy of what it
 * names is. */
static int listings_make(struct space_holding *holdings, size_t count,
                         struct listings *ret, struct space_holding **ret_names)
{
    ret->items = calloc(count + 1, sizeof *ret->items);
    struct space_holding *names = calloc(count + 1, sizeof *names);
    *ret_names = names;
    if (!ret->items || !names)
        return -ENOMEM;
    if (count > 1)
        qsort(holdings, count, sizeof *holdings, by_target_owner);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1;
             next < count && by_fs(&holdings[first], &holdings[next]) == 0 &&
             strcmp(holdings[first].target, //
                    holdings[next].target) == 0;
             next++)
            ;
        struct listing *listing = &ret->items[ret->count];
        listing_make(&holdings[first], next - first, listing);
        names[ret->count] = holdings[first];
        listing->first = &names[ret->count++];
    }
    return 0;
}

/* ---- owners ---- */

static int by_owner_target(const void *a, const void *b)
{
    const struct space_holding *x = a, *y = b;
    int order = by_fs(x, y);
    if (order == 0)
        order = strcmp(x->owner, y->owner);
    return order ? order : strcmp(x->target, y->target);
}

/* What targets that do not list the owner may hold of it: of all of the file system,
 * less those that list it. */
static void owner_bound(const struct listings *listings, struct space_owner *owner)
{
    bool is_read[SPACE_WHAT_COUNT] = { false };
    double floors[SPACE_WHAT_COUNT] = { 0 };
    for (size_t i = 0; i < listings->count; i++) {
        const struct listing *listing = &listings->items[i];
        if (by_fs(listing->first, owner->holdings) != 0)
            continue;
        enum space_what what = what_of(listing->first);
        bool is_listed = false;
        is_read[what] = true;
        for (size_t k = 0; k < owner->holding_count && !is_listed; k++)
            is_listed = owner->holdings[k].is_current &&
                        strcmp(owner->holdings[k].target, listing->first->target) == 0;
        if (!is_listed)
            floors[what] += listing->floor;
    }
    for (int what = 0; what < SPACE_WHAT_COUNT; what++) {
        owner->used_max[what] = owner->used[what] + floors[what];
        if (!is_read[what])
            owner->used[what] = owner->used_max[what] = NAN;
    }
}

static void owner_make(const struct space_holding *holdings, size_t count,
                       struct space_owner *ret)
{
    *ret = (struct space_owner){ .holdings = holdings,
                                 .holding_count = count,
                                 .is_others = is_others(holdings),
                                 .newest_ns = INT64_MIN };
    for (size_t i = 0; i < count; i++) {
        if (holdings[i].newest_ns > ret->newest_ns)
            ret->newest_ns = holdings[i].newest_ns;
        if (holdings[i].is_current)
            ret->used[what_of(&holdings[i])] += holdings[i].now;
    }
}

static void shares_set(struct space_owner *owners, size_t count)
{
    double all[SPACE_WHAT_COUNT] = { 0 };
    for (size_t i = 0; i < count; i++)
        for (int what = 0; what < SPACE_WHAT_COUNT; what++)
            if (isfinite(owners[i].used[what]))
                all[what] += owners[i].used[what];
    for (size_t i = 0; i < count; i++)
        for (int what = 0; what < SPACE_WHAT_COUNT; what++)
            owners[i].share[what] =
                all[what] > 0 ? owners[i].used[what] / all[what] : NAN;
}

/* -1: unknown, so that what is known comes before. */
static double known(double value)
{
    return isfinite(value) ? value : -1;
}

static int by_used(const void *a, const void *b)
{
    const struct space_owner *x = a, *y = b;
    if (x->is_others != y->is_others)
        return x->is_others ? 1 : -1;
    for (int what = 0; what < SPACE_WHAT_COUNT; what++) {
        double p = known(x->used[what]), q = known(y->used[what]);
        if (p < q || p > q)
            return p > q ? -1 : 1;
    }
    return by_owner_target(x->holdings, y->holdings);
}

static void owners_make(const struct space_holding *holdings, size_t count,
                        const struct listings *listings, struct space_owners *ret)
{
    size_t fs_first = 0;
    for (size_t first = 0, next; first < count; first = next) {
        const struct space_holding *h = &holdings[first];
        for (next = first + 1; next < count && by_fs(h, &holdings[next]) == 0 &&
                               strcmp(h->owner, holdings[next].owner) == 0;
             next++)
            ;
        struct space_owner *owner = &ret->items[ret->count];
        owner_make(h, next - first, owner);
        owner_bound(listings, owner);
        ret->count++;
        if (next == count || by_fs(h, &holdings[next]) != 0) {
            shares_set(&ret->items[fs_first], ret->count - fs_first);
            fs_first = ret->count;
        }
    }
    if (ret->count > 1)
        qsort(ret->items, ret->count, sizeof *ret->items, by_used);
}

int space_owners_find(struct space_holding *holdings, size_t count,
                      struct space_owners *ret)
{
    struct listings listings = { 0 };
    struct space_holding *names = NULL;
    struct space_owners owners = { calloc(count + 1, sizeof *owners.items), 0 };
    int rc = owners.items ? listings_make(holdings, count, &listings, &names) : -ENOMEM;
    if (rc == 0) {
        if (count > 1)
            qsort(holdings, count, sizeof *holdings, by_owner_target);
        owners_make(holdings, count, &listings, &owners);
        *ret = owners;
        owners.items = NULL;
    }
    free(owners.items);
    free(listings.items);
    free(names);
    return rc;
}

int space_owner_trend(struct space_owner *owner, enum space_what what,
                      const double *used, size_t count, int64_t step_ns,
                      int64_t history_ns_min)
{
    double most = 1;
    for (size_t i = 0; i < count; i++)
        if (isfinite(used[i]))
            most = fmax(most, used[i]);
    const struct space_trend_opts opts = { .used = used,
                                           .count = count,
                                           .step_ns = step_ns,
                                           .capacity = most,
                                           .available =
                                               DBL_MAX, /* quotas are unknown */
                                           .history_ns_min = history_ns_min };
    int rc = space_trend_of(&opts, &owner->trend[what]);
    owner->has_trend[what] = rc == 0;
    return rc;
}
