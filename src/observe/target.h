/* SPDX-License-Identifier: Apache-2.0 */
/* target - one target as this server's observer knows it.  Inside the room only. */
#ifndef OBSERVE_TARGET_H
#define OBSERVE_TARGET_H

#include "observe/counters.h"
#include "observe/life.h"
#include "observe/observe.h"

#define OBSERVE_TARGETS_MAX 4096

struct observe_target {
    struct observe *observe;
    char name[TARGET_BYTES_MAX + 1];
    enum target_kind kind;
    bool is_there;     /* in the last list */
    int64_t absent_ms; /* the last list without it; T_NONE: none before */
    int64_t round_ms;  /* its last whole round */
    int64_t begun_ms;  /* the last round at all: times grow from here */
    int64_t cleanup_ms;
    uint32_t rounds; /* whole ones */
    struct lives lives;
    struct lives totals; /* of folded entries, by "<name>@total" */

    bool is_open; /* a round is going on: */
    int64_t t_ms;
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

/* ---- totals.c ---- */

/* The total that entry goes into: its identifier into id, or false. */
bool totals_match(const struct observe *observe, const struct entry *entry,
                  char id[static ENTRY_ID_BYTES_MAX], size_t *ret_size);
/* Add what observe->next has over observe->before (all of it where there is no base).
 * Errors: -ENOMEM, -ENOBUFS. */
enum total_base {
    TOTAL_SINCE_BEFORE,
    TOTAL_SINCE_ZERO,
    TOTAL_NOTHING, /* nothing is known before: the entry's base is what it shows now */
};
int totals_add(struct observe_target *target, struct span id, enum total_base base);
/* The rows of this round. */
int totals_emit(struct observe_target *target);

#endif
