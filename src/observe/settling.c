/* SPDX-License-Identifier: Apache-2.0 */
/* settling - whether a target was mounted anew: decided, and what follows from it. */
#include "observe/settling.h"

#include "observe/comparison.h"
#include "observe/generation_row.h"
#include "observe/totals.h"

/* ---- entries ---- */

/* From now on nothing waits; what did is compared. */
static int settle(struct observe_target *target, enum settled settled)
{
    int rc = 0;
    target->settled = settled;
    target->observe->counts.target_resets += settled == SETTLED_RESET;
    for (struct waiting *w = target->waiting; w && rc == 0; w = w->next)
        rc = comparison_take(target, w->entry);
    target->waiting = NULL;
    target->waiting_end = &target->waiting;
    arena_done(&target->arena);
    arena_init(&target->arena, REMOUNT_BYTES_MAX);
    return rc;
}

/* Nothing is settled: the entry waits, or settles it. */
static int settling_first(struct observe_target *target, const struct entry *entry,
                          const struct evidence *evidence)
{
    if (evidence->is_continued) {
        int rc = settle(target, SETTLED_SAME);
        return rc < 0 ? rc : comparison_take(target, entry);
    }
    int rc = remount_wait(target, entry, evidence->sign);
    if (rc == 0 && evidence->generation)
        evidence->generation->flags |= GENERATION_WAITS;
    if (rc != -ENOBUFS)
        return rc;
    /* Too many: what was seen so far decides. */
    rc = settle(target, remount_judge(target, 0));
    return rc < 0 ? rc : comparison_take(target, entry);
}

int settling_entry(struct observe_target *target, const struct entry *entry)
{
    struct evidence evidence;
    if (target->settled != SETTLED_NOT)
        return comparison_take(target, entry);
    int rc = comparison_evidence(target, entry, &evidence);
    if (rc < 0)
        return rc;
    return evidence.is_seen ? comparison_take(target, entry)
                            : settling_first(target, entry, &evidence);
}

/* ---- what is missing ---- */

/* Seen when the target was read last, and not in this dump. */
static bool is_gone(const struct observe_target *target,
                    const struct generation *generation)
{
    return generation->seen_ms != target->t_ms &&
           !(generation->flags & GENERATION_WAITS) &&
           generation->seen_round >= target->rounds;
}

struct missing {
    size_t recent;    /* that no cleanup can have removed */
    size_t removable; /* for each of which a dump may have left out another */
};

/* What is missing from a dump that is whole. */
static struct missing missing_count(const struct observe_target *target)
{
    struct missing missing = { 0 };
    for (size_t i = 0; i < target->generations.capacity; i++) {
        const struct generation *generation = target->generations.slots[i];
        if (!generation || generation->seen_round < target->rounds ||
            generation->seen_ms == target->t_ms)
            continue;
        bool is_recent = remount_is_recent(target, generation, target->clock_ms);
        missing.recent += is_recent && is_gone(target, generation);
        missing.removable += !is_recent;
    }
    return missing;
}

/* How many entries were certainly not left out of the dump, but are gone. */
static size_t gone_count(const struct observe_target *target,
                         const struct missing *missing)
{
    if (target->has_gaps || missing->recent <= missing->removable)
        return 0;
    return missing->recent - missing->removable;
}

/* ---- the end of generations ---- */

/* The end of the generation was not observed: a row that adds nothing, and follows what
 * was not seen.
 */
static int tail_emit(struct observe_target *target, const struct generation *generation,
                     struct entry *entry)
{
    int rc = 0;
    if (generation->flags &
        GENERATION_WANTS_BASE) /* so that it is seen to be of a new order */
        rc = generation_emit_base(target, generation, generation->seen_ms, NULL);
    if (rc == 0)
        rc = generation_entry(target, generation, entry);
    if (rc < 0)
        return rc;
    return target_emit(target, entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = generation->seen_ms,
                           .previous_ms = generation_unseen_instant(
                               generation->row_ms, generation->seen_ms, target->t_ms),
                           .reset = true,
                           .is_zero = true,
                       });
}

struct over {
    int64_t t_ms, seen_before_ms;
};

static bool is_over(const struct generation *generation, const void *arg)
{
    const struct over *over = arg;
    return generation->seen_ms != over->t_ms &&
           generation->seen_ms < over->seen_before_ms;
}

/* A generation that may be over: of a total, or with a row that states it. */
static int generation_doubt(struct observe_target *target,
                            struct generation *generation, struct entry *entry)
{
    if (generation->flags & GENERATION_TAIL_REPORTED)
        return 0;
    generation->flags |= GENERATION_TAIL_REPORTED;
    if (generation->row_ms != T_NONE || (generation->flags & GENERATION_WANTS_BASE))
        return tail_emit(target, generation, entry);
    totals_set_lossy(target);
    return 0;
}

int settling_forget(struct observe_target *target, generation_over_fn *is_over_now,
                    const void *arg)
{
    AUTO_FREE struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -ENOMEM;
    for (size_t i = 0; target->has_tails && i < target->generations.capacity; i++) {
        struct generation *generation = target->generations.slots[i];
        if (!generation || !(generation->flags & GENERATION_TAIL_UNSEEN) ||
            !is_over_now(generation, arg))
            continue;
        int rc = generation_doubt(target, generation, entry);
        if (rc < 0)
            return rc;
    }
    size_t count = generations_sweep(&target->generations, is_over_now, arg);
    target->observe->generation_count -= count;
    target->observe->counts.generations_forgotten += count;
    return 0;
}

/* The generations that were not in this dump, and were seen last before the target
 * came, are over. */
static int forget_missing(struct observe_target *target, int64_t seen_before_ms)
{
    const struct over over = { target->t_ms, seen_before_ms };
    for (size_t i = 0; i < target->generations.capacity; i++) {
        struct generation *generation = target->generations.slots[i];
        if (generation && is_over(generation, &over) && is_gone(target, generation)) {
            generation->flags |= GENERATION_TAIL_UNSEEN;
            target->has_tails = true;
        }
    }
    return settling_forget(target, is_over, &over);
}

/* What is missing may have moved on and ended: where that cannot have been a cleanup,
 * where the target may have been mounted anew, and after a pause that was long enough
 * for both.  are_gone: it has ended, but for a few. */
static int mark_unseen_tails(struct observe_target *target, bool are_gone)
{
    AUTO_FREE struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -ENOMEM;
    bool was_pause = target->round_ms != T_NONE && target->cleanup_ms != 0 &&
                     target->t_ms - target->round_ms >= target->cleanup_ms;
    target->has_tails = false;
    for (size_t i = 0; i < target->generations.capacity; i++) {
        struct generation *generation = target->generations.slots[i];
        if (!generation)
            continue;
        bool is_recent = remount_is_recent(target, generation, target->clock_ms);
        if (is_gone(target, generation) &&
            (is_recent || was_pause || target->settled == SETTLED_DOUBTFUL))
            generation->flags |= GENERATION_TAIL_UNSEEN;
        target->has_tails |= (generation->flags & GENERATION_TAIL_UNSEEN) != 0;
        if (!is_gone(target, generation))
            continue;
        int rc =
            is_recent && are_gone ? generation_doubt(target, generation, entry) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int settling_end(struct observe_target *target)
{
    size_t gone = 0;
    if (target->settled == SETTLED_NOT) {
        struct missing missing = missing_count(target);
        gone = gone_count(target, &missing);
        enum settled settled = remount_judge(target, gone);
        if (settled == SETTLED_UNSAID && missing.recent)
            settled = SETTLED_DOUBTFUL;
        int rc = settle(target, settled);
        if (rc < 0)
            return rc;
    }
    if (target->settled == SETTLED_RESET)
        return forget_missing(target, INT64_MAX);
    if (target->settled != SETTLED_SAME && target->absent_ms > target->round_ms)
        return forget_missing(target, target->absent_ms);
    return mark_unseen_tails(target, target->settled == SETTLED_DOUBTFUL && gone > 0);
}

int settling_cut(struct observe_target *target)
{
    if (target->settled == SETTLED_NOT) {
        int rc = settle(target, remount_judge(target, 0));
        if (rc < 0)
            return rc;
    }
    /* What did not come in this dump is of the old mount, or may be. */
    if (target->settled == SETTLED_RESET)
        target->absent_ms = later(target->absent_ms, target->t_ms - 1);
    for (size_t i = 0;
         target->settled == SETTLED_DOUBTFUL && i < target->generations.capacity; i++) {
        struct generation *generation = target->generations.slots[i];
        if (!generation || generation->seen_ms == target->t_ms)
            continue;
        generation->flags |= GENERATION_TAIL_UNSEEN;
        target->has_tails = true;
    }
    return 0;
}
