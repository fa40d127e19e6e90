/* SPDX-License-Identifier: Apache-2.0 */
/* remount - was a target mounted anew since its last round, or all of it cleared?
 *
 *     dump ──▶ entry known of before? ─no─▶ looked at
 *                   │ yes
 *                   ├─ it certainly goes on ──▶ no remount: what waits is looked at,
 * and │                           so is all that comes └─ it does not ──▶ waits, and
 * may be a sign end of the dump ──▶ the signs, and what is missing, decide for all that
 * waits
 *
 * A server removes an entry that was idle for the cleanup interval, and no other.  So
 * one that fell, or is gone, sooner than that tells of a new mount, after which no
 * entry is what it was; or of an administrator who cleared this one entry
 * (job_stats=ID).  Only where many tell of it, and few others merely grew, is it taken
 * for a mount; else those that grew are in doubt.  And a dump can leave out an entry
 * when another was removed while it was printed (up to Lustre 2.16): as many may be
 * missing as may have been removed.
 *
 * A dump of any size has an idle entry among its first, as a rule, and nothing waits;
 * after a mount it is short.
 */
#include "observe/target.h"

/* Reading takes a while, and the server counts in whole seconds. */
#define SLACK_MS (5 * MS_PER_S)

/* So many entries tell of a mount, and as many for each one that merely grew: few are
 * cleared one by one within one interval, and a mount begins them all anew. */
#define WITNESSES_MIN 4
#define WITNESSES_EACH 2

struct waiting {
    struct waiting *next;
    struct entry *entry;
};

bool remount_is_recent(const struct observe_target *target, const struct life *life,
                       int64_t at_ms)
{
    if (target->cleanup_ms == 0)
        return true;
    if (life->moved_ms == T_NONE)
        return false;
    return at_ms - life->moved_ms < target->cleanup_ms - SLACK_MS;
}

void remount_begin(struct observe_target *target)
{
    target->settled = target->lives.count ? SETTLED_NOT : SETTLED_SAME;
    target->has_gaps = false;
    target->certain_signs = target->faint_signs = target->grown = 0;
    target->waiting = NULL;
    target->waiting_end = &target->waiting;
}

/* ---- what waits ---- */

static bool span_copy(struct arena *arena, struct span *s)
{
    if (s->size == 0)
        return true;
    const char *copy = arena_dup(arena, *s);
    s->data = copy;
    return copy != NULL;
}

/* Only as many operations as it has. */
static struct entry *entry_copy(struct arena *arena, const struct entry *entry)
{
    size_t size = offsetof(struct entry, ops) + entry->op_count * sizeof entry->ops[0];
    struct entry *copy = arena_alloc(arena, size);
    if (!copy)
        return NULL;
    memcpy(copy, entry, size);
    bool is_whole = span_copy(arena, &copy->target) && span_copy(arena, &copy->id);
    for (size_t i = 0; is_whole && i < copy->op_count; i++) {
        struct op_stat *op = &copy->ops[i];
        is_whole = span_copy(arena, &op->name) && span_copy(arena, &op->unit_text) &&
                   span_copy(arena, &op->hist);
    }
    return is_whole ? copy : NULL;
}

int remount_wait(struct observe_target *target, const struct entry *entry,
                 enum remount_sign sign)
{
    target->certain_signs += sign == REMOUNT_CERTAIN;
    target->grown += sign != REMOUNT_CERTAIN;
    target->faint_signs += sign == REMOUNT_PERHAPS;
    struct waiting *w = arena_alloc(&target->arena, sizeof *w);
    struct entry *copy = w ? entry_copy(&target->arena, entry) : NULL;
    if (!copy)
        return -ENOBUFS;
    w->entry = copy;
    *target->waiting_end = w;
    target->waiting_end = &w->next;
    return 0;
}

int remount_settle(struct observe_target *target, enum settled settled)
{
    int rc = 0;
    target->settled = settled;
    target->observe->counts.target_resets += settled == SETTLED_RESET;
    for (struct waiting *w = target->waiting; w && rc == 0; w = w->next)
        rc = look_take(target, w->entry);
    target->waiting = NULL;
    target->waiting_end = &target->waiting;
    arena_done(&target->arena);
    arena_init(&target->arena, REMOUNT_BYTES_MAX);
    return rc;
}

/* ---- the signs ---- */

static enum settled judge(const struct observe_target *target, size_t gone)
{
    size_t witnesses = target->certain_signs + gone;
    if (witnesses >= WITNESSES_MIN && witnesses >= WITNESSES_EACH * target->grown)
        return SETTLED_RESET;
    return witnesses || target->faint_signs ? SETTLED_DOUBTFUL : SETTLED_UNSAID;
}

enum settled remount_judge(const struct observe_target *target)
{
    return judge(target, 0);
}

/* Seen when the target was read last, and not in this dump. */
static bool is_gone(const struct observe_target *target, const struct life *life)
{
    return life->seen_ms != target->t_ms && !(life->flags & LIFE_WAITS) &&
           life->seen_round >= target->rounds;
}

struct missing {
    size_t recent;    /* that no cleanup can have removed */
    size_t removable; /* for each of which a dump may have left out another */
};

/* What is missing from a dump that is whole. */
static struct missing missing_count(const struct observe_target *target)
{
    struct missing missing = { 0 };
    for (size_t i = 0; i < target->lives.capacity; i++) {
        const struct life *life = target->lives.slots[i];
        if (!life || life->seen_round < target->rounds || life->seen_ms == target->t_ms)
            continue;
        bool is_recent = remount_is_recent(target, life, target->clock_ms);
        missing.recent += is_recent && is_gone(target, life);
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

/* ---- the end of a mount ---- */

/* Nobody saw how the life ended: a row that adds nothing, and follows what was not
 * seen.
 */
static int tail_emit(struct observe_target *target, const struct life *life,
                     struct entry *entry)
{
    int rc = 0;
    if (life->flags & LIFE_WANTS_BASE) /* so that it is seen to be of a new order */
        rc = life_emit_base(target, life, life->seen_ms, NULL);
    if (rc == 0)
        rc = entry_of_life(target, life, entry);
    if (rc < 0)
        return rc;
    return target_emit(target, entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = life->seen_ms,
                           .previous_ms = look_unseen_instant(
                               life->row_ms, life->seen_ms, target->t_ms),
                           .reset = true,
                           .is_zero = true,
                       });
}

struct over {
    int64_t t_ms, seen_before_ms;
};

static bool is_over(const struct life *life, const void *arg)
{
    const struct over *over = arg;
    return life->seen_ms != over->t_ms && life->seen_ms < over->seen_before_ms;
}

/* A life that may be over: of a total, or with a row that says so. */
static int life_doubt(struct observe_target *target, struct life *life,
                      struct entry *entry)
{
    if (life->flags & LIFE_TAIL_TOLD)
        return 0;
    life->flags |= LIFE_TAIL_TOLD;
    if (life->row_ms != T_NONE || (life->flags & LIFE_WANTS_BASE))
        return tail_emit(target, life, entry);
    totals_set_lossy(target);
    return 0;
}

int remount_forget(struct observe_target *target, life_over_fn *is_over_now,
                   const void *arg)
{
    AUTO_FREE struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -ENOMEM;
    for (size_t i = 0; target->has_tails && i < target->lives.capacity; i++) {
        struct life *life = target->lives.slots[i];
        if (!life || !(life->flags & LIFE_TAIL_UNSEEN) || !is_over_now(life, arg))
            continue;
        int rc = life_doubt(target, life, entry);
        if (rc < 0)
            return rc;
    }
    size_t count = lives_sweep(&target->lives, is_over_now, arg);
    target->observe->life_count -= count;
    target->observe->counts.lives_forgotten += count;
    return 0;
}

/* The lives that were not in this dump, and were seen last before the target came, are
 * over. */
static int forget_missing(struct observe_target *target, int64_t seen_before_ms)
{
    const struct over over = { target->t_ms, seen_before_ms };
    for (size_t i = 0; i < target->lives.capacity; i++) {
        struct life *life = target->lives.slots[i];
        if (life && is_over(life, &over) && is_gone(target, life)) {
            life->flags |= LIFE_TAIL_UNSEEN;
            target->has_tails = true;
        }
    }
    return remount_forget(target, is_over, &over);
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
    for (size_t i = 0; i < target->lives.capacity; i++) {
        struct life *life = target->lives.slots[i];
        if (!life)
            continue;
        bool is_recent = remount_is_recent(target, life, target->clock_ms);
        if (is_gone(target, life) &&
            (is_recent || was_pause || target->settled == SETTLED_DOUBTFUL))
            life->flags |= LIFE_TAIL_UNSEEN;
        target->has_tails |= (life->flags & LIFE_TAIL_UNSEEN) != 0;
        if (!is_gone(target, life))
            continue;
        int rc = is_recent && are_gone ? life_doubt(target, life, entry) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int remount_end(struct observe_target *target)
{
    size_t gone = 0;
    if (target->settled == SETTLED_NOT) {
        struct missing missing = missing_count(target);
        gone = gone_count(target, &missing);
        enum settled settled = judge(target, gone);
        if (settled == SETTLED_UNSAID && missing.recent)
            settled = SETTLED_DOUBTFUL;
        int rc = remount_settle(target, settled);
        if (rc < 0)
            return rc;
    }
    if (target->settled == SETTLED_RESET)
        return forget_missing(target, INT64_MAX);
    if (target->settled != SETTLED_SAME && target->absent_ms > target->round_ms)
        return forget_missing(target, target->absent_ms);
    return mark_unseen_tails(target, target->settled == SETTLED_DOUBTFUL && gone > 0);
}

int remount_cut(struct observe_target *target)
{
    if (target->settled == SETTLED_NOT) {
        int rc = remount_settle(target, remount_judge(target));
        if (rc < 0)
            return rc;
    }
    /* What did not come in this dump is of the old mount, or may be. */
    if (target->settled == SETTLED_RESET)
        target->absent_ms = later(target->absent_ms, target->t_ms - 1);
    for (size_t i = 0;
         target->settled == SETTLED_DOUBTFUL && i < target->lives.capacity; i++) {
        struct life *life = target->lives.slots[i];
        if (!life || life->seen_ms == target->t_ms)
            continue;
        life->flags |= LIFE_TAIL_UNSEEN;
        target->has_tails = true;
    }
    return 0;
}
