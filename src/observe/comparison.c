/* SPDX-License-Identifier: Apache-2.0 */
/* comparison - one entry of one dump, against what it showed last. */
#include "observe/comparison.h"

#include "base/number.h"
#include "observe/generation_row.h"
#include "observe/totals.h"

/* One entry that is compared; observe->next holds its counters. */
struct comparison {
    struct observe_target *target;
    const struct entry *entry;
    int64_t start_ns; /* of the entry; T_NONE also when it lies in the future */
    bool is_folded;
    struct span total; /* the total's identifier, when folded */
};

/* previous_ms: T_NONE, or an instant without a row where something was not seen. */
static int emit_zero(const struct comparison *c, int64_t zero_ms, int64_t previous_ms)
{
    struct observation seen = {
        .t_ms = zero_ms,
        .since_ms = T_NONE,
        .previous_ms = previous_ms,
        .reset = true,
        .is_zero = true,
    };
    return target_emit(c->target, c->entry, seen);
}

/* Where a generation that begins now has its zero record: at its start where the text
 * tells, else at the last instant before it could have been seen; before the row in any
 * case, for an entry may have been made while the dump was being printed. */
static int64_t zero_instant(const struct comparison *c, int64_t born_after_ms)
{
    int64_t zero_ms = c->start_ns != T_NONE ? floor_ms(c->start_ns) : born_after_ms;
    return zero_ms == T_NONE ? T_NONE : earlier(zero_ms, c->target->t_ms - 1);
}

/* When it moved last, at the earliest: as the server prints, else after the
 * last observation. */
static int64_t moved_after(const struct comparison *c, int64_t since_ms)
{
    const struct observe_target *target = c->target;
    int64_t snapshot_ns = c->entry->snapshot_ns;
    bool is_stepped =
        target->t_ms - target->clock_ms >= MS_PER_S || target->was_stepped;
    if (snapshot_ns == T_NONE)
        return is_stepped ? T_NONE : since_ms;
    int64_t ms = floor_ms(snapshot_ns);
    return is_stepped ? ms : later(since_ms, earlier(ms, target->t_ms));
}

/* since_ms: it was there, and had not moved by then; T_NONE: not known. */
static int generation_update(struct generation **slot, const struct comparison *c,
                             int64_t since_ms)
{
    struct observe *o = c->target->observe;
    size_t size = counters_pack(&o->next, o->packed);
    struct generation *generation = *slot;
    if (generation->counters_size != size ||
        memcmp(generation_counters(generation), o->packed, size) != 0) {
        int rc = generation_set_counters(slot, o->packed, size);
        if (rc < 0)
            return rc;
        generation = *slot;
        generation->moved_ms = moved_after(c, since_ms);
    } else if (generation->snapshot_ns != c->entry->snapshot_ns) {
        generation->moved_ms = moved_after(c, since_ms);
    }
    generation->snapshot_ns = c->entry->snapshot_ns;
    generation->flags &= (uint8_t) ~(GENERATION_WAITS | GENERATION_TAIL_UNSEEN |
                                     GENERATION_TAIL_REPORTED);
    if (c->start_ns != T_NONE)
        generation->start_ns = c->start_ns;
    generation->seen_ms = c->target->t_ms;
    generation->seen_round = c->target->rounds + 1;
    return 0;
}

static bool all_zero(const struct counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->items[i].samples || counters->items[i].sum)
            return false;
    return true;
}

/* An identifier that nothing is known of. */
static int compare_new(struct comparison *c)
{
    struct observe_target *target = c->target;
    struct observe *o = target->observe;
    if (o->generation_count >= o->opts.generations_max) {
        o->counts.generations_refused++;
        return 0;
    }
    struct generation **slot = generations_add(&target->generations, c->entry->id);
    if (!slot)
        return -ENOMEM;
    o->generation_count++;
    /* Before the mount, if there was one, it may have had a generation that began after
     * the last round. */
    bool has_tail =
        target->settled == SETTLED_RESET || target->settled == SETTLED_DOUBTFUL;
    int64_t born_after = target_born_after(target);
    (*slot)->moved_ms = moved_after(c, born_after);
    int rc = generation_update(slot, c, born_after);
    if (rc < 0)
        return rc;
    if (c->is_folded)
        return totals_add(target, c->total,
                          born_after == T_NONE ? TOTAL_NOTHING
                          : has_tail           ? TOTAL_SINCE_ZERO_LOSSY
                                               : TOTAL_SINCE_ZERO);

    int64_t zero_ms = zero_instant(c, born_after);
    if (zero_ms != T_NONE) {
        rc = emit_zero(c, zero_ms, has_tail ? zero_ms - 1 : T_NONE);
        (*slot)->row_ms = zero_ms;
        if (rc < 0 || all_zero(&o->next))
            return rc;
    }
    (*slot)->row_ms = target->t_ms;
    return target_emit(target, c->entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = zero_ms,
                           .previous_ms = zero_ms,
                           .reset = born_after != T_NONE,
                       });
}

/* A known identifier whose counters began anew, after born_after_ms when that is known.
 * has_tail: the old generation may have moved after it was seen last. */
static int compare_reborn(struct comparison *c, struct generation **slot,
                          int64_t born_after_ms, bool has_tail)
{
    struct observe_target *target = c->target;
    struct generation *generation = *slot;
    target->observe->counts.resets++;
    int64_t seen_ms = generation->seen_ms, row_ms = generation->row_ms;
    int rc = 0;
    if (generation->flags &
        GENERATION_WANTS_BASE) { /* so that it is seen to be of a new order */
        rc = generation_emit_base(target, generation, seen_ms, c->entry);
        row_ms = seen_ms;
    }
    generation->start_ns = T_NONE;
    generation->flags = 0;
    if (rc == 0)
        rc = generation_update(slot, c, seen_ms);
    if (rc < 0)
        return rc;
    if (c->is_folded)
        return totals_add(target, c->total,
                          has_tail ? TOTAL_SINCE_ZERO_LOSSY : TOTAL_SINCE_ZERO);

    int64_t zero_ms = zero_instant(c, born_after_ms);
    int64_t since_ms = zero_ms == T_NONE ? seen_ms : later(seen_ms, zero_ms);
    int64_t previous_ms = row_ms;
    /* Not among or before the rows of the old generation. */
    if (zero_ms != T_NONE && (row_ms == T_NONE || zero_ms > row_ms)) {
        rc = emit_zero(c, zero_ms,
                       has_tail ? generation_unseen_instant(row_ms, seen_ms, zero_ms)
                                : T_NONE);
        if (rc < 0)
            return rc;
        previous_ms = zero_ms;
    } else if (has_tail) {
        previous_ms = generation_unseen_instant(row_ms, seen_ms, target->t_ms);
    }
    (*slot)->row_ms = target->t_ms;
    return target_emit(target, c->entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = since_ms,
                           .previous_ms = previous_ms,
                           .reset = true,
                       });
}

enum verdict {
    GENERATION_SAME,
    GENERATION_DOUBTFUL, /* the same, or a new one that has outgrown it */
    GENERATION_REBORN,
    GENERATION_FORGOTTEN,
};

/* The same generation as before, or perhaps so: o->before holds its counters. */
static int compare_again(struct comparison *c, struct generation **slot,
                         enum verdict verdict)
{
    struct observe_target *target = c->target;
    struct observe *o = target->observe;
    bool is_doubtful = verdict == GENERATION_DOUBTFUL;
    bool has_changed = counters_changed(&o->before, &o->next) || is_doubtful;
    int64_t since_ms = (*slot)->seen_ms, previous_ms = (*slot)->row_ms;
    counters_carry(&o->before, &o->next);
    int rc = 0;
    if (has_changed && ((*slot)->flags & GENERATION_WANTS_BASE)) {
        rc = generation_emit_base(target, *slot, since_ms, c->entry);
        previous_ms = since_ms;
        (*slot)->flags &= (uint8_t)~GENERATION_WANTS_BASE;
    }
    if (rc == 0)
        rc = generation_update(slot, c, since_ms);
    if (rc < 0)
        return rc;
    o->counts.doubtful += is_doubtful;
    if (!has_changed) {
        o->counts.unchanged++;
        return 0;
    }
    if (c->is_folded)
        return totals_add(target, c->total,
                          is_doubtful ? TOTAL_SINCE_BEFORE_LOSSY : TOTAL_SINCE_BEFORE);
    (*slot)->row_ms = target->t_ms;
    return target_emit(target, c->entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = since_ms,
                           .previous_ms = previous_ms,
                           .is_doubtful = is_doubtful,
                       });
}

/* How long an entry that was missing from a whole dump has not been seen.  A pause
 * behind the last whole dump is no absence: one interval of it counts, no more. */
static int64_t unseen_ms(const struct observe_target *target,
                         const struct generation *generation)
{
    int64_t looked_ms = target->round_ms + target->observe->opts.interval_ms;
    return earlier(target->t_ms, looked_ms) - generation->seen_ms;
}

/* Without start times there is nothing but the counters and the time that has passed.
 */
static enum verdict counters_judge(const struct comparison *c,
                                   const struct generation *generation)
{
    const struct observe_target *target = c->target;
    const struct observe *o = target->observe;
    if (counters_decreased(&o->before, &o->next) ||
        target->absent_ms > generation->seen_ms)
        return GENERATION_REBORN;
    if (c->start_ns != T_NONE && floor_ms(c->start_ns) > generation->seen_ms)
        return GENERATION_REBORN; /* the server has learnt to print it, and it is later
                                   */
    bool has_changed = counters_changed(&o->before, &o->next);
    bool has_moved = c->entry->snapshot_ns != generation->snapshot_ns;
    bool is_present =
        c->entry->snapshot_ns != T_NONE && generation->snapshot_ns != T_NONE;
    if (target->settled == SETTLED_RESET)
        return has_changed || is_present ? GENERATION_REBORN : GENERATION_DOUBTFUL;
    if (target->settled == SETTLED_DOUBTFUL)
        return GENERATION_DOUBTFUL;
    /* It was gone for a while: left out of a dump, or cleared. */
    bool was_gone = generation->flags & GENERATION_TAIL_UNSEEN;
    /* It moved, and shows what it showed: a new generation that did the same, or it was
     * read between its time and its counters. */
    if (!has_changed)
        return generation->counters_size && (is_present ? has_moved : was_gone)
                   ? GENERATION_DOUBTFUL
                   : GENERATION_SAME;
    if (was_gone)
        return GENERATION_DOUBTFUL;
    /* Idle for so long, by its last move, that it may have been removed and made anew.
     */
    int64_t moved_ms = target->clock_ms;
    if (is_present && target->t_ms - target->clock_ms < MS_PER_S)
        moved_ms = earlier(moved_ms, floor_ms(c->entry->snapshot_ns) + MS_PER_S);
    return remount_is_recent(target, generation, moved_ms) ? GENERATION_SAME
                                                           : GENERATION_DOUBTFUL;
}

static enum verdict generation_judge(const struct comparison *c,
                                     const struct generation *generation)
{
    struct observe_target *target = c->target;
    struct observe *o = target->observe;
    if (c->start_ns != T_NONE && generation->start_ns != T_NONE) {
        if (c->start_ns != generation->start_ns)
            return GENERATION_REBORN;
        o->counts.same_start_decreased += counters_decreased(&o->before, &o->next);
        return GENERATION_SAME;
    }
    if (target->rounds > generation->seen_round &&
        unseen_ms(target, generation) > target_keep_ms(target))
        return GENERATION_FORGOTTEN;
    return counters_judge(c, generation);
}

/* Can the old generation have moved after it was seen last?  Not where it had to be
 * idle from then on to be removed. */
static bool is_tail_unseen(const struct comparison *c,
                           const struct generation *generation)
{
    const struct observe_target *target = c->target;
    if (target->settled == SETTLED_RESET || target->settled == SETTLED_DOUBTFUL ||
        target->absent_ms > generation->seen_ms ||
        (generation->flags & GENERATION_TAIL_UNSEEN))
        return true;
    if (target->rounds > generation->seen_round)
        return false; /* it was over by the whole dump without it */
    int64_t end_ms = c->start_ns == T_NONE ? target->clock_ms : floor_ms(c->start_ns);
    if (remount_is_recent(target, generation, end_ms))
        return true;
    return target->cleanup_ms == 0 || end_ms - generation->seen_ms > target->cleanup_ms;
}

/* An entry that stood in this dump already.  Is it to be left alone? */
static bool is_duplicate_spent(const struct comparison *c,
                               const struct generation *generation)
{
    struct observe *o = c->target->observe;
    o->counts.duplicates++;
    bool with_start = c->start_ns != T_NONE && generation->start_ns != T_NONE;
    if (with_start && c->start_ns < generation->start_ns)
        return true; /* the older generation, printed later */
    bool is_newer = with_start && c->start_ns > generation->start_ns;
    if (!is_newer && counters_decreased(&o->before, &o->next))
        return true; /* the older reading */
    if (generation->row_ms != c->target->t_ms)
        return false;
    /* There is a row of this time already, and it stands.  What this one has more is
     * still there in the next round. */
    o->counts.duplicates_deferred++;
    return true;
}

/* Is it certain that this generation goes on, and with it the mount of its target?  Its
 * start, or the time of its last move, which was over when it was seen last. */
static bool is_continued(const struct comparison *c,
                         const struct generation *generation)
{
    const struct observe *o = c->target->observe;
    if (c->start_ns != T_NONE && generation->start_ns != T_NONE)
        return c->start_ns == generation->start_ns;
    return c->entry->snapshot_ns != T_NONE &&
           c->entry->snapshot_ns == generation->snapshot_ns &&
           floor_ms(generation->snapshot_ns) + MS_PER_S <= generation->seen_ms &&
           !counters_changed(&o->before, &o->next);
}

/* Did its counters begin anew, though it had not been idle for long enough to be
 * removed? */
static enum remount_sign sign_of(const struct comparison *c,
                                 const struct generation *generation)
{
    const struct observe_target *target = c->target;
    const struct observe *o = target->observe;
    if (generation->seen_round < target->rounds)
        return REMOUNT_NO_SIGN; /* it was over, or left out, before */
    if (c->start_ns != T_NONE && generation->start_ns != T_NONE) {
        int64_t start_ms = floor_ms(c->start_ns);
        bool is_later = c->start_ns > generation->start_ns;
        return is_later && remount_is_recent(target, generation, start_ms)
                   ? REMOUNT_CERTAIN
                   : REMOUNT_NO_SIGN;
    }
    if (!remount_is_recent(target, generation, target->clock_ms))
        return REMOUNT_NO_SIGN;
    if (counters_decreased(&o->before, &o->next))
        return REMOUNT_CERTAIN;
    bool is_present =
        c->entry->snapshot_ns != T_NONE && generation->snapshot_ns != T_NONE;
    return is_present && c->entry->snapshot_ns != generation->snapshot_ns &&
                   generation->counters_size && !counters_changed(&o->before, &o->next)
               ? REMOUNT_PERHAPS
               : REMOUNT_NO_SIGN;
}

static void comparison_begin(struct comparison *c, struct observe_target *target,
                             const struct entry *entry)
{
    *c = (struct comparison){
        .target = target,
        .entry = entry,
        .start_ns = entry->start_ns,
    };
    counters_of_entry(entry, &target->observe->next);
}

int comparison_evidence(struct observe_target *target, const struct entry *entry,
                        struct evidence *ret)
{
    struct observe *o = target->observe;
    struct comparison c;
    comparison_begin(&c, target, entry);
    struct generation **slot = generations_find(&target->generations, entry->id);
    *ret = (struct evidence){ .sign = REMOUNT_NO_SIGN };
    if (!slot)
        return 0;
    ret->generation = *slot;
    int rc =
        counters_unpack(generation_counters(*slot), (*slot)->counters_size, &o->before);
    if (rc < 0)
        return rc;
    ret->is_seen = (*slot)->seen_ms == target->t_ms;
    ret->is_continued = is_continued(&c, *slot);
    ret->sign = sign_of(&c, *slot);
    return 0;
}

static int compare_known(struct comparison *c, struct generation **slot)
{
    struct observe_target *target = c->target;
    struct observe *o = target->observe;
    struct generation *generation = *slot;
    int rc = counters_unpack(generation_counters(generation), generation->counters_size,
                             &o->before);
    if (rc < 0)
        return rc;
    if (generation->seen_ms == target->t_ms && is_duplicate_spent(c, generation))
        return 0;
    enum verdict verdict = generation_judge(c, generation);
    if (verdict == GENERATION_SAME || verdict == GENERATION_DOUBTFUL)
        return compare_again(c, slot, verdict);
    /* One that was forgotten only now has ended before the last whole round. */
    int64_t born_after = verdict == GENERATION_FORGOTTEN ? target_born_after(target)
                         : target->absent_ms > generation->seen_ms ? target->absent_ms
                                                                   : T_NONE;
    return compare_reborn(c, slot, born_after, is_tail_unseen(c, generation));
}

int comparison_take(struct observe_target *target, const struct entry *entry)
{
    struct observe *o = target->observe;
    char total[ENTRY_ID_BYTES_MAX];
    struct comparison c;
    comparison_begin(&c, target, entry);
    c.total.data = total;
    c.is_folded = o->opts.fold_count && totals_match(o, entry, total, &c.total.size);
    struct generation **slot = generations_find(&target->generations, entry->id);
    int rc = slot ? compare_known(&c, slot) : compare_new(&c);
    o->counts.folded += c.is_folded;
    return rc;
}
