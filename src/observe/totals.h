/* SPDX-License-Identifier: Apache-2.0 */
/* totals - entries of which only the sum is wanted, folded into one.  Inside the room
 * only. */
#ifndef OBSERVE_TOTALS_H
#define OBSERVE_TOTALS_H

#include "observe/target.h"

/* The total that entry goes into: its identifier into id, or false. */
bool totals_match(const struct observe *observe, const struct entry *entry,
                  char id[static ENTRY_ID_BYTES_MAX], size_t *ret_size);
enum total_base {
    TOTAL_SINCE_BEFORE,
    TOTAL_SINCE_ZERO,
    TOTAL_SINCE_BEFORE_LOSSY, /* at least: something was not seen */
    TOTAL_SINCE_ZERO_LOSSY,
    TOTAL_NOTHING, /* nothing is known before: the entry's base is what it shows now */
};
/* Add what observe->next has over observe->before (all of it where there is no base).
 * Errors: -ENOMEM, -ENOBUFS, -EBADMSG (what is remembered is damaged). */
int totals_add(struct observe_target *target, struct span id, enum total_base base);
/* Emit the baselines of totals that want one.  Errors: -ENOMEM, what fn returned. */
int totals_rebase(struct observe_target *target);
/* All totals of the target are at least what they will state. */
void totals_set_lossy(struct observe_target *target);
/* The rows of this round.  Errors: -ENOMEM, what fn returned. */
int totals_emit(struct observe_target *target);

#endif
