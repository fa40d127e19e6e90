/* SPDX-License-Identifier: Apache-2.0 */
/* budget - a limit of memory, divided among named accounts. */
#include "base/budget.h"

#include "base/number.h"

#include <errno.h>
#include <string.h>

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
        number_print_bytes(wanted, sizeof wanted, (double)limit_bytes);
        number_print_bytes(free, sizeof free, (double)left);
        number_print_bytes(whole, sizeof whole, (double)budget->limit_bytes);
        return err_set(err, EINVAL, "%s wants %s, but %s of %s are left", name, wanted,
                       free, whole);
    }
    struct budget_account *account = &budget->accounts[budget->count++];
    account->name = name;
    account->limit_bytes = limit_bytes;
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

int budget_take(struct budget_account *account, uint64_t bytes)
{
    if (!account)
        return 0;
    uint64_t used = account->used_bytes;
    do {
        if (bytes > account->limit_bytes || used > account->limit_bytes - bytes) {
            account->refusal_count++;
            return -EAGAIN;
        }
    } while (!atomic_compare_exchange_weak(&account->used_bytes, &used, used + bytes));
    raise_peak(account, used + bytes);
    return 0;
}

void budget_give(struct budget_account *account, uint64_t bytes)
{
    if (account)
        account->used_bytes -= bytes;
}

int budget_adjust(struct budget_account *account, uint64_t *held, uint64_t bytes)
{
    if (bytes < *held)
        budget_give(account, *held - bytes);
    else if (bytes > *held && budget_take(account, bytes - *held) < 0)
        return -EAGAIN;
    *held = bytes;
    return 0;
}

int budget_hold_add(struct budget_hold *hold, uint64_t bytes)
{
    if (!hold)
        return 0;
    return budget_adjust(hold->account, &hold->bytes, hold->bytes + bytes);
}

void budget_hold_done(struct budget_hold *hold)
{
    budget_give(hold->account, hold->bytes);
    hold->bytes = 0;
}

void budget_note(struct budget_account *account, uint64_t used_bytes)
{
    if (!account)
        return;
    account->used_bytes = used_bytes;
    raise_peak(account, used_bytes);
}
