/* SPDX-License-Identifier: Apache-2.0 */
/* budget - a limit of memory, divided among named accounts.
 *
 *     limit ┬ requests   used ████░░░░░ limit      taken before memory is used, given
 *           ├ responses  used █░░░░░░░░ limit      back after; over the limit: refused
 *           └ store      used ██████░░░ limit      noted by an owner that measures
 * itself
 *
 * Units    bytes.
 * Threads  accounts are added by one thread at first; afterwards any thread may take,
 *          give, note and read.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include "base/err.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { BUDGET_ACCOUNTS_MAX = 16 };

struct budget_account {
    const char *name; /* a word for a label */
    uint64_t limit_bytes;
    _Atomic uint64_t used_bytes;
    _Atomic uint64_t peak_bytes;    /* the most that was used at a time */
    _Atomic uint64_t refusal_count; /* of budget_take() */
};

struct budget {
    uint64_t limit_bytes;
    struct budget_account accounts[BUDGET_ACCOUNTS_MAX];
    size_t count;
};

/* Give a new account its share of the limit.  name must outlive the budget.
 * Errors: -EINVAL (more than is left; err has the sum), -ENOSPC (accounts). */
int budget_add(struct budget *budget, const char *name, uint64_t limit_bytes,
               struct err *err);
/* What no account has yet. */
uint64_t budget_left(const struct budget *budget);
/* NULL: there is none of this name. */
struct budget_account *budget_find(struct budget *budget, const char *name);

/* Account NULL: no limit, nothing is counted.
 * Errors: -EAGAIN (over the limit: nothing was taken). */
int budget_take(struct budget_account *account, uint64_t bytes);
/* What was taken before. */
void budget_give(struct budget_account *account, uint64_t bytes);
/* From *held to bytes; *held follows on success.  Less always succeeds. */
int budget_adjust(struct budget_account *account, uint64_t *held, uint64_t bytes);
/* What one owner has taken, to be given back at its end. */
struct budget_hold {
    struct budget_account *account; /* NULL: no limit */
    uint64_t bytes;
};

/* hold NULL: no limit.  Errors: -EAGAIN. */
int budget_hold_add(struct budget_hold *hold, uint64_t bytes);
void budget_hold_done(struct budget_hold *hold);

/* All that is used now, by an owner that holds to its limit by itself. */
void budget_note(struct budget_account *account, uint64_t used_bytes);

#endif
