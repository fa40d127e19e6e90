/* SPDX-License-Identifier: Apache-2.0 */
/* look - one entry of one dump, against what it showed last. */
#include "base/number.h"
#include "observe/target.h"

/* One entry being looked at; observe->next holds its counters. */
struct look {
    struct observe_target *target;
    const struct entry *entry;
    int64_t start_ns; /* of the entry; T_NONE also when it lies in the future */
    bool is_folded;
    bool waits;        /* for the end of the dump */
    struct span total; /* the total's identifier, when folded */
};

/* previous_ms: T_NONE, or an instant without a row where something was not seen. */
static int look_zero(const struct look *look, int64_t zero_ms, int64_t previous_ms)
{
    struct observation seen = {
        .t_ms = zero_ms,
        .since_ms = T_NONE,
        .previous_ms = previous_ms,
        .reset = true,
        .is_zero = true,
    };
    return target_emit(look->target, look->entry, seen);
}

/* Where a life that begins now has its zero record: at its start where the text tells,
 * else at the last instant before it could have been seen; before the row in any case,
 * for an entry may have been made while the dump was being printed. */
static int64_t zero_place(const struct look *look, int64_t born_after_ms)
{
    int64_t zero_ms =
        look->start_ns != T_NONE ? floor_ms(look->start_ns) : born_after_ms;
    return zero_ms == T_NONE ? T_NONE : earlier(zero_ms, look->target->t_ms - 1);
}

/* When it moved last, at the earliest: as the server says, else after the last look. */
static int64_t moved_after(const struct look *look, int64_t since_ms)
{
    const struct observe_target *target = look->target;
    int64_t snapshot_ns = look->entry->snapshot_ns;
    bool is_stepped =
        target->t_ms - target->clock_ms >= MS_PER_S || target->was_stepped;
    if (snapshot_ns == T_NONE)
        return is_stepped ? T_NONE : since_ms;
    int64_t ms = floor_ms(snapshot_ns);
    return is_stepped ? ms : later(since_ms, earlier(ms, target->t_ms));
}

/* since_ms: it was there, and had not moved by then; T_NONE: not known. */
static int life_keep(struct life **slot, const struct look *look, int64_t since_ms)
{
    struct observe *o = look->target->observe;
    size_t size = counters_pack(&o->next, o->packed);
    struct life *life = *slot;
    if (life->counters_size != size ||
        memcmp(life_counters(life), o->packed, size) != 0) {
        int rc = life_set_counters(slot, o->packed, size);
        if (rc < 0)
            return rc;
        life = *slot;
        life->moved_ms = moved_after(look, since_ms);
    } else if (life->snapshot_ns != look->entry->snapshot_ns) {
        life->moved_ms = moved_after(look, since_ms);
    }
    life->snapshot_ns = look->entry->snapshot_ns;
    life->flags &= (uint8_t) ~(LIFE_WAITS | LIFE_TAIL_UNSEEN | LIFE_TAIL_TOLD);
    if (look->start_ns != T_NONE)
        life->start_ns = look->start_ns;
    life->seen_ms = look->target->t_ms;
    life->seen_round = look->target->rounds + 1;
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
static int look_new(struct look *look)
{
    struct observe_target *target = look->target;
    struct observe *o = target->observe;
    if (o->life_count >= o->opts.lives_max) {
        o->counts.lives_refused++;
        return 0;
    }
    struct life **slot = lives_add(&target->lives, look->entry->id);
    if (!slot)
        return -ENOMEM;
    o->life_count++;
    /* Before the mount, if there was one, it may have had a life that began after the
     * last round. */
    bool has_tail =
        target->settled == SETTLED_RESET || target->settled == SETTLED_DOUBTFUL;
    int64_t born_after = target_born_after(target);
    (*slot)->moved_ms = moved_after(look, born_after);
    int rc = life_keep(slot, look, born_after);
    if (rc < 0)
        return rc;
    if (look->is_folded)
        return totals_add(target, look->total,
                          born_after == T_NONE ? TOTAL_NOTHING
                          : has_tail           ? TOTAL_SINCE_ZERO_LOSSY
                                               : TOTAL_SINCE_ZERO);

    int64_t zero_ms = zero_place(look, born_after);
    if (zero_ms != T_NONE) {
        rc = look_zero(look, zero_ms, has_tail ? zero_ms - 1 : T_NONE);
        (*slot)->row_ms = zero_ms;
        if (rc < 0 || all_zero(&o->next))
            return rc;
    }
    (*slot)->row_ms = target->t_ms;
    return target_emit(target, look->entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = zero_ms,
                           .previous_ms = zero_ms,
                           .reset = born_after != T_NONE,
                       });
}

int64_t look_unseen_instant(int64_t row_ms, int64_t seen_ms, int64_t before_ms)
{
    int64_t ms = later(row_ms, seen_ms) + 1;
    if (ms < before_ms)
        return ms;
    return (row_ms == T_NONE ? before_ms : row_ms) - 1;
}

/* A known identifier whose counters began anew, after born_after_ms when that is known.
 * has_tail: the old life may have moved after it was seen last. */
static int look_reborn(struct look *look, struct life **slot, int64_t born_after_ms,
                       bool has_tail)
{
    struct observe_target *target = look->target;
    struct life *life = *slot;
    target->observe->counts.resets++;
    int64_t seen_ms = life->seen_ms, row_ms = life->row_ms;
    int rc = 0;
    if (life->flags & LIFE_WANTS_BASE) { /* so that it is seen to be of a new order */
        rc = life_emit_base(target, life, seen_ms, look->entry);
        row_ms = seen_ms;
    }
    life->start_ns = T_NONE;
    life->flags = 0;
    if (rc == 0)
        rc = life_keep(slot, look, seen_ms);
    if (rc < 0)
        return rc;
    if (look->is_folded)
        return totals_add(target, look->total,
                          has_tail ? TOTAL_SINCE_ZERO_LOSSY : TOTAL_SINCE_ZERO);

    int64_t zero_ms = zero_place(look, born_after_ms);
    int64_t since_ms = zero_ms == T_NONE ? seen_ms : later(seen_ms, zero_ms);
    int64_t previous_ms = row_ms;
    /* Not among or before the rows of the old life. */
    if (zero_ms != T_NONE && (row_ms == T_NONE || zero_ms > row_ms)) {
        rc = look_zero(look, zero_ms,
                       has_tail ? look_unseen_instant(row_ms, seen_ms, zero_ms)
                                : T_NONE);
        if (rc < 0)
            return rc;
        previous_ms = zero_ms;
    } else if (has_tail) {
        previous_ms = look_unseen_instant(row_ms, seen_ms, target->t_ms);
    }
    (*slot)->row_ms = target->t_ms;
    return target_emit(target, look->entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = since_ms,
                           .previous_ms = previous_ms,
                           .reset = true,
                       });
}

enum verdict {
    LIFE_SAME,
    LIFE_DOUBTFUL, /* the same, or a new one that has outgrown it */
    LIFE_REBORN,
    LIFE_FORGOTTEN,
};

/* The same life as before, or perhaps so: o->before holds its counters. */
static int look_again(struct look *look, struct life **slot, enum verdict verdict)
{
    struct observe_target *target = look->target;
    struct observe *o = target->observe;
    bool is_doubtful = verdict == LIFE_DOUBTFUL;
    bool has_changed = counters_changed(&o->before, &o->next) || is_doubtful;
    int64_t since_ms = (*slot)->seen_ms, previous_ms = (*slot)->row_ms;
    counters_carry(&o->before, &o->next);
    int rc = 0;
    if (has_changed && ((*slot)->flags & LIFE_WANTS_BASE)) {
        rc = life_emit_base(target, *slot, since_ms, look->entry);
        previous_ms = since_ms;
        (*slot)->flags &= (uint8_t)~LIFE_WANTS_BASE;
    }
    if (rc == 0)
        rc = life_keep(slot, look, since_ms);
    if (rc < 0)
        return rc;
    o->counts.doubtful += is_doubtful;
    if (!has_changed) {
        o->counts.unchanged++;
        return 0;
    }
    if (look->is_folded)
        return totals_add(target, look->total,
                          is_doubtful ? TOTAL_SINCE_BEFORE_LOSSY : TOTAL_SINCE_BEFORE);
    (*slot)->row_ms = target->t_ms;
    return target_emit(target, look->entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = since_ms,
                           .previous_ms = previous_ms,
                           .is_doubtful = is_doubtful,
                       });
}

/* How long an entry that was missing from a whole dump was looked for in vain.  A pause
 * behind the last whole dump is no absence: one interval of it counts, no more. */
static int64_t unseen_ms(const struct observe_target *target, const struct life *life)
{
    int64_t looked_ms = target->round_ms + target->observe->opts.interval_ms;
    return earlier(target->t_ms, looked_ms) - life->seen_ms;
}

/* Without start times there is nothing but the counters and the time that has passed.
 */
static enum verdict counters_judge(const struct look *look, const struct life *life)
{
    const struct observe_target *target = look->target;
    const struct observe *o = target->observe;
    if (counters_decreased(&o->before, &o->next) || target->absent_ms > life->seen_ms)
        return LIFE_REBORN;
    if (look->start_ns != T_NONE && floor_ms(look->start_ns) > life->seen_ms)
        return LIFE_REBORN; /* the server has learnt to print it, and it is later */
    bool has_changed = counters_changed(&o->before, &o->next);
    bool has_moved = look->entry->snapshot_ns != life->snapshot_ns;
    bool is_told = look->entry->snapshot_ns != T_NONE && life->snapshot_ns != T_NONE;
    if (target->settled == SETTLED_RESET)
        return has_changed || is_told ? LIFE_REBORN : LIFE_DOUBTFUL;
    if (target->settled == SETTLED_DOUBTFUL)
        return LIFE_DOUBTFUL;
    /* It was gone for a while: left out of a dump, or cleared. */
    bool was_gone = life->flags & LIFE_TAIL_UNSEEN;
    /* It moved, and shows what it showed: a new life that did the same, or it was read
     * between its time and its counters. */
    if (!has_changed)
        return life->counters_size && (is_told ? has_moved : was_gone) ? LIFE_DOUBTFUL
                                                                       : LIFE_SAME;
    if (was_gone)
        return LIFE_DOUBTFUL;
    /* Idle for so long, by its last move, that it may have been removed and made anew.
     */
    int64_t moved_ms = target->clock_ms;
    if (is_told && target->t_ms - target->clock_ms < MS_PER_S)
        moved_ms = earlier(moved_ms, floor_ms(look->entry->snapshot_ns) + MS_PER_S);
    return remount_is_recent(target, life, moved_ms) ? LIFE_SAME : LIFE_DOUBTFUL;
}

static enum verdict life_judge(const struct look *look, const struct life *life)
{
    struct observe_target *target = look->target;
    struct observe *o = target->observe;
    if (look->start_ns != T_NONE && life->start_ns != T_NONE) {
        if (look->start_ns != life->start_ns)
            return LIFE_REBORN;
        o->counts.same_start_decreased += counters_decreased(&o->before, &o->next);
        return LIFE_SAME;
    }
    if (target->rounds > life->seen_round &&
        unseen_ms(target, life) > target_keep_ms(target))
        return LIFE_FORGOTTEN;
    return counters_judge(look, life);
}

/* Can the old life have moved after it was seen last?  Not where it had to be idle from
 * then on to be removed. */
static bool is_tail_unseen(const struct look *look, const struct life *life)
{
    const struct observe_target *target = look->target;
    if (target->settled == SETTLED_RESET || target->settled == SETTLED_DOUBTFUL ||
        target->absent_ms > life->seen_ms || (life->flags & LIFE_TAIL_UNSEEN))
        return true;
    if (target->rounds > life->seen_round)
        return false; /* it was over by the whole dump without it */
    int64_t end_ms =
        look->start_ns == T_NONE ? target->clock_ms : floor_ms(look->start_ns);
    if (remount_is_recent(target, life, end_ms))
        return true;
    return target->cleanup_ms == 0 || end_ms - life->seen_ms > target->cleanup_ms;
}

/* An entry that stood in this dump already.  Is it to be left alone? */
static bool is_duplicate_spent(const struct look *look, const struct life *life)
{
    struct observe *o = look->target->observe;
    o->counts.duplicates++;
    bool with_start = look->start_ns != T_NONE && life->start_ns != T_NONE;
    if (with_start && look->start_ns < life->start_ns)
        return true; /* the older life, printed later */
    bool is_newer = with_start && look->start_ns > life->start_ns;
    if (!is_newer && counters_decreased(&o->before, &o->next))
        return true; /* the older reading */
    if (life->row_ms != look->target->t_ms)
        return false;
    /* There is a row of this time already, and it stands.  What this one has more is
     * still there in the next round. */
    o->counts.duplicates_deferred++;
    return true;
}

/* Is it certain that this life goes on, and with it the mount of its target?  Its
 * start, or the time of its last move, which was over when it was seen last. */
static bool is_continued(const struct look *look, const struct life *life)
{
    const struct observe *o = look->target->observe;
    if (look->start_ns != T_NONE && life->start_ns != T_NONE)
        return look->start_ns == life->start_ns;
    return look->entry->snapshot_ns != T_NONE &&
           look->entry->snapshot_ns == life->snapshot_ns &&
           floor_ms(life->snapshot_ns) + MS_PER_S <= life->seen_ms &&
           !counters_changed(&o->before, &o->next);
}

/* Did its counters begin anew, though it had not been idle for long enough to be
 * removed? */
static enum remount_sign sign_of(const struct look *look, const struct life *life)
{
    const struct observe_target *target = look->target;
    const struct observe *o = target->observe;
    if (life->seen_round < target->rounds)
        return REMOUNT_NO_SIGN; /* it was over, or left out, before */
    if (look->start_ns != T_NONE && life->start_ns != T_NONE) {
        int64_t start_ms = floor_ms(look->start_ns);
        bool is_later = look->start_ns > life->start_ns;
        return is_later && remount_is_recent(target, life, start_ms) ? REMOUNT_CERTAIN
                                                                     : REMOUNT_NO_SIGN;
    }
    if (!remount_is_recent(target, life, target->clock_ms))
        return REMOUNT_NO_SIGN;
    if (counters_decreased(&o->before, &o->next))
        return REMOUNT_CERTAIN;
    bool is_told = look->entry->snapshot_ns != T_NONE && life->snapshot_ns != T_NONE;
    return is_told && look->entry->snapshot_ns != life->snapshot_ns &&
                   life->counters_size && !counters_changed(&o->before, &o->next)
               ? REMOUNT_PERHAPS
               : REMOUNT_NO_SIGN;
}

/* Known of before this round, and nothing is settled: it waits, or settles it.
 */
static int look_first(struct look *look, struct life *life)
{
    struct observe_target *target = look->target;
    look->waits = !is_continued(look, life);
    if (!look->waits)
        return remount_settle(target, SETTLED_SAME);
    int rc = remount_wait(target, look->entry, sign_of(look, life));
    if (rc == 0)
        life->flags |= LIFE_WAITS;
    if (rc != -ENOBUFS)
        return rc;
    look->waits = false; /* too many: what was seen so far decides */
    return remount_settle(target, remount_judge(target));
}

/* Nothing is known of it, and nothing is settled. */
static int look_first_new(struct look *look)
{
    struct observe_target *target = look->target;
    int rc = remount_wait(target, look->entry, REMOUNT_NO_SIGN);
    look->waits = rc == 0;
    if (rc != -ENOBUFS)
        return rc;
    rc = remount_settle(target, remount_judge(target));
    return rc < 0 ? rc : look_take(target, look->entry);
}

static int look_at(struct look *look)
{
    struct observe_target *target = look->target;
    struct observe *o = target->observe;
    counters_of_entry(look->entry, &o->next);
    struct life **slot = lives_find(&target->lives, look->entry->id);
    if (!slot && target->settled == SETTLED_NOT)
        return look_first_new(look);
    if (!slot)
        return look_new(look);
    struct life *life = *slot;
    int rc = counters_unpack(life_counters(life), life->counters_size, &o->before);
    if (rc < 0)
        return rc;
    if (life->seen_ms == target->t_ms && is_duplicate_spent(look, life))
        return 0;
    if (life->seen_ms != target->t_ms && target->settled == SETTLED_NOT) {
        rc = look_first(look, life);
        return rc < 0 || look->waits ? rc : look_at(look);
    }
    enum verdict verdict = life_judge(look, life);
    if (verdict == LIFE_SAME || verdict == LIFE_DOUBTFUL)
        return look_again(look, slot, verdict);
    /* A life that was forgotten only now has ended before the last whole round. */
    int64_t born_after = verdict == LIFE_FORGOTTEN           ? target_born_after(target)
                         : target->absent_ms > life->seen_ms ? target->absent_ms
                                                             : T_NONE;
    return look_reborn(look, slot, born_after, is_tail_unseen(look, life));
}

int look_take(struct observe_target *target, const struct entry *entry)
{
    struct observe *o = target->observe;
    char total[ENTRY_ID_BYTES_MAX];
    struct look look = {
        .target = target,
        .entry = entry,
        .start_ns = entry->start_ns,
        .total.data = total,
    };
    look.is_folded =
        o->opts.fold_count && totals_match(o, entry, total, &look.total.size);
    target->lacks_starts = entry->start_ns == T_NONE;
    int rc = look_at(&look);
    o->counts.folded += look.is_folded && !look.waits;
    return rc;
}
