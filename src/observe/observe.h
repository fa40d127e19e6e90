/* SPDX-License-Identifier: Apache-2.0 */
/* observe - out of the entries of each round, the rows that are worth sending; the
 * room's door.
 *
 *     entries of a target, round after round ──▶ observe ──▶ (entry, observation)
 *                                                  │  ▲
 *                                         save     ▼  │  load
 *                                              what was last seen
 *
 * Pure: state in, rows out; no clock, no file.  One struct observe stands for one
 * server: counters live in a server's memory, so a target that moves begins anew where
 * it arrives, and the generations of its entries end where it left.
 *
 *     observe_list(targets that are there)       once a round
 *     observe_round_begin(target, t)             the instant before the read
 *     observe_entry(...) ...                     as the text gives them
 *     observe_round_end(target)                  or observe_round_cut(): half a dump
 *
 * What is written of an entry (all times in ms; doc/decisions/0040):
 *     unchanged        no row; it counts as observed
 *     moved            a row since the last observation
 *     new generation   (start_time changed, or without one a counter fell) a zero
 *                      record where its baseline is known, and a row with reset
 *     new identifier   the same, reset only where this observer had observed before
 * Where nothing proves that a target was not mounted anew since its last round, rows of
 * entries that are known wait for the end of the dump (doc/decisions/0380).
 * Within one target times grow strictly: a round that begins at or before the last one
 * is set one millisecond after it; by more than half an hour before it, a new order of
 * times begins.
 *
 * Threads  none inside.  Memory  about 140 bytes an entry, at most
 * generations_max; 16 MiB of what waits.
 */
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include "base/err.h"
#include "base/strbuf.h"
#include "model/model.h"

/* What a target reports when its job_cleanup_interval was never read: Lustre's own. */
#define OBSERVE_CLEANUP_DEFAULT_MS INT64_C(600000)
/* A step back of the clock over more than this begins a new order of times: the first
 * row of each entry in it follows a base, a row that adds nothing (doc/decisions/0381).
 */
#define OBSERVE_STEP_BACK_MAX_MS INT64_C(1800000)

struct observe;
struct observe_target; /* belongs to its struct observe, for as long as that exists */

/* entry is valid during the call; of a zero record the operations are to be ignored.
 * A negative return ends the round of that target and is returned. */
typedef int observe_row_fn(void *arg, const struct entry *entry,
                           const struct observation *seen);

/* Entries of which only totals are wanted: they make one entry "<name>@total" for each
 * name, whose counters are the sums of what the folded generations have grown. */
struct observe_fold {
    const char *name;                  /* of the rule; names what user matches make */
    const struct entry_format *format; /* takes an identifier apart */
    const char *const *executables; /* patterns with * ? []; the executable names it */
    size_t executable_count;
    const char *const *users; /* exact */
    size_t user_count;
};

struct observe_opts {
    int64_t interval_ms;              /* > 0 */
    size_t generations_max;           /* over all targets */
    const struct observe_fold *folds; /* must outlive the observe */
    size_t fold_count;
};

struct observe_counts {
    uint64_t rounds, rounds_cut;
    uint64_t entries;
    uint64_t rows, zero_rows;
    uint64_t unchanged;
    uint64_t folded;              /* entries that went into a total */
    uint64_t resets;              /* new generations of known identifiers */
    uint64_t target_resets;       /* targets found mounted anew by their entries */
    uint64_t doubtful;            /* the same generation or a new one: not decidable */
    uint64_t duplicates;          /* entries that stood twice in one dump */
    uint64_t duplicates_deferred; /* of them, left for the next round to see */
    uint64_t same_start_decreased;
    uint64_t future_times;
    uint64_t clock_steps;    /* rounds set after the last one */
    uint64_t clock_restarts; /* steps back that were too far */
    uint64_t generations_forgotten;
    uint64_t generations_refused; /* generations_max was reached: not observed */
    uint64_t targets_gone;
};

/* Errors: -EINVAL, -ENOMEM. */
int observe_new(const struct observe_opts *opts, struct observe **ret);
void observe_free(struct observe *observe);
DEFINE_AUTO(struct observe, observe_free);

/* These targets, and no others, are on the server at t_ms.  One that was not in the
 * list before has been mounted since that list; one that is no longer in it has taken
 * its generations with it.  Only for a list that is known to be whole.  Errors:
 * -ENOMEM, -EINVAL (a name that is none). */
struct observe_listed {
    struct span name;
    enum target_kind kind;
};
int observe_list(struct observe *observe, int64_t t_ms,
                 const struct observe_listed *listed, size_t count);

size_t observe_target_count(const struct observe *observe);
struct observe_target *observe_target_at(const struct observe *observe, size_t index);
struct observe_target *observe_target_find(const struct observe *observe,
                                           struct span name);
struct span observe_target_name(const struct observe_target *target);
enum target_kind observe_target_kind(const struct observe_target *target);
bool observe_target_is_there(const struct observe_target *target);
size_t observe_target_generation_count(const struct observe_target *target);
/* t_ms of the last whole round, and of the last one that was begun; T_NONE. */
int64_t observe_target_round_ms(const struct observe_target *target);
int64_t observe_target_begun_ms(const struct observe_target *target);
/* job_cleanup_interval as last read; 0: the server never removes entries. */
void observe_target_set_cleanup(struct observe_target *target, int64_t cleanup_ms);
int64_t observe_target_cleanup_ms(const struct observe_target *target);
/* Its last entries had no start time: then the cleanup interval distinguishes removals
 * from mounts, and is better read anew each round. */
bool observe_target_needs_cleanup(const struct observe_target *target);

/* Rounds of different targets may be open at the same time; rows go to fn.
 * Errors: -EBUSY (a round of this target is open), -ENOENT (not in the last list). */
int observe_round_begin(struct observe_target *target, int64_t t_ms, observe_row_fn *fn,
                        void *arg);
/* Errors: what fn returned, -ENOMEM. */
int observe_entry(struct observe_target *target, const struct entry *entry);
/* Something of the dump was not understood: what is missing proves nothing. */
void observe_entry_lost(struct observe_target *target);
/* The dump was whole.  Errors: what fn returned for totals, -ENOMEM. */
int observe_round_end(struct observe_target *target);
/* The dump broke off.  What was read stands: missing entries were merely not seen. */
int observe_round_cut(struct observe_target *target);

const struct observe_counts *observe_counts(const struct observe *observe);
size_t observe_generation_count(const struct observe *observe);

/* ---- state (doc/formats/agent-state.md) ---- */

/* The list of targets, and one target with its generations; appended to out. */
void observe_save_list(const struct observe *observe, struct strbuf *out);
void observe_save_target(const struct observe_target *target, struct strbuf *out);
/* Load in this order, the list before any target.  A target replaces what is known of
 * it; a failed load changes nothing.  Errors: -EBADMSG (not such a state), -ENOMEM. */
int observe_load_list(struct observe *observe, struct span state, struct err *err);
int observe_load_target(struct observe *observe, struct span state, struct err *err);
/* Forget what is known of a target: as if it had never been observed. */
void observe_target_forget(struct observe_target *target);

#endif
