/* SPDX-License-Identifier: Apache-2.0 */
/* doctor - which server on the way to the repository does not respond, or waits.
 *
 *     addresses ─▶ counters of each ─▶ its upstreams ─▶ counters of each ...
 *
 * It reads from servers what they count, and waits for none longer than DOCTOR_WAIT_S:
 * it ends while reads of datasets hang.  Addresses are as each server has them: what
 * one of another network calls its upstream may not be reached from here, which is
 * stated as "away" of this host.
 */
#ifndef DATASET_FORWARDER_DOCTOR_H
#define DATASET_FORWARDER_DOCTOR_H

#include "base/err.h"
#include "base/table/table.h"

#define DOCTOR_WAIT_S 5U
#define DOCTOR_HOPS_MAX 64

void doctor_table_init(struct table *out);
/* A row of something else that was looked at; what: "agent". */
void doctor_row_add(struct table *out, const char *what, const char *address,
                    const char *state, const char *reason);
/* A row for each server: level (0: an address of the caller's), address, state (ok,
 * waits, away), upstreams ("1 of 2 open"), chunks that are waited for, reason.
 * *ret_bad: how many are not ok.  Errors: -ENOMEM. */
int doctor_examine(const char *const *addresses, size_t count, struct table *out,
                   size_t *ret_bad);

#endif
