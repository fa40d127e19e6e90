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
            target->absent_ms = t_ms;
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

int observe_round_begin(struct observe_target *target, int64_t t_ms, observe_row_fn *fn,
                        void *arg)
{
    struct observe_counts *counts = &target->observe->counts;
    if (target->is_open)
        return -EBUSY;
    if (!target->is_there)
        return -ENOENT;
    if (target->begun_ms != T_NONE && t_ms <= target->begun_ms) {
        if (target->begun_ms - t_ms > OBSERVE_STEP_BACK_MAX_MS) {
            counts->clock_restarts++;
            target_clear(target);
            target->absent_ms = T_NONE;
        } else {
            counts->clock_steps++;
            t_ms = target->begun_ms + 1;
        }
    }
    target->is_open = true;
    target->t_ms = target->begun_ms = t_ms;
    target->fn = fn;
    target->arg = arg;
    return 0;
}

/* One entry being looked at; observe->next holds its counters. */
struct look {
    struct observe_target *target;
    const struct entry *entry;
    int64_t start_ns; /* of the entry; T_NONE also when it lies in the future */
    bool is_folded;
    struct span total; /* the total's identifier, when folded */
};

static int64_t floor_ms(int64_t ns)
{
    return ns >= 0 ? ns / NS_PER_MS : -((-ns + NS_PER_MS - 1) / NS_PER_MS);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int look_zero(const struct look *look, int64_t zero_ms)
{
    struct observation seen = {
        .t_ms = zero_ms,
        .since_ms = T_NONE,
        .previous_ms = T_NONE,
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

static int life_keep(struct life **slot, const struct look *look)
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
    }
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
    (*slot)->seen_ms = target->t_ms;
    int rc = life_keep(slot, look);
    if (rc < 0)
        return rc;
    int64_t born_after = target_born_after(target);
    if (look->is_folded)
        return totals_add(target, look->total,
                          born_after == T_NONE ? TOTAL_NOTHING : TOTAL_SINCE_ZERO);

    int64_t zero_ms = zero_place(look, born_after);
    if (zero_ms != T_NONE) {
        rc = look_zero(look, zero_ms);
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

/* A known identifier whose counters began anew, after born_after_ms when that is known.
 */
static int look_reborn(struct look *look, struct life **slot, int64_t born_after_ms)
{
    struct observe_target *target = look->target;
    struct life *life = *slot;
    target->observe->counts.resets++;
    int64_t seen_ms = life->seen_ms, row_ms = life->row_ms;
    life->start_ns = T_NONE;
    int rc = life_keep(slot, look);
    if (rc < 0)
        return rc;
    if (look->is_folded)
        return totals_add(target, look->total, TOTAL_SINCE_ZERO);

    int64_t zero_ms = zero_place(look, born_after_ms);
    int64_t since_ms = zero_ms == T_NONE ? seen_ms : later(seen_ms, zero_ms);
    int64_t previous_ms = row_ms;
    /* Not among or before the rows of the old life. */
    if (zero_ms != T_NONE && (row_ms == T_NONE || zero_ms > row_ms)) {
        rc = look_zero(look, zero_ms);
        if (rc < 0)
            return rc;
        previous_ms = zero_ms;
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

/* The same life as before: o->before holds its counters. */
static int look_again(struct look *look, struct life **slot)
{
    struct observe_target *target = look->target;
    struct observe *o = target->observe;
    bool has_changed = counters_changed(&o->before, &o->next);
    int64_t since_ms = (*slot)->seen_ms, previous_ms = (*slot)->row_ms;
    counters_carry(&o->before, &o->next);
    int rc = life_keep(slot, look);
    if (rc < 0)
        return rc;
    if (!has_changed) {
        o->counts.unchanged++;
        return 0;
    }
    if (look->is_folded)
        return totals_add(target, look->total, TOTAL_SINCE_BEFORE);
    (*slot)->row_ms = target->t_ms;
    return target_emit(target, look->entry,
                       (struct observation){
                           .t_ms = target->t_ms,
                           .since_ms = since_ms,
                           .previous_ms = previous_ms,
                       });
}

/* How long an entry that was missing from a whole dump was looked for in vain.  A pause
 * behind the last whole dump is no absence: one interval of it counts, no more. */
static int64_t unseen_ms(const struct observe_target *target, const struct life *life)
{
    int64_t looked_ms = target->round_ms + target->observe->opts.interval_ms;
    return earlier(target->t_ms, looked_ms) - life->seen_ms;
}

enum verdict { LIFE_SAME, LIFE_REBORN, LIFE_FORGOTTEN };

static enum verdict life_judge(const struct look *look, const struct life *life)
{
    struct observe_target *target = look->target;
    struct observe *o = target->observe;
    bool decreased = counters_decreased(&o->before, &o->next);
    if (look->start_ns != T_NONE && life->start_ns != T_NONE) {
        if (look->start_ns != life->start_ns)
            return LIFE_REBORN;
        o->counts.same_start_decreased += decreased;
        return LIFE_SAME;
    }
    /* From here on there is nothing but the counters and the time that has passed. */
    if (target->rounds > life->seen_round &&
        unseen_ms(target, life) > target_keep_ms(target))
        return LIFE_FORGOTTEN;
    if (decreased || target->absent_ms > life->seen_ms)
        return LIFE_REBORN;
    if (look->start_ns != T_NONE && floor_ms(look->start_ns) > life->seen_ms)
        return LIFE_REBORN; /* the server has learnt to print it, and it is later */
    return LIFE_SAME;
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

static int look_at(struct look *look)
{
    struct observe_target *target = look->target;
    struct observe *o = target->observe;
    counters_of_entry(look->entry, &o->next);
    struct life **slot = lives_find(&target->lives, look->entry->id);
    if (!slot)
        return look_new(look);
    struct life *life = *slot;
    int rc = counters_unpack(life_counters(life), life->counters_size, &o->before);
    if (rc < 0)
        return rc;
    if (life->seen_ms == target->t_ms && is_duplicate_spent(look, life))
        return 0;
    enum verdict verdict = life_judge(look, life);
    if (verdict == LIFE_SAME)
        return look_again(look, slot);
    /* A life that was forgotten only now has ended before the last whole round. */
    int64_t born_after = verdict == LIFE_FORGOTTEN           ? target_born_after(target)
                         : target->absent_ms > life->seen_ms ? target->absent_ms
                                                             : T_NONE;
    return look_reborn(look, slot, born_after);
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
    char total[ENTRY_ID_BYTES_MAX];
    struct look look = { .target = target,
                         .entry = entry,
                         .start_ns = entry->start_ns };
    look.total.data = total;
    look.is_folded =
        o->opts.fold_count && totals_match(o, entry, total, &look.total.size);
    o->counts.folded += look.is_folded;
    return look_at(&look);
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
    int rc = totals_emit(target);
    target->is_open = false;
    if (rc < 0)
        return rc;
    o->counts.rounds++;
    target->rounds++;
    target->round_ms = target->t_ms;
    struct sweep sweep = { target->rounds, target->t_ms, target_keep_ms(target) };
    size_t swept = lives_sweep(&target->lives, life_is_over, &sweep);
    o->counts.lives_forgotten += swept;
    o->life_count -= swept;
    return 0;
}

int observe_round_cut(struct observe_target *target)
{
    assert(target->is_open);
    int rc = totals_emit(target);
    target->is_open = false;
    target->observe->counts.rounds_cut++;
    return rc;
}
