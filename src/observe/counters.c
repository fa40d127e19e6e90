/* SPDX-License-Identifier: Apache-2.0 */
/* counters - the samples and sums of one entry, small enough to keep for every entry.
 */
#include "observe/counters.h"

#include <errno.h>

/* The first byte of a packed item. */
enum {
    KEY_COLUMN = 0x1f,
    KEY_SAMPLES = 0x20, /* a varint of samples follows */
    KEY_SUM = 0x40,
    KEY_BYTES = 0x80, /* the sum is in bytes: it may not fall */
    KEY_NAMED = 0x1f, /* as the column: unit, size and name follow */
};

_Static_assert((int)OP_COUNT < (int)KEY_NAMED, "a column fits into five bits");

static int item_order(const struct counter_item *a, const struct counter_item *b)
{
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    if (a->column != OP_COUNT)
        return 0;
    size_t n = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = n ? memcmp(a->name.data, b->name.data, n) : 0;
    if (order)
        return order;
    if (a->name.size != b->name.size)
        return a->name.size < b->name.size ? -1 : 1;
    return a->unit == b->unit ? 0 : a->unit < b->unit ? -1 : 1;
}

/* Keep the items sorted; the first of two with one key wins.  Lustre prints about
 * fifteen, nearly in order, so that sorting while inserting is the cheap way. */
static bool item_insert(struct counters *c, const struct counter_item *item)
{
    size_t at = c->count;
    while (at > 0) {
        int order = item_order(&c->items[at - 1], item);
        if (order == 0)
            return true;
        if (order < 0)
            break;
        at--;
    }
    if (c->count == COUNT_OF(c->items))
        return false;
    memmove(&c->items[at + 1], &c->items[at], (c->count - at) * sizeof c->items[0]);
    c->items[at] = *item;
    c->count++;
    return true;
}

void counters_of_entry(const struct entry *entry, struct counters *ret)
{
    ret->count = 0;
    for (size_t i = 0; i < entry->op_count; i++) {
        const struct op_stat *stat = &entry->ops[i];
        if (!(stat->has & (OP_HAS_SAMPLES | OP_HAS_SUM)))
            continue;
        int column = op_column(stat->name, stat->unit);
        struct counter_item item = {
            .column = column == OP_NONE ? (uint8_t)OP_COUNT : (uint8_t)column,
            .unit = (uint8_t)stat->unit,
            .samples = stat->has & OP_HAS_SAMPLES ? stat->samples : 0,
            .sum = stat->has & OP_HAS_SUM ? stat->sum : 0,
        };
        if (column == OP_NONE) {
            if (stat->name.size > COUNTERS_NAME_BYTES_MAX)
                continue;
            item.name = stat->name;
        }
        (void)item_insert(ret, &item);
    }
}

static uint8_t *put_varint(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

size_t counters_pack(const struct counters *counters,
                     uint8_t out[static COUNTERS_BYTES_MAX])
{
    uint8_t *p = out;
    for (size_t i = 0; i < counters->count; i++) {
        const struct counter_item *item = &counters->items[i];
        if (item->samples == 0 && item->sum == 0)
            continue;
        bool is_named = item->column == OP_COUNT;
        *p++ = (uint8_t)((is_named ? KEY_NAMED : item->column) |
                         (item->samples ? KEY_SAMPLES : 0) | (item->sum ? KEY_SUM : 0) |
                         (item->unit == OP_UNIT_BYTES ? KEY_BYTES : 0));
        if (is_named) {
            *p++ = item->unit;
            *p++ = (uint8_t)item->name.size;
            memcpy(p, item->name.data, item->name.size);
            p += item->name.size;
        }
        if (item->samples)
            p = put_varint(p, item->samples);
        if (item->sum)
            p = put_varint(p, item->sum);
    }
    return (size_t)(p - out);
}

static int take_varint(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint8_t byte = *(*p)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret = value;
            return 0;
        }
    }
    return -EBADMSG;
}

static int take_item(const uint8_t **p, const uint8_t *end, struct counter_item *item)
{
    uint8_t key = *(*p)++;
    *item = (struct counter_item){
        .column = key & KEY_COLUMN,
        .unit = key & KEY_BYTES ? OP_UNIT_BYTES : OP_UNIT_REQS,
    };
    if (item->column == KEY_NAMED) {
        if (end - *p < 2 || end - *p - 2 < (*p)[1])
            return -EBADMSG;
        item->column = OP_COUNT;
        item->unit = (*p)[0];
        item->name = (struct span){ (const char *)*p + 2, (*p)[1] };
        *p += 2 + item->name.size;
    } else if (item->column >= OP_COUNT) {
        return -EBADMSG;
    }
    if ((key & KEY_SAMPLES) && take_varint(p, end, &item->samples) < 0)
        return -EBADMSG;
    if ((key & KEY_SUM) && take_varint(p, end, &item->sum) < 0)
        return -EBADMSG;
    return 0;
}

int counters_unpack(const uint8_t *packed, size_t size, struct counters *ret)
{
    const uint8_t *p = packed, *end = packed + size;
    size_t count = 0;
    while (p < end) {
        if (count == COUNT_OF(ret->items) || take_item(&p, end, &ret->items[count]) < 0)
            return -EBADMSG;
        if (count && item_order(&ret->items[count - 1], &ret->items[count]) >= 0)
            return -EBADMSG;
        count++;
    }
    ret->count = count;
    return 0;
}

static const struct counter_item *find_item(const struct counters *c,
                                            const struct counter_item *like)
{
    for (size_t i = 0; i < c->count; i++)
        if (item_order(&c->items[i], like) == 0)
            return &c->items[i];
    return NULL;
}

bool counters_decreased(const struct counters *before, const struct counters *next)
{
    for (size_t i = 0; i < next->count; i++) {
        const struct counter_item *n = &next->items[i];
        const struct counter_item *b = find_item(before, n);
        if (!b)
            continue;
        if (n->samples < b->samples)
            return true;
        if (n->unit == OP_UNIT_BYTES && b->unit == OP_UNIT_BYTES && n->sum < b->sum)
            return true;
    }
    return false;
}

bool counters_changed(const struct counters *before, const struct counters *next)
{
    for (size_t i = 0; i < next->count; i++) {
        const struct counter_item *n = &next->items[i];
        const struct counter_item *b = find_item(before, n);
        if (n->samples != (b ? b->samples : 0) || n->sum != (b ? b->sum : 0))
            return true;
    }
    return false;
}

void counters_carry(const struct counters *before, struct counters *next)
{
    for (size_t i = 0; i < before->count; i++)
        (void)item_insert(next, &before->items[i]);
}

static uint64_t grown(uint64_t before, uint64_t next)
{
    return next > before ? next - before : 0;
}

int counters_add(struct counters *total, const struct counters *before,
                 const struct counters *next)
{
    for (size_t i = 0; i < next->count; i++) {
        const struct counter_item *n = &next->items[i];
        const struct counter_item *b = before ? find_item(before, n) : NULL;
        struct counter_item zero = *n;
        zero.samples = zero.sum = 0;
        if (!item_insert(total, &zero))
            return -ENOBUFS;
        for (size_t k = 0; k < total->count; k++) {
            struct counter_item *t = &total->items[k];
            if (item_order(t, n) != 0)
                continue;
            t->samples += grown(b ? b->samples : 0, n->samples);
            t->sum += grown(b ? b->sum : 0, n->sum);
        }
    }
    return 0;
}
