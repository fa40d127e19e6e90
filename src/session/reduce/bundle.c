/* SPDX-License-Identifier: Apache-2.0 */
/* bundle - what a subtree contributes to one epoch: named reductions, and whose. */
#include "session/reduce/bundle.h"

#include "base/span.h"

#include <errno.h>

static void item_done(struct bundle_item *item)
{
    reduction_done(&item->reduction);
    rank_set_done(&item->ranks);
}

void bundle_done(struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++)
        item_done(&bundle->items[i]);
    free(bundle->items);
    rank_set_done(&bundle->ranks);
    *bundle = (struct bundle){ 0 };
}

int bundle_begin(struct bundle *bundle, uint32_t rank)
{
    *bundle = (struct bundle){ 0 };
    return rank_set_add(&bundle->ranks, rank, rank);
}

static bool is_item_name(struct span name)
{
    if (name.size == 0 || name.size > BUNDLE_NAME_MAX)
        return false;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || memchr("_.:-", c, 4)))
            return false;
    }
    return true;
}

static int item_order(const struct bundle_item *item, struct span name,
                      enum reduce_kind kind)
{
    size_t size = item->name_size < name.size ? item->name_size : name.size;
    int order = memcmp(item->name, name.data, size);
    if (order == 0)
        order = (int)item->name_size - (int)name.size;
    return order ? order : (int)item->reduction.kind - (int)kind;
}

/* Where it stands or belongs. */
static size_t item_at(const struct bundle *bundle, struct span name,
                      enum reduce_kind kind, bool *ret_is_there)
{
    size_t low = 0, high = bundle->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (item_order(&bundle->items[middle], name, kind) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_is_there =
        low < bundle->count && item_order(&bundle->items[low], name, kind) == 0;
    return low;
}

/* item belongs to the bundle afterwards.  In the order of names. */
static int item_insert(struct bundle *bundle, size_t at, const struct bundle_item *item)
{
    if (bundle->count == BUNDLE_ITEMS_MAX)
        return -E2BIG;
    if (bundle->count == bundle->capacity) {
        size_t capacity = bundle->capacity ? bundle->capacity * 2 : 8;
        void *grown = realloc(bundle->items, capacity * sizeof *bundle->items);
        if (!grown)
            return -ENOMEM;
        bundle->items = grown;
        bundle->capacity = capacity;
    }
    memmove(bundle->items + at + 1, bundle->items + at,
            (bundle->count - at) * sizeof *bundle->items);
    bundle->items[at] = *item;
    bundle->count++;
    return 0;
}

int bundle_put(struct bundle *bundle, struct span name, enum reduce_kind kind,
               const struct reduce_input *input)
{
    if (!is_item_name(name))
        return -EINVAL;
    bool is_there;
    size_t at = item_at(bundle, name, kind, &is_there);
    struct bundle_item item = { .name_size = (uint8_t)name.size, .is_of_all = true };
    memcpy(item.name, name.data, name.size);
    int rc = reduction_init(&item.reduction, kind, input);
    if (rc == 0 && !is_there) {
        rc = item_insert(bundle, at, &item);
        if (rc == 0)
            return 0;
    } else if (rc == 0) {
        rc = reduction_merge(&bundle->items[at].reduction, &item.reduction);
    }
    item_done(&item);
    return rc;
}

const struct bundle_item *bundle_find(const struct bundle *bundle, struct span name,
                                      enum reduce_kind kind)
{
    bool is_there;
    size_t at = item_at(bundle, name, kind, &is_there);
    return is_there ? &bundle->items[at] : NULL;
}

const struct rank_set *bundle_item_ranks(const struct bundle *bundle,
                                         const struct bundle_item *item)
{
    return item->is_of_all ? &bundle->ranks : &item->ranks;
}

/* ---- a top that is merged elsewhere ---- */

static int top_of(const struct reduce_input *entries, size_t count,
                  struct reduction *ret)
{
    int rc = reduction_init(ret, REDUCE_TOP, &entries[0]);
    for (size_t i = 1; rc == 0 && i < count; i++) {
        struct reduction one = { 0 };
        rc = reduction_init(&one, REDUCE_TOP, &entries[i]);
        if (rc == 0)
            rc = reduction_merge(ret, &one);
        reduction_done(&one);
    }
    return rc;
}

static void item_remove(struct bundle *bundle, size_t at)
{
    item_done(&bundle->items[at]);
    bundle->count--;
    memmove(bundle->items + at, bundle->items + at + 1,
            (bundle->count - at) * sizeof *bundle->items);
}

int bundle_set_top(struct bundle *bundle, struct span name,
                   const struct reduce_input *entries, size_t count)
{
    bool is_there;
    size_t at = item_at(bundle, name, REDUCE_TOP, &is_there);
    struct reduction made = { .kind = REDUCE_TOP };
    if (!is_there)
        return -ENOENT;
    struct reduction *old = &bundle->items[at].reduction;
    if (count == 0) {
        item_remove(bundle, at);
        return 0;
    }
    int rc = top_of(entries, count, &made);
    if (rc < 0) {
        reduction_done(&made);
        return rc;
    }
    made.count = old->count;
    reduction_done(old);
    *old = made;
    return 0;
}

int bundle_lose_top(struct bundle *bundle, struct span name, struct span lost)
{
    bool is_there;
    size_t at = item_at(bundle, name, REDUCE_TOP, &is_there);
    if (!is_there)
        return -ENOENT;
    const struct rank_set *ranks = bundle_item_ranks(bundle, &bundle->items[at]);
    if (ranks->count == 0)
        return -ENOENT;
    const struct reduce_input first = { .rank = ranks->ranges[0].first };
    AUTO(rank_set_done) struct rank_set who = { 0 };
    int rc = rank_set_copy(&who, ranks);
    if (rc == 0)
        rc = bundle_put(bundle, lost, REDUCE_HOSTS, &first);
    if (rc < 0)
        return rc;
    size_t lost_at = item_at(bundle, lost, REDUCE_HOSTS, &is_there);
    at = item_at(bundle, name, REDUCE_TOP, &is_there);
    rc = rank_set_unite(&bundle->items[lost_at].reduction.hosts, &who);
    if (rc == 0)
        item_remove(bundle, at);
    return rc;
}

/* ---- merging ---- */

/* An item of other that bundle has not: a copy, with its ranks named. */
static int item_adopt(struct bundle *bundle, size_t at, const struct bundle *other,
                      const struct bundle_item *item)
{
    struct bundle_item copy = { .name_size = item->name_size };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    memcpy(copy.name, item->name, sizeof copy.name);
    reduction_encode(&item->reduction, &bytes);
    struct octets in = { .rest = strbuf_span(&bytes) };
    int rc = strbuf_error(&bytes);
    if (rc == 0)
        rc = reduction_decode(&in, RANKS_MAX, &copy.reduction);
    if (rc == 0)
        rc = rank_set_copy(&copy.ranks, bundle_item_ranks(other, item));
    if (rc == 0)
        rc = item_insert(bundle, at, &copy);
    if (rc < 0)
        item_done(&copy);
    return rc;
}

static int merge_item(struct bundle *bundle, const struct bundle *other,
                      const struct bundle_item *item)
{
    bool is_there;
    size_t at = item_at(bundle, bundle_name(item), item->reduction.kind, &is_there);
    if (!is_there)
        return item_adopt(bundle, at, other, item);
    int rc = reduction_merge(&bundle->items[at].reduction, &item->reduction);
    return rc < 0 ? rc
                  : rank_set_unite(&bundle->items[at].ranks,
                                   bundle_item_ranks(other, item));
}

/* Ranks of items are named while two bundles become one. */
static int name_ranks(struct bundle *bundle)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < bundle->count; i++)
        if (bundle->items[i].is_of_all) {
            bundle->items[i].is_of_all = false;
            rc = rank_set_copy(&bundle->items[i].ranks, &bundle->ranks);
        }
    return rc;
}

static void shorten_ranks(struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++) {
        struct bundle_item *item = &bundle->items[i];
        if (rank_set_equal(&item->ranks, &bundle->ranks)) {
            item->is_of_all = true;
            rank_set_clear(&item->ranks);
        }
    }
}

int bundle_merge(struct bundle *bundle, const struct bundle *other)
{
    int rc = name_ranks(bundle);
    for (size_t i = 0; rc == 0 && i < other->count; i++) {
        int merged = merge_item(bundle, other, &other->items[i]);
        if (merged == -ENOMEM)
            rc = merged;
        else if (merged < 0)
            bundle->refused = reduce_count_add(bundle->refused, 1);
    }
    bundle->refused = reduce_count_add(bundle->refused, other->refused);
    if (rc == 0)
        rc = rank_set_unite(&bundle->ranks, &other->ranks);
    shorten_ranks(bundle);
    return rc;
}

static bool is_subset(const struct rank_set *part, const struct rank_set *whole)
{
    size_t at = 0;
    for (size_t i = 0; i < part->count; i++) {
        while (at < whole->count && whole->ranges[at].last < part->ranges[i].first)
            at++;
        if (at == whole->count || whole->ranges[at].first > part->ranges[i].first ||
            whole->ranges[at].last < part->ranges[i].last)
            return false;
    }
    return true;
}

static bool names_own(const struct reduction *r, const struct rank_set *ranks)
{
    if (r->kind == REDUCE_MIN || r->kind == REDUCE_MAX)
        return rank_set_has(ranks, r->extreme.rank);
    if (r->kind == REDUCE_HOSTS)
        return is_subset(&r->hosts, ranks);
    for (size_t i = 0; r->kind == REDUCE_TOP && i < r->top.count; i++)
        if (!rank_set_has(ranks, r->top.entries[i].rank))
            return false;
    for (size_t i = 0; r->kind == REDUCE_STATES && i < r->states.count; i++)
        if (!is_subset(&r->states.states[i].ranks, ranks))
            return false;
    return true;
}

bool bundle_is_own(const struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++) {
        const struct bundle_item *item = &bundle->items[i];
        const struct rank_set *ranks = bundle_item_ranks(bundle, item);
        if (rank_set_size(ranks) == 0 || !is_subset(ranks, &bundle->ranks) ||
            !names_own(&item->reduction, ranks))
            return false;
    }
    return true;
}

/* ---- bytes ---- */

void bundle_encode(const struct bundle *bundle, struct strbuf *out)
{
    rank_set_encode(&bundle->ranks, out);
    octets_add_varint(out, bundle->refused);
    octets_add_varint(out, bundle->count);
    for (size_t i = 0; i < bundle->count; i++) {
        const struct bundle_item *item = &bundle->items[i];
        octets_add_text(out, bundle_name(item));
        strbuf_addc(out, item->is_of_all ? 1 : 0);
        if (!item->is_of_all)
            rank_set_encode(&item->ranks, out);
        reduction_encode(&item->reduction, out);
    }
}

static int item_decode(struct octets *in, uint32_t ranks, struct bundle *bundle)
{
    struct bundle_item item = { 0 };
    struct span name = octets_text(in, BUNDLE_NAME_MAX);
    uint8_t is_of_all = octets_u8(in);
    if (in->is_bad || !is_item_name(name) || is_of_all > 1)
        return -EBADMSG;
    item.name_size = (uint8_t)name.size;
    item.is_of_all = is_of_all == 1;
    memcpy(item.name, name.data, name.size);
    int rc = is_of_all ? 0 : rank_set_decode(in, ranks, &item.ranks);
    if (rc == 0)
        rc = reduction_decode(in, ranks, &item.reduction);
    bool is_there = false;
    size_t at = item_at(bundle, name, item.reduction.kind, &is_there);
    if (rc == 0)
        rc = is_there ? -EBADMSG : item_insert(bundle, at, &item);
    if (rc < 0)
        item_done(&item);
    return rc;
}

int bundle_decode(struct octets *in, uint32_t ranks, struct bundle *ret)
{
    *ret = (struct bundle){ 0 };
    int rc = rank_set_decode(in, ranks, &ret->ranks);
    ret->refused = octets_limited(in, REDUCE_COUNT_MAX);
    size_t count = octets_limited(in, BUNDLE_ITEMS_MAX);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = item_decode(in, ranks, ret);
    return rc == 0 && in->is_bad ? -EBADMSG : rc;
}
