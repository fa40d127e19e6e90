/* SPDX-License-Identifier: Apache-2.0 */
/* target - one target as this server's observer knows it.  Inside the room only. */
#ifndef OBSERVE_TARGET_H
#define OBSERVE_TARGET_H

#include "base/arena.h"
#include "base/number.h"
#include "observe/counters.h"
#include "observe/life.h"
#include "observe/observe.h"

#define OBSERVE_TARGETS_MAX 4096
/* Of entries that wait for it to be settled whether their target was mounted anew. */
#define REMOUNT_BYTES_MAX (UINT32_C(16) << 20)

/* Whether the target was mounted anew since its last round (remount.c). */
enum settled {
    SETTLED_NOT,    /* not known yet: entries that are known of wait */
    SETTLED_SAME,   /* it was not, that is certain; or nothing was known */
    SETTLED_UNSAID, /* nothing speaks for it */
    SETTLED_RESET,
    SETTLED_DOUBTFUL,
};

struct waiting; /* an entry that waits */

struct observe_target {
    struct observe *observe;
    char name[TARGET_BYTES_MAX + 1];
    enum target_kind kind;
    bool is_there;     /* in the last list */
    int64_t absent_ms; /* the last list without it; T_NONE: none before */
    int64_t round_ms;  /* its last whole round */
    int64_t begun_ms;  /* the last round at all: times grow from here */
    int64_t cleanup_ms;
    uint32_t rounds;   /* whole ones */
    bool lacks_starts; /* the last entry was without a start time */
    uint32_t order; /* of reading: grows when the clock is set back by much; 0 first */
    bool has_tails; /* there may be lives with LIFE_TAIL_UNSEEN */
    struct lives lives;
    struct lives totals; /* of folded entries, by "<name>@total" */

    bool is_open; /* a round is going on: */
    int64_t t_ms;
    int64_t clock_ms; /* as the caller's clock said; t_ms may be later */
    bool was_stepped; /* it was, in the round before: since is not by the clock */
    enum settled settled;
    bool has_gaps; /* of this dump not all was understood */
    size_t certain_signs, faint_signs;
    size_t grown;       /* that wait and are no certain sign */
    struct arena arena; /* of what waits */
    struct waiting *waiting, **waiting_end;
    observe_row_fn *fn;
    void *arg;
};

struct observe {
    struct observe_opts opts;
    struct observe_counts counts;
    int64_t list_ms; /* the last list; T_NONE */
    struct observe_target **targets;
    size_t target_count, target_room;
    size_t life_count;
    /* One entry is looked at at a time. */
    struct counters before, next, total;
    uint8_t packed[COUNTERS_BYTES_MAX];
};

/* The last instant at which nothing new of this target was there yet, or T_NONE. */
int64_t target_born_after(const struct observe_target *target);
/* How long an entry that was not seen is remembered. */
int64_t target_keep_ms(const struct observe_target *target);
/* Find or make.  Errors: -EINVAL, -ENOMEM, -E2BIG. */
int target_make(struct observe *observe, struct span name, enum target_kind kind,
                struct observe_target **ret);
int target_emit(struct observe_target *target, const struct entry *entry,
                struct observation seen);

static inline int64_t floor_ms(int64_t ns)
{
    return ns >= 0 ? ns / NS_PER_MS : -((-ns + NS_PER_MS - 1) / NS_PER_MS);
}

static inline int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- look.c ---- */

/* One entry of the open round.  Errors: what fn returned, -ENOMEM. */
int look_take(struct observe_target *target, const struct entry *entry);
/* An instant after row_ms and seen_ms and before before_ms, at which no row is; where
 * there is none, one before row_ms. */
int64_t look_unseen_instant(int64_t row_ms, int64_t seen_ms, int64_t before_ms);

/* ---- remount.c ---- */

enum remount_sign { REMOUNT_NO_SIGN, REMOUNT_PERHAPS, REMOUNT_CERTAIN };

/* Had life been idle for less than the cleanup interval at at_ms (by the caller's
 * clock), so that the server cannot have removed it? */
bool remount_is_recent(const struct observe_target *target, const struct life *life,
                       int64_t at_ms);
void remount_begin(struct observe_target *target);
/* entry is copied.  Errors: -ENOBUFS (too many wait). */
int remount_wait(struct observe_target *target, const struct entry *entry,
                 enum remount_sign sign);
/* What the signs seen so far say. */
enum settled remount_judge(const struct observe_target *target);
/* From now on nothing waits; what did is looked at. */
int remount_settle(struct observe_target *target, enum settled settled);
/* The dump is at its end: settle what is not settled, and after a reset forget the
 * lives that were not in it. */
int remount_end(struct observe_target *target);
/* Forget the lives for which is_over says so; of those whose end nobody saw, a row
 * tells. */
int remount_forget(struct observe_target *target, life_over_fn *is_over,
                   const void *arg);
/* The dump broke off. */
int remount_cut(struct observe_target *target);

/* ---- totals.c ---- */

/* The total that entry goes into: its identifier into id, or false. */
bool totals_match(const struct observe *observe, const struct entry *entry,
                  char id[static ENTRY_ID_BYTES_MAX], size_t *ret_size);
/* Add what observe->next has over observe->before (all of it where there is no base).
 * Errors: -ENOMEM, -ENOBUFS. */
enum total_base {
    TOTAL_SINCE_BEFORE,
    TOTAL_SINCE_ZERO,
    TOTAL_SINCE_BEFORE_LOSSY, /* at least: something was not seen */
    TOTAL_SINCE_ZERO_LOSSY,
    TOTAL_NOTHING, /* nothing is known before: the entry's base is what it shows now */
};
int totals_add(struct observe_target *target, struct span id, enum total_base base);
/* A row that others follow and that adds nothing: life as it is, at t_ms.  like: its
 * entry now, or NULL. */
int life_emit_base(struct observe_target *target, const struct life *life, int64_t t_ms,
                   const struct entry *like);
/* The bases of totals that want one. */
int totals_rebase(struct observe_target *target);
/* All totals of the target are at least what they will say. */
void totals_set_lossy(struct observe_target *target);
/* What is remembered of an entry, as an entry, in the units that its columns have;
 * observe->total is used for it. */
int entry_of_life(struct observe_target *target, const struct life *life,
                  struct entry *ret);
/* The rows of this round. */
int totals_emit(struct observe_target *target);

#endif
