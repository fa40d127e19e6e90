/* SPDX-License-Identifier: Apache-2.0 */
/* budget - a limit of memory, divided among named accounts, and these among owners. */
#include "base/system/budget.h"

#include "base/cleanup.h"
#include "base/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct budget_owner {
    struct budget_owner *next;
    uint64_t key;
    uint64_t bytes; /* of all its holds; never 0 outside of the lock */
};

void budget_account_init(struct budget_account *account, const char *name,
                         uint64_t limit_bytes)
{
    *account = (struct budget_account){ .name = name, .limit_bytes = limit_bytes };
    (void)pthread_mutex_init(&account->lock, NULL);
}

uint64_t budget_left(const struct budget *budget)
{
    uint64_t left = budget->limit_bytes;
    for (size_t i = 0; i < budget->count; i++)
        left -= budget->accounts[i].limit_bytes;
    return left;
}

int budget_add(struct budget *budget, const char *name, uint64_t limit_bytes,
               struct err *err)
{
    uint64_t left = budget_left(budget);
    if (budget->count == (size_t)BUDGET_ACCOUNTS_MAX)
        return err_set(err, ENOSPC, "more than %d accounts", BUDGET_ACCOUNTS_MAX);
    if (limit_bytes > left) {
        char wanted[32], free[32], whole[32];
        figure_print_bytes(wanted, sizeof wanted, (double)limit_bytes);
        figure_print_bytes(free, sizeof free, (double)left);
        figure_print_bytes(whole, sizeof whole, (double)budget->limit_bytes);
        return err_set(err, EINVAL, "%s wants %s, but %s of %s are left", name, wanted,
                       free, whole);
    }
    budget_account_init(&budget->accounts[budget->count++], name, limit_bytes);
    return 0;
}

struct budget_account *budget_find(struct budget *budget, const char *name)
{
    for (size_t i = 0; i < budget->count; i++)
        if (strcmp(budget->accounts[i].name, name) == 0)
            return &budget->accounts[i];
    return NULL;
}

static void raise_peak(struct budget_account *account, uint64_t used)
{
    uint64_t peak = account->peak_bytes;
    while (used > peak &&
           !atomic_compare_exchange_weak(&account->peak_bytes, &peak, used))
        continue;
}

/* ---- owners: called with the account's lock held ---- */

static struct budget_owner **find_owner(struct budget_account *account, uint64_t key)
{
    struct budget_owner **at = &account->owners[key % BUDGET_OWNER_SETS];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static void owner_give(struct budget_owner **at, uint64_t bytes)
{
    struct budget_owner *owner = *at;
    if (!owner)
        return;
    owner->bytes -= bytes;
    if (owner->bytes)
        return;
    *at = owner->next;
    free(owner);
}

/* ---- holds ---- */

uint64_t budget_hold_most(const struct budget_hold *hold)
{
    const struct budget_account *account = hold->account;
    if (!account)
        return UINT64_MAX;
    if (hold->rank == BUDGET_PREFERRED)
        return account->limit_bytes;
    return account->large_bytes ? account->large_bytes
                                : account->limit_bytes - account->limit_bytes / 8;
}

static bool is_small(const struct budget_hold *hold, uint64_t bytes)
{
    return bytes <= hold->fixed_bytes ||
           bytes - hold->fixed_bytes <= BUDGET_SMALL_BYTES;
}

static uint64_t limit_of(const struct budget_hold *hold, uint64_t bytes)
{
    uint64_t limit = hold->account->limit_bytes;
    if (hold->rank == BUDGET_COMMON && is_small(hold, bytes))
        return limit - limit / 16;
    return budget_hold_most(hold);
}

/* Would the account be more than half full? */
static bool is_scarce(const struct budget_account *account, uint64_t more)
{
    uint64_t half = account->limit_bytes / 2, used = account->used_bytes;
    return more > half || used > half - more;
}

/* owned: what all holds of its owner have. */
static bool is_beyond_share(const struct budget_hold *hold, uint64_t owned,
                            uint64_t more)
{
    /* It may be large where it is the only one: what it may be alone has limits of its
     * own, and it goes on until it has ended. */
    if (hold->rank != BUDGET_COMMON || !hold->share_bytes || owned <= hold->bytes)
        return false;
    return is_scarce(hold->account, more) &&
           (more > hold->share_bytes || owned > hold->share_bytes - more);
}

static int account_take(struct budget_account *account, uint64_t bytes, uint64_t limit)
{
    uint64_t used = account->used_bytes;
    do {
        if (bytes > limit || used > limit - bytes)
            return -EAGAIN;
    } while (!atomic_compare_exchange_weak(&account->used_bytes, &used, used + bytes));
    raise_peak(account, used + bytes);
    return 0;
}

static int take(struct budget_hold *hold, uint64_t bytes)
{
    struct budget_account *account = hold->account;
    uint64_t more = bytes - hold->bytes;
    struct budget_owner **at = find_owner(account, hold->owner);
    uint64_t before = *at ? (*at)->bytes : 0;
    uint64_t limit = limit_of(hold, bytes);
    if (bytes > budget_hold_most(hold) && !is_small(hold, bytes))
        return -EMSGSIZE;
    if (is_beyond_share(hold, before, more)) {
        uint64_t begun = account->limit_bytes - account->limit_bytes / 4;
        if (!hold->is_begun || more > begun || account->used_bytes > begun - more)
            return -EDQUOT;
    }
    struct budget_owner *added = NULL;
    if (!*at && !(added = calloc(1, sizeof *added)))
        return -ENOMEM;
    if (account_take(account, more, limit) < 0) {
        free(added);
        return -EAGAIN;
    }
    if (added) {
        added->key = hold->owner;
        *at = added;
    }
    (*at)->bytes += more;
    return 0;
}

int budget_hold_set(struct budget_hold *hold, uint64_t bytes)
{
    struct budget_account *account = hold->account;
    if (!account || bytes == hold->bytes) {
        hold->bytes = bytes;
        return 0;
    }
    LOCKED(&account->lock);
    if (bytes < hold->bytes) {
        account->used_bytes -= hold->bytes - bytes;
        owner_give(find_owner(account, hold->owner), hold->bytes - bytes);
        hold->bytes = bytes;
        return 0;
    }
    int rc = take(hold, bytes);
    if (rc == 0)
        hold->bytes = bytes;
    else
        hold->refused = rc;
    account->refusal_count += rc < 0;
    account->share_refusal_count += rc == -EDQUOT;
    return rc;
}

int budget_hold_add(struct budget_hold *hold, uint64_t bytes)
{
    if (!hold)
        return 0;
    if (bytes > UINT64_MAX - hold->bytes)
        return hold->refused = -EMSGSIZE;
    return budget_hold_set(hold, hold->bytes + bytes);
}

int budget_hold_add_optional(struct budget_hold *hold, uint64_t bytes)
{
    struct budget_account *account = hold->account;
    if (account) {
        LOCKED(&account->lock);
        const struct budget_owner *owner = *find_owner(account, hold->owner);
        uint64_t owned = owner ? owner->bytes : 0, half = hold->share_bytes / 2;
        bool has_share = hold->rank == BUDGET_COMMON && hold->share_bytes && owned;
        if (is_scarce(account, bytes) ||
            (has_share && (bytes > half || owned > half - bytes)))
            return -EAGAIN;
    }
    return budget_hold_add(hold, bytes);
}

void budget_hold_done(struct budget_hold *hold)
{
    (void)budget_hold_set(hold, 0);
}

/* The first step begins where a hold is no small one any more. */
int budget_meter_follow(struct budget_meter *meter, uint64_t bytes)
{
    if (!meter->hold || bytes <= BUDGET_SMALL_BYTES || bytes <= meter->charged_bytes)
        return 0;
    uint64_t wanted = (bytes / BUDGET_STEP_BYTES + 1) * BUDGET_STEP_BYTES;
    int rc = budget_hold_add(meter->hold, wanted - meter->charged_bytes);
    if (rc == 0)
        meter->charged_bytes = wanted;
    return rc;
}

void budget_meter_done(struct budget_meter *meter)
{
    if (meter->hold)
        (void)budget_hold_set(meter->hold, meter->hold->bytes - meter->charged_bytes);
    meter->charged_bytes = 0;
}

void budget_note(struct budget_account *account, uint64_t used_bytes)
{
    if (!account)
        return;
    account->used_bytes = used_bytes;
    raise_peak(account, used_bytes);
}
