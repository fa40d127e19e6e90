/* SPDX-License-Identifier: Apache-2.0 */
/* live_series - one series in memory: its last row and its increments, packed. */
#include "query/live_series.h"

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

static size_t increment_bytes(const struct live_increment *inc)
{
    size_t values = (size_t)__builtin_popcount(inc->samples) +
                    (size_t)__builtin_popcount(inc->sums);
    return sizeof *inc + values * sizeof(uint64_t);
}

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
    if (s->head >= s->capacity / 2 && s->capacity - (s->size - s->head) >= size) {
        memmove(s->data, s->data + s->head, s->size - s->head);
        s->size -= s->head;
        s->head = 0;
        return 0;
    }
    size_t capacity = s->capacity ? s->capacity * 2 : 256;
    while (capacity - s->size < size)
        capacity *= 2;
    uint8_t *grown = realloc(s->data, capacity);
    if (!grown)
        return -ENOMEM;
    s->data = grown;
    s->capacity = capacity;
    return 0;
}

int live_series_push(struct live_series *s, const struct increment *inc,
                     uint32_t server)
{
    struct live_increment packed = {
        .since_ms = inc->since_ms,
        .t_ms = inc->t_ms,
        .flags = inc->flags,
        .samples = not_zero(inc->has_samples, inc->samples),
        .sums = not_zero(inc->has_sum, inc->sum),
        .missing_samples = (uint32_t)inc->missing_samples,
        .missing_sum = (uint32_t)inc->missing_sum,
        .server = server,
    };
    const unsigned lossy = INCREMENT_LOST_TAIL | INCREMENT_MISSING;
    if (!packed.samples && !packed.sums && !(inc->flags & lossy))
        return 0;
    size_t size = increment_bytes(&packed);
    if (make_room(s, size) < 0)
        return -ENOMEM;
    uint8_t *at = s->data + s->size;
    memcpy(at, &packed, sizeof packed);
    at += sizeof packed;
    for (uint32_t ops = packed.samples; ops; ops &= ops - 1, at += sizeof(uint64_t))
        memcpy(at, &inc->samples[__builtin_ctz(ops)], sizeof(uint64_t));
    for (uint32_t ops = packed.sums; ops; ops &= ops - 1, at += sizeof(uint64_t))
        memcpy(at, &inc->sum[__builtin_ctz(ops)], sizeof(uint64_t));
    s->size += size;
    return 0;
}

void live_series_prune(struct live_series *s, int64_t t_ms)
{
    while (s->head < s->size) {
        struct live_increment packed;
        memcpy(&packed, s->data + s->head, sizeof packed);
        if (packed.t_ms > t_ms)
            return;
        s->base_ms = packed.t_ms;
        s->head += increment_bytes(&packed);
    }
    free(s->data);
    s->data = NULL;
    s->head = s->size = s->capacity = 0;
}

bool live_series_next(const struct live_series *s, size_t *at, struct increment *ret,
                      uint32_t *ret_server)
{
    if (*at >= s->size)
        return false;
    struct live_increment packed;
    const uint8_t *data = s->data + *at;
    memcpy(&packed, data, sizeof packed);
    data += sizeof packed;
    ret->since_ms = packed.since_ms;
    ret->t_ms = packed.t_ms;
    ret->flags = packed.flags;
    ret->has_samples = packed.samples;
    ret->has_sum = packed.sums;
    ret->missing_samples = packed.missing_samples;
    ret->missing_sum = packed.missing_sum;
    for (uint32_t ops = packed.samples; ops; ops &= ops - 1, data += sizeof(uint64_t))
        memcpy(&ret->samples[__builtin_ctz(ops)], data, sizeof(uint64_t));
    for (uint32_t ops = packed.sums; ops; ops &= ops - 1, data += sizeof(uint64_t))
        memcpy(&ret->sum[__builtin_ctz(ops)], data, sizeof(uint64_t));
    *at += increment_bytes(&packed);
    *ret_server = packed.server;
    return true;
}
