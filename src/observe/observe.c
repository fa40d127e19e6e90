/* SPDX-License-Identifier: Apache-2.0 */
/* observe - out of the entries of each round, the rows that are worth sending. */
#include "observe/observe.h"

#include "base/number.h"
#include "base/span.h"
#include "observe/remount.h"
#include "observe/settling.h"
#include "observe/totals.h"

#include <assert.h>

int observe_new(const struct observe_opts *opts, struct observe **ret)
{
    if (opts->interval_ms <= 0 || opts->generations_max == 0)
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
        generations_done(&observe->targets[i]->generations);
        generations_done(&observe->targets[i]->totals);
        arena_done(&observe->targets[i]->arena);
        free(observe->targets[i]);
    }
    free(observe->targets);
    free(observe);
}

const struct observe_counts *observe_counts(const struct observe *observe)
{
    return &observe->counts;
}

size_t observe_generation_count(const struct observe *observe)
{
    return observe->generation_count;
}

/* ---- the list of targets ---- */

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
            /* By the order of reading, whatever the clock shows. */
            target->absent_ms =
                target->begun_ms == T_NONE ? t_ms : later(t_ms, target->begun_ms + 1);
            if (target->generations.count && t_ms > target->round_ms &&
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

/* ---- rounds: a clock that was set back by much ---- */

/* Times of one order of reading have one remainder, so that none is given twice where
 * two orders stand mixed. */
#define ORDERS 16

static int64_t in_order(const struct observe_target *target, int64_t t_ms)
{
    return target->order
               ? t_ms - (t_ms % ORDERS + ORDERS) % ORDERS + target->order % ORDERS
               : t_ms;
}

static void generations_rebase(struct generations *generations, int64_t base_ms)
{
    for (size_t i = 0; i < generations->capacity; i++) {
        struct generation *generation = generations->slots[i];
        if (!generation)
            continue;
        if (generation->row_ms != T_NONE)
            generation->flags |= GENERATION_WANTS_BASE;
        generation->row_ms = T_NONE;
        generation->seen_ms =
            base_ms; /* moved_ms is by the clock, as the server removes */
    }
}

/* A new order of reading: what was seen last was seen just before it. */
static void target_rebase(struct observe_target *target, int64_t t_ms)
{
    bool was_absent =
        target->absent_ms != T_NONE && target->absent_ms > target->round_ms;
    target->order = target->order % (ORDERS - 1) + 1;
    int64_t base_ms = in_order(target, t_ms) - ORDERS;
    generations_rebase(&target->generations, base_ms);
    generations_rebase(&target->totals, base_ms);
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
    target->lacks_starts = entry->start_ns == T_NONE;
    return settling_entry(target, entry);
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

static bool generation_is_over(const struct generation *generation, const void *arg)
{
    const struct sweep *sweep = arg;
    return sweep->rounds >= generation->seen_round + 2 &&
           sweep->t_ms - generation->seen_ms > sweep->keep_ms;
}

int observe_round_end(struct observe_target *target)
{
    struct observe *o = target->observe;
    assert(target->is_open);
    int rc = settling_end(target);
    if (rc == 0) {
        struct sweep sweep = { target->rounds + 1, target->t_ms,
                               target_keep_ms(target) };
        rc = settling_forget(target, generation_is_over, &sweep);
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
    int rc = settling_cut(target);
    if (rc == 0)
        rc = totals_emit(target);
    target->is_open = false;
    target->observe->counts.rounds_cut++;
    return rc;
}
