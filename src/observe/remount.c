/* SPDX-License-Identifier: Apache-2.0 */
/* remount - was a target mounted anew since its last round, or all of it cleared?
 *
 *     dump ──▶ known entry? ─no──▶ it waits
 *                   │ yes
 *                   ├─ certainly goes on ──▶ no remount: what waits is compared,
 *                   │                        and so is all that follows
 *                   └─ not certain ──▶ it waits, and may be a sign
 *     end of the dump ──▶ the signs, and what is missing, decide for all that waits
 *
 * A server removes an entry that was idle for the cleanup interval, and no other.  So
 * one that fell, or is gone, sooner than that is the sign of a new mount, after which
 * no entry is what it was; or of an administrator who cleared this one entry
 * (job_stats=ID).  Only where many show it, and few others merely grew, is it taken
 * for a mount; else those that grew are in doubt.  And a dump can leave out an entry
 * when another was removed while it was printed (up to Lustre 2.16): as many may be
 * missing as may have been removed.
 *
 * A dump of any size has an idle entry among its first, as a rule, and nothing waits;
 * after a mount it is short.
 */
#include "observe/remount.h"

/* Reading takes a while, and the server counts in whole seconds. */
#define SLACK_MS (5 * MS_PER_S)

/* So many entries are signs of a mount, and as many for each one that merely grew: few
 * are cleared one by one within one interval, and a mount begins them all anew. */
#define WITNESSES_MIN 4
#define WITNESSES_EACH 2

bool remount_is_recent(const struct observe_target *target,
                       const struct generation *generation, int64_t at_ms)
{
    if (target->cleanup_ms == 0)
        return true;
    if (generation->moved_ms == T_NONE)
        return false;
    return at_ms - generation->moved_ms < target->cleanup_ms - SLACK_MS;
}

void remount_begin(struct observe_target *target)
{
    target->settled = target->generations.count ? SETTLED_NOT : SETTLED_SAME;
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

/* ---- the signs ---- */

enum settled remount_judge(const struct observe_target *target, size_t gone)
{
    size_t witnesses = target->certain_signs + gone;
    if (witnesses >= WITNESSES_MIN && witnesses >= WITNESSES_EACH * target->grown)
        return SETTLED_RESET;
    return witnesses || target->faint_signs ? SETTLED_DOUBTFUL : SETTLED_UNSAID;
}
