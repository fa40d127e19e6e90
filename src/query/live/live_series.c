/* SPDX-License-Identifier: Apache-2.0 */
/* live_series - one series in memory: its last row and its increments, packed. */
#include "query/live/live_series.h"

#include "base/cleanup.h"

static struct span *const *series_texts(struct series *s, struct span *out[10])
{
    struct span *texts[] = { &s->fs,  &s->target,    &s->entry_id, &s->format,
                             &s->job, &s->user,      &s->group,    &s->node,
                             &s->pid, &s->executable };
    memcpy(out, texts, sizeof texts);
    return out;
}

int live_series_init(struct live_series *s, const struct series *series)
{
    struct span *texts[10];
    *s = (struct live_series){ .series = *series };
    (void)series_texts(&s->series, texts);
    size_t size = 1;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        size += texts[i]->size;
    s->texts = malloc(size);
    if (!s->texts)
        return -ENOMEM;
    s->text_bytes = size;
    char *at = s->texts;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (!texts[i]->data)
            continue;
        if (texts[i]->size)
            memcpy(at, texts[i]->data, texts[i]->size);
        texts[i]->data = at;
        at += texts[i]->size;
    }
    return 0;
}

void live_series_done(struct live_series *s)
{
    free(s->texts);
    free(s->last);
    free(s->data);
    *s = (struct live_series){ 0 };
}

static size_t last_bytes(const struct live_last *last)
{
    if (!last)
        return 0;
    size_t values = (size_t)__builtin_popcount(last->has_samples) +
                    (size_t)__builtin_popcount(last->has_sum);
    return sizeof *last + values * sizeof last->values[0];
}

size_t live_series_bytes(const struct live_series *s)
{
    return sizeof *s + s->text_bytes + s->capacity + last_bytes(s->last);
}

void live_series_last(const struct live_series *s, struct jobrow *ret)
{
    const struct live_last *last = s->last;
    const uint64_t *value = last->values;
    *ret = (struct jobrow){ .t_ms = last->t_ms,
                            .since_ms = T_NONE,
                            .previous_ms = T_NONE,
                            .snapshot_ns = last->snapshot_ns,
                            .start_ns = last->start_ns,
                            .has_samples = last->has_samples,
                            .has_sum = last->has_sum };
    for (uint32_t ops = last->has_samples; ops; ops &= ops - 1)
        ret->samples[__builtin_ctz(ops)] = *value++;
    for (uint32_t ops = last->has_sum; ops; ops &= ops - 1)
        ret->sum[__builtin_ctz(ops)] = *value++;
}

int live_series_set_last(struct live_series *s, const struct jobrow *row,
                         uint32_t server)
{
    struct live_last next = { .t_ms = row->t_ms,
                              .snapshot_ns = row->snapshot_ns,
                              .start_ns = row->start_ns,
                              .has_samples = (uint32_t)row->has_samples,
                              .has_sum = (uint32_t)row->has_sum,
                              .server = server };
    size_t size = last_bytes(&next);
    struct live_last *last = s->last;
    if (!last || last_bytes(last) != size) {
        last = realloc(s->last, size);
        if (!last)
            return -ENOMEM;
        s->last = last;
    }
    *last = next;
    uint64_t *value = last->values;
    for (uint32_t ops = next.has_samples; ops; ops &= ops - 1)
        *value++ = row->samples[__builtin_ctz(ops)];
    for (uint32_t ops = next.has_sum; ops; ops &= ops - 1)
        *value++ = row->sum[__builtin_ctz(ops)];
    return 0;
}

/* ---- increments ---- */

static uint32_t not_zero(uint64_t has, const uint64_t *values)
{
    uint32_t mask = 0;
    for (uint64_t ops = has; ops; ops &= ops - 1) {
        int op = __builtin_ctzll(ops);
        if (values[op])
            mask |= UINT32_C(1) << op;
    }
    return mask;
}

static int make_room(struct live_series *s, size_t size)
{
    if (s->head && s->head == s->size)
        s->head = s->size = 0;
    if (s->capacity - s->size >= size)
        return 0;
    if (s->head >= s->size / 4 && s->capacity - (s->size - s->head) >= size) {
        memmove(s->data, s->data + s->head, s->size - s->head);
        s->size -= s->head;
        s->head = 0;
        return 0;
    }
    size_t capacity = s->size + size + s->size / 4;
    uint8_t *grown = realloc(s->data, capacity);
    if (!grown)
        return -ENOMEM;
    s->data = grown;
    s->capacity = capacity;
    return 0;
}

/* The fixed head of a packed increment. */
struct packed {
    uint16_t size; /* of all of it */
    int64_t t_ms;
};
#define HEAD_BYTES (sizeof(uint16_t) + sizeof(int64_t))
#define TAIL_BYTES sizeof(uint16_t) /* the size again: found from behind */
#define NUMBER_BYTES_MAX 10
#define WORD_BYTES 8
#define READ_AHEAD_BYTES 16 /* behind the last increment, within capacity */
#define SUM_SHIFT OP_COUNT  /* of sums' bits behind those of samples */
#define INCREMENT_BYTES_MAX \
    (HEAD_BYTES + (7 + 2 * OP_COUNT) * NUMBER_BYTES_MAX + TAIL_BYTES)

static uint8_t *put_number(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static const uint8_t *get_number(const uint8_t *at, uint64_t *ret)
{
    uint64_t value = *at & 0x7f;
    for (unsigned shift = 7; *at & 0x80; shift += 7)
        value |= (uint64_t)(*++at & 0x7f) << shift;
    *ret = value;
    return at + 1;
}

/* The same, eight bytes at once: 56 bits at most, or get_number() has more to do. */
static uint64_t get_short_number(const uint8_t *at)
{
    uint64_t word, ends, value;
    memcpy(&word, at, sizeof word);
    ends = ~word & UINT64_C(0x8080808080808080);
    if (!ends) {
        (void)get_number(at, &value);
        return value;
    }
    /* Bytes up to the first without the bit; then groups of 7, 14, 28 bits together. */
    word &= (ends & -ends) - 1;
    word &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x7f007f007f007f00)) >> 1 |
           (word & UINT64_C(0x007f007f007f007f));
    word = (word & UINT64_C(0x3fff00003fff0000)) >> 2 |
           (word & UINT64_C(0x00003fff00003fff));
    return (word & UINT64_C(0x0fffffff00000000)) >> 4 |
           (word & UINT64_C(0x000000000fffffff));
}

static void get_head(const uint8_t *at, struct packed *ret)
{
    memcpy(&ret->size, at, sizeof ret->size);
    memcpy(&ret->t_ms, at + sizeof ret->size, sizeof ret->t_ms);
}

static uint8_t *put_values(uint8_t *at, uint32_t ops, const uint64_t *values)
{
    for (; ops; ops &= ops - 1)
        at = put_number(at, values[__builtin_ctz(ops)]);
    return at;
}

/* The compiler's own calls a function unless the processor is known to have popcnt. */
static int bit_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) +
           (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Behind count numbers, found by the bytes that end one: eight bytes at a time. */
static const uint8_t *pass_numbers(const uint8_t *at, int count)
{
    while (count > 0) {
        uint64_t ends;
        memcpy(&ends, at, sizeof ends);
        ends = ~ends & UINT64_C(0x8080808080808080);
        int there = (int)((ends >> 7) * UINT64_C(0x0101010101010101) >> 56);
        if (there < count) {
            count -= there;
            at += WORD_BYTES;
            continue;
        }
        while (--count > 0)
            ends &= ends - 1;
        return at + __builtin_ctzll(ends) / 8 + 1;
    }
    return at;
}

/* A single one, behind count others. */
static void get_value(const uint8_t *at, int count, int bit, struct increment *ret)
{
    uint64_t value = get_short_number(pass_numbers(at, count));
    if (bit < SUM_SHIFT)
        ret->samples[bit] = value;
    else
        ret->sum[bit - SUM_SHIFT] = value;
}

/* Of the values of packed operations (samples, and above them sums) those wanted. */
static void get_values(const uint8_t *at, uint64_t packed, uint64_t wanted,
                       struct increment *ret)
{
    for (wanted &= packed; wanted; wanted &= wanted - 1) {
        int bit = __builtin_ctzll(wanted);
        uint64_t before = (UINT64_C(1) << bit) - 1;
        at = pass_numbers(at, bit_count(packed & before));
        at = get_number(at, bit < SUM_SHIFT ? &ret->samples[bit]
                                            : &ret->sum[bit - SUM_SHIFT]);
        packed &= ~before & ~(UINT64_C(1) << bit);
    }
}

/* Has it had any of what is wanted?  What was pruned counts too. */
bool live_series_has(const struct live_series *s, const struct live_wanted *wanted)
{
    return (s->samples_seen & wanted->samples) || (s->sums_seen & wanted->sums);
}

int live_series_push(struct live_series *s, const struct increment *inc,
                     uint32_t server)
{
    uint32_t samples = not_zero(inc->has_samples, inc->samples);
    uint32_t sums = not_zero(inc->has_sum, inc->sum);
    const unsigned lossy = INCREMENT_LOST_TAIL | INCREMENT_MISSING;
    if (!samples && !sums && !(inc->flags & lossy))
        return 0;
    s->samples_seen |= samples;
    s->sums_seen |= sums;
    if (make_room(s, INCREMENT_BYTES_MAX + READ_AHEAD_BYTES) < 0)
        return -ENOMEM;
    uint8_t *begin = s->data + s->size, *at = begin + HEAD_BYTES;
    at = put_number(at, (uint64_t)inc->t_ms - (uint64_t)inc->since_ms);
    at = put_number(at, inc->flags);
    at = put_number(at, samples);
    at = put_number(at, sums);
    at = put_number(at, server);
    if (inc->flags & INCREMENT_MISSING) {
        at = put_number(at, inc->missing_samples);
        at = put_number(at, inc->missing_sum);
    }
    at = put_values(at, samples, inc->samples);
    at = put_values(at, sums, inc->sum);
    struct packed head = { (uint16_t)(at - begin + TAIL_BYTES), inc->t_ms };
    memcpy(begin, &head.size, sizeof head.size);
    memcpy(at, &head.size, sizeof head.size);
    memcpy(begin + sizeof head.size, &head.t_ms, sizeof head.t_ms);
    s->size += head.size;
    return 0;
}

void live_series_prune(struct live_series *s, int64_t t_ms)
{
    while (s->head < s->size) {
        struct packed head;
        get_head(s->data + s->head, &head);
        if (head.t_ms > t_ms)
            return;
        s->base_ms = head.t_ms;
        s->head += head.size;
    }
    free(s->data);
    s->data = NULL;
    s->head = s->size = s->capacity = 0;
}

static bool is_nearer_to_oldest(const struct live_series *s, int64_t from_ms)
{
    struct packed oldest;
    if (s->head == s->size || !s->last)
        return false;
    get_head(s->data + s->head, &oldest);
    return from_ms <= oldest.t_ms || from_ms - oldest.t_ms < s->last->t_ms - from_ms;
}

static size_t after_from_oldest(const struct live_series *s, int64_t from_ms)
{
    size_t at = s->head;
    while (at < s->size) {
        struct packed head;
        get_head(s->data + at, &head);
        if (head.t_ms > from_ms)
            break;
        at += head.size;
    }
    return at;
}

size_t live_series_after(const struct live_series *s, int64_t from_ms)
{
    size_t at = s->size;
    if (is_nearer_to_oldest(s, from_ms))
        return after_from_oldest(s, from_ms);
    while (at > s->head) {
        struct packed head;
        uint16_t size;
        memcpy(&size, s->data + at - TAIL_BYTES, sizeof size);
        get_head(s->data + at - size, &head);
        if (head.t_ms <= from_ms)
            break;
        at -= size;
    }
    return at;
}

static void get_head_bytes(const uint8_t *at, uint64_t ret[2])
{
    memcpy(ret, at, 2 * sizeof *ret);
}

/* The first count bytes of both numbers. */
static void make_head_mask(size_t count, uint64_t ret[2])
{
    static const uint64_t all = UINT64_MAX;
    ret[0] = count >= 8 ? all : all >> (64 - 8 * count);
    ret[1] = count >= 16 ? all : count <= 8 ? 0 : all >> (64 - 8 * (count - 8));
}

/* Behind what stands before the values (and before what is missing). */
static const uint8_t *read_values_head(const uint8_t *at, struct live_cursor *c)
{
    uint64_t first[2];
    get_head_bytes(at, first);
    if (c->mask[0] && !(((first[0] ^ c->head[0]) & c->mask[0]) |
                        ((first[1] ^ c->head[1]) & c->mask[1])))
        return at + c->head_bytes;
    const uint8_t *data = get_number(at, &c->length);
    data = get_number(data, &c->flags);
    data = get_number(data, &c->samples);
    data = get_number(data, &c->sums);
    data = get_number(data, &c->server);
    c->head_bytes = (size_t)(data - at);
    c->mask[0] = 0;
    if (c->head_bytes <= sizeof first) {
        memcpy(c->head, first, sizeof first);
        make_head_mask(c->head_bytes, c->mask);
    }
    return data;
}

bool live_series_next(const struct live_series *s, const struct live_wanted *wanted,
                      struct live_cursor *cursor, struct increment *ret,
                      uint32_t *ret_server)
{
    struct packed head;
    if (cursor->at >= s->size)
        return false;
    get_head(s->data + cursor->at, &head);
    const uint8_t *data = read_values_head(s->data + cursor->at + HEAD_BYTES, cursor);
    ret->t_ms = head.t_ms;
    ret->since_ms = head.t_ms - (int64_t)cursor->length;
    ret->flags = (unsigned)cursor->flags;
    ret->missing_samples = ret->missing_sum = 0;
    if (cursor->flags & INCREMENT_MISSING) {
        data = get_number(data, &ret->missing_samples);
        data = get_number(data, &ret->missing_sum);
    }
    ret->has_samples = cursor->samples & wanted->samples;
    ret->has_sum = cursor->sums & wanted->sums;
    uint64_t packed = cursor->sums << SUM_SHIFT | cursor->samples;
    uint64_t bits = ret->has_sum << SUM_SHIFT | ret->has_samples;
    if (bits && !(bits & (bits - 1)))
        get_value(data, bit_count(packed & (bits - 1)), __builtin_ctzll(bits), ret);
    else
        get_values(data, packed, bits, ret);
    cursor->at += head.size;
    *ret_server = (uint32_t)cursor->server;
    return true;
}
