/* SPDX-License-Identifier: Apache-2.0 */
/* target - one target as this server's observer knows it.  Inside the room only. */
#ifndef OBSERVE_TARGET_H
#define OBSERVE_TARGET_H

#include "base/arena.h"
#include "base/number.h"
#include "observe/counters.h"
#include "observe/generation.h"
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

struct waiting; /* an entry that waits (remount.h) */

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
    bool has_tails; /* there may be generations with GENERATION_TAIL_UNSEEN */
    struct generations generations;
    struct generations totals; /* of folded entries, by "<name>@total" */

    bool is_open; /* a round is going on: */
    int64_t t_ms;
    int64_t clock_ms; /* as the caller's clock showed; t_ms may be later */
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
    size_t target_count, target_capacity;
    size_t generation_count;
    /* One entry is compared at a time. */
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
/* Forget all that was observed of it; it stays in its list. */
void target_clear(struct observe_target *target);
/* Count the row and hand it on.  Errors: what fn returned. */
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

#endif
