/* SPDX-License-Identifier: Apache-2.0 */
/* budget - a limit of memory, divided among named accounts, and these among owners.
 *
 *     limit ┬ requests   used ████░░░░░ limit      taken before memory is used, given
 *           ├ responses  used █░░░░░░░░ limit      back after; over the limit: refused
 *           └ store      used ██████░░░ limit      noted by an owner that measures
 *                                                  itself
 *
 *     one account:   large holds of all owners │ small holds │ preferred
 *                    ───────── 7/8 ──────────▶ ── 15/16 ───▶ ─ whole ──▶
 *
 * A hold is what one request has of an account.  While more than half of the account is
 * taken its owner (the sender) has a share for all its holds together; a single one may
 * be larger.  The end of an account is reserved for small holds, and the last of it for
 * preferred ones, so that no owner, and no group of them, keeps an administrator out.
 *
 * Units    bytes.
 * Threads  accounts are added by one thread at first; afterwards any thread may take,
 *          give, note and read.  A hold belongs to one thread at a time.
 */
#ifndef BASE_SYSTEM_BUDGET_H
#define BASE_SYSTEM_BUDGET_H

#include "base/err.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BUDGET_ACCOUNTS_MAX = 16,
    BUDGET_OWNER_SETS = 64,
    /* A hold up to this size is small. */
    BUDGET_SMALL_BYTES = 64 * 1024,
    BUDGET_STEP_BYTES = 256 * 1024,
};

struct budget_owner;

struct budget_account {
    const char *name; /* a word for a label */
    uint64_t limit_bytes;
    uint64_t large_bytes; /* what large holds may fill; 0: seven eighths */
    _Atomic uint64_t used_bytes;
    _Atomic uint64_t peak_bytes;          /* the most that was used at a time */
    _Atomic uint64_t refusal_count;       /* of all that was refused ... */
    _Atomic uint64_t share_refusal_count; /* ... because the owner had its share */
    pthread_mutex_t lock;                 /* of the owners */
    struct budget_owner *owners[BUDGET_OWNER_SETS]; /* that hold something now */
};

struct budget {
    uint64_t limit_bytes;
    struct budget_account accounts[BUDGET_ACCOUNTS_MAX];
    size_t count;
};

void budget_account_init(struct budget_account *account, const char *name,
                         uint64_t limit_bytes);

/* Give a new account its share of the limit.  name must outlive the budget.
 * Errors: -EINVAL (more than is left; err has the sum), -ENOSPC (accounts). */
int budget_add(struct budget *budget, const char *name, uint64_t limit_bytes,
               struct err *err);
/* What no account has yet. */
uint64_t budget_left(const struct budget *budget);
/* NULL: there is none of this name. */
struct budget_account *budget_find(struct budget *budget, const char *name);

/* ---- holds ---- */

enum budget_rank {
    BUDGET_COMMON,
    BUDGET_PREFERRED, /* has no share, and all of the account */
};

/* What one request has taken, to be given back at its end. */
struct budget_hold {
    struct budget_account *account; /* NULL: no limit, nothing is counted */
    uint64_t bytes;
    uint64_t owner;       /* any number that stands for the sender */
    uint64_t share_bytes; /* of all holds of the owner; 0: no limit */
    uint64_t fixed_bytes; /* so much of it does not make it a large one */
    enum budget_rank rank;
    /* Its response has begun: beyond the share it goes on while a quarter is free. */
    bool is_begun;
    int refused; /* -errno of the last refusal; 0: none */
};

/* From what it holds to bytes; less always succeeds.
 * Errors: -EAGAIN (the account is full), -EDQUOT (the owner has its share), -EMSGSIZE
 * (more than budget_hold_most()), -ENOMEM; then nothing was taken. */
int budget_hold_set(struct budget_hold *hold, uint64_t bytes);
/* hold NULL: no limit.  Errors: as above. */
int budget_hold_add(struct budget_hold *hold, uint64_t bytes);
/* What the request can do without: taken only while half of the account, and half of
 * the owner's share, is left after it.  Errors: as above; it counts as no refusal where
 * there was memory, and not that much. */
int budget_hold_add_optional(struct budget_hold *hold, uint64_t bytes);
void budget_hold_done(struct budget_hold *hold);
/* The most that a lone hold of this kind could ever take. */
uint64_t budget_hold_most(const struct budget_hold *hold);

/* ---- meters: memory that grows by small pieces, charged by larger ones ---- */

struct budget_meter {
    struct budget_hold *hold; /* NULL: no limit */
    uint64_t charged_bytes;
};

/* bytes: all that there is now; what is over the last step is charged.
 * Errors: those of budget_hold_set(). */
int budget_meter_follow(struct budget_meter *meter, uint64_t bytes);
/* Gives back what it has charged. */
void budget_meter_done(struct budget_meter *meter);

/* All that is used now, by an owner that holds to its limit by itself. */
void budget_note(struct budget_account *account, uint64_t used_bytes);

#endif
