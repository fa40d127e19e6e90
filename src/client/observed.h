/* SPDX-License-Identifier: Apache-2.0 */
/* observed - rows that this process observed itself, in a table in memory.
 *
 *     (server, entry, observation) ──▶ series, row ──▶ live ──▶ top
 *
 * Threads  one at a time.
 */
#ifndef CLIENT_OBSERVED_H
#define CLIENT_OBSERVED_H

#include "query/query.h"

struct observed;

/* site must outlive it: which file system a target is of, and how identifiers are
 * split.  Errors: -ENOMEM. */
int observed_new(const struct site *site, struct observed **ret);
void observed_free(struct observed *observed);
DEFINE_AUTO(struct observed, observed_free);

/* One row of a server; entry and observation are needed during the call only.  Errors:
 * -ENOMEM. */
int observed_add(struct observed *observed, struct span server,
                 const struct entry *entry, const struct observation *seen);
/* A round of reads has been at t_ms.  The first one tells from when on it is known what
 * entries did. */
void observed_round(struct observed *observed, int64_t t_ms);

/* Who did most, in the window of sel, but not from before the first round where sel has
 * no beginning of its own; sel is changed so.  Errors: as query_top. */
int observed_top(const struct observed *observed, struct selection *sel,
                 struct table *table, struct err *err);

#endif
