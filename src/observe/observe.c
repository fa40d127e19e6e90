/* SPDX-License-Identifier: Apache-2.0 */
/* observe - out of the entries of each round, the rows that are worth sending. */
#include "observe/observe.h"

#include "base/number.h"
#include "observe/target.h"

#include <assert.h>

int observe_new(const struct observe_opts *opts, struct observe **ret)
{
    if (opts->interval_ms <= 0 || opts->lives_max == 0)
        return -EINVAL;
    struct observe *o = calloc(1, sizeof *o);
    if (!o)
        return -ENOMEM;
    o->opts = *opts;
    o->list_ms = T_NONE;
    *ret = o;
    return 0;
}

void observe_free(struct observe *observe)
{
    if (!observe)
        return;
    for (size_t i = 0; i < observe->target_count; i++) {
        lives_done(&observe->targets[i]->lives);
        lives_done(&observe->targets[i]->totals);
        arena_done(&observe->targets[i]->arena);
        free(observe->targets[i]);
    }
    free(observe->targets);
    free(observe);
}

/* ---- targets ---- */

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

size_t observe_target_lives(const struct observe_target *target)
{
    return target->lives.count;
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

const struct observe_counts *observe_counts(const struct observe *observe)
{
    return &observe->counts;
}

size_t observe_lives(const struct observe *observe)
{
    return observe->life_count;
}

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

static void target_clear(struct observe_target *target)
{
    target->observe->life_count -= target->lives.count;
    lives_done(&target->lives);
    lives_done(&target->totals);
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
    if (observe->target_count == observe->target_room) {
        size_t room = observe->target_room ? observe->target_room * 2 : 16;
        void *bigger = realloc(observe->targets, room * sizeof observe->targets[0]);
        if (!bigger)
            return -ENOMEM;
        observe->targets = bigger;
        observe->target_room = room;
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

static bool is_listed(const struct observe_target *target,
                      const struct observe_listed *listed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(listed[i].name, target->name))
            return true;
    return false;
}

int observe_list(struct observe *observe, int64_t t_ms,
                 const struct observe_listed *listed, size_t count)
{
    size_t known = observe->target_count;
    for (size_t i = 0; i < count; i++) {
        struct observe_target *target = NULL;
        int rc = target_make(observe, listed[i].name, listed[i].kind, &target);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < observe->target_count; i++) {
        struct observe_target *target = observe->targets[i];
        bool is_there = is_listed(target, listed, count);
        if (is_there && i >= known)
            target->absent_ms = observe->list_ms;
        if (!is_there) {
            observe->counts.targets_gone += target->is_there;
            /* By the order of reading, whatever the clock says. */
            target->absent_ms =
                target->begun_ms == T_NONE ? t_ms : later(t_ms, target->begun_ms + 1);
            if (target->lives.count && t_ms > target->round_ms &&
                t_ms - target->round_ms > target_keep_ms(target)) {
                target_clear(target);
                target->begun_ms = T_NONE;
            }
        }
        target->is_there = is_there;
    }
    observe->list_ms = t_ms;
    return 0;
}

/* ---- rounds ---- */

int target_emit(struct observe_target *target, const struct entry *entry,
                struct observation seen)
{
    struct observe_counts *counts = &target->observe->counts;
    counts->rows += !seen.is_zero;
    counts->zero_rows += seen.is_zero;
    return target->fn(target->arg, entry, &seen);
}

/* ---- a clock that was set back by much ---- */

/* Times of one order of reading have one remainder, so that none is given twice where
 * two orders stand mixed. */
#define ORDERS 16

static int64_t in_order(const struct observe_target *target, int64_t t_ms)
{
    return target->order
               ? t_ms - (t_ms % ORDERS + ORDERS) % ORDERS + target->order % ORDERS
               : t_ms;
}

static void lives_rebase(struct lives *lives, int64_t base_ms)
{
    for (size_t i = 0; i < lives->capacity; i++) {
        struct life *life = lives->slots[i];
        if (!life)
            continue;
        if (life->row_ms != T_NONE)
            life->flags |= LIFE_WANTS_BASE;
        life->row_ms = T_NONE;
        life->seen_ms = base_ms; /* moved_ms is by the clock, as the server removes */
    }
}

/* A new order of reading: what was seen last was seen just before it. */
static void target_rebase(struct observe_target *target, int64_t t_ms)
{
    bool was_absent =
        target->absent_ms != T_NONE && target->absent_ms > target->round_ms;
    target->order = target->order % (ORDERS - 1) + 1;
    int64_t base_ms = in_order(target, t_ms) - ORDERS;
    lives_rebase(&target->lives, base_ms);
    lives_rebase(&target->totals, base_ms);
    target->absent_ms = was_absent ? base_ms + ORDERS / 2 : T_NONE;
    if (target->round_ms != T_NONE)
        target->round_ms = base_ms;
    target->begun_ms = base_ms;
}

int observe_round_begin(struct observe_target *target, int64_t t_ms, observe_row_fn *fn,
                        void *arg)
{
    struct observe_counts *counts = &target->observe->counts;
    const int64_t clock_ms = t_ms;
    if (target->is_open)
        return -EBUSY;
    if (!target->is_there)
        return -ENOENT;
    if (target->begun_ms != T_NONE && t_ms <= target->begun_ms) {
        if (target->begun_ms - t_ms > OBSERVE_STEP_BACK_MAX_MS) {
            counts->clock_restarts++;
            target_rebase(target, t_ms);
        } else {
            counts->clock_steps++;
            t_ms = target->begun_ms + (target->order ? ORDERS : 1);
        }
    }
    t_ms = in_order(target, t_ms);
    if (target->begun_ms != T_NONE && t_ms <= target->begun_ms)
        t_ms = target->begun_ms + (target->order ? ORDERS : 1);
    target->is_open = true;
    target->was_stepped = target->t_ms - target->clock_ms >= MS_PER_S;
    target->clock_ms = clock_ms;
    target->t_ms = target->begun_ms = t_ms;
    target->fn = fn;
    target->arg = arg;
    remount_begin(target);
    int rc = totals_rebase(target);
    if (rc < 0)
        target->is_open = false;
    return rc;
}

int observe_entry(struct observe_target *target, const struct entry *entry)
{
    struct observe *o = target->observe;
    assert(target->is_open);
    o->counts.entries++;
    int64_t latest_ns =
        (target->t_ms + later(o->opts.interval_ms, 60 * MS_PER_S)) * NS_PER_MS;
    struct entry sane;
    if (entry->start_ns > latest_ns || entry->snapshot_ns > latest_ns) {
        o->counts.future_times++;
        sane = *entry;
        sane.start_ns = entry->start_ns > latest_ns ? T_NONE : entry->start_ns;
        sane.snapshot_ns = entry->snapshot_ns > latest_ns ? T_NONE : entry->snapshot_ns;
        entry = &sane;
    }
    return look_take(target, entry);
}

void observe_entry_lost(struct observe_target *target)
{
    assert(target->is_open);
    target->has_gaps = true;
}

struct sweep {
    uint32_t rounds;
    int64_t t_ms, keep_ms;
};

static bool life_is_over(const struct life *life, const void *arg)
{
    const struct sweep *sweep = arg;
    return sweep->rounds >= life->seen_round + 2 &&
           sweep->t_ms - life->seen_ms > sweep->keep_ms;
}

int observe_round_end(struct observe_target *target)
{
    struct observe *o = target->observe;
    assert(target->is_open);
    int rc = remount_end(target);
    if (rc == 0) {
        struct sweep sweep = { target->rounds + 1, target->t_ms,
                               target_keep_ms(target) };
        rc = remount_forget(target, life_is_over, &sweep);
    }
    if (rc == 0)
        rc = totals_emit(target);
    target->is_open = false;
    if (rc < 0)
        return rc;
    o->counts.rounds++;
    target->rounds++;
    target->round_ms = target->t_ms;
    return 0;
}

int observe_round_cut(struct observe_target *target)
{
    assert(target->is_open);
    int rc = remount_cut(target);
    if (rc == 0)
        rc = totals_emit(target);
    target->is_open = false;
    target->observe->counts.rounds_cut++;
    return rc;
}
