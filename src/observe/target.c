/* SPDX-License-Identifier: Apache-2.0 */
/* target - one target as this server's observer knows it. */
#include "observe/target.h"

#include "base/span.h"

/* ---- what a caller may know of it ---- */

size_t observe_target_count(const struct observe *observe)
{
    return observe->target_count;
}

struct observe_target *observe_target_at(const struct observe *observe, size_t index)
{
    return observe->targets[index];
}

struct observe_target *observe_target_find(const struct observe *observe,
                                           struct span name)
{
    for (size_t i = 0; i < observe->target_count; i++)
        if (span_is(name, observe->targets[i]->name))
            return observe->targets[i];
    return NULL;
}

struct span observe_target_name(const struct observe_target *target)
{
    return span_of(target->name);
}

enum target_kind observe_target_kind(const struct observe_target *target)
{
    return target->kind;
}

bool observe_target_is_there(const struct observe_target *target)
{
    return target->is_there;
}

size_t observe_target_generation_count(const struct observe_target *target)
{
    return target->generations.count;
}

int64_t observe_target_round_ms(const struct observe_target *target)
{
    return target->round_ms;
}

int64_t observe_target_begun_ms(const struct observe_target *target)
{
    return target->begun_ms;
}

void observe_target_set_cleanup(struct observe_target *target, int64_t cleanup_ms)
{
    target->cleanup_ms = cleanup_ms < 0 ? OBSERVE_CLEANUP_DEFAULT_MS : cleanup_ms;
}

int64_t observe_target_cleanup_ms(const struct observe_target *target)
{
    return target->cleanup_ms;
}

bool observe_target_needs_cleanup(const struct observe_target *target)
{
    return target->lacks_starts;
}

/* ---- for this room ---- */

int64_t target_born_after(const struct observe_target *target)
{
    return target->round_ms > target->absent_ms ? target->round_ms : target->absent_ms;
}

int64_t target_keep_ms(const struct observe_target *target)
{
    if (target->cleanup_ms == 0 || target->cleanup_ms > INT64_MAX / 4)
        return INT64_MAX;
    return target->cleanup_ms + target->cleanup_ms / 2 +
           2 * target->observe->opts.interval_ms;
}

void target_clear(struct observe_target *target)
{
    target->observe->generation_count -= target->generations.count;
    generations_done(&target->generations);
    generations_done(&target->totals);
    target->round_ms = T_NONE;
    target->begun_ms = T_NONE;
    target->rounds = 0;
    target->waiting = NULL;
    arena_done(&target->arena);
    arena_init(&target->arena, REMOUNT_BYTES_MAX);
}

void observe_target_forget(struct observe_target *target)
{
    target_clear(target);
    target->is_open = false;
}

int target_make(struct observe *observe, struct span name, enum target_kind kind,
                struct observe_target **ret)
{
    if (name.size == 0 || name.size > TARGET_BYTES_MAX ||
        memchr(name.data, 0, name.size))
        return -EINVAL;
    struct observe_target *target = observe_target_find(observe, name);
    if (target) {
        *ret = target;
        return 0;
    }
    if (observe->target_count == OBSERVE_TARGETS_MAX)
        return -E2BIG;
    if (observe->target_count == observe->target_capacity) {
        size_t capacity = observe->target_capacity ? observe->target_capacity * 2 : 16;
        void *bigger = realloc(observe->targets, capacity * sizeof observe->targets[0]);
        if (!bigger)
            return -ENOMEM;
        observe->targets = bigger;
        observe->target_capacity = capacity;
    }
    target = calloc(1, sizeof *target);
    if (!target)
        return -ENOMEM;
    target->observe = observe;
    memcpy(target->name, name.data, name.size);
    target->kind = kind;
    target->absent_ms = target->round_ms = target->begun_ms = T_NONE;
    target->cleanup_ms = OBSERVE_CLEANUP_DEFAULT_MS;
    arena_init(&target->arena, REMOUNT_BYTES_MAX);
    observe->targets[observe->target_count++] = target;
    *ret = target;
    return 0;
}

int target_emit(struct observe_target *target, const struct entry *entry,
                struct observation seen)
{
    struct observe_counts *counts = &target->observe->counts;
    counts->rows += !seen.is_zero;
    counts->zero_rows += seen.is_zero;
    return target->fn(target->arg, entry, &seen);
}
