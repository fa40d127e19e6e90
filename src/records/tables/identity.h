/* SPDX-License-Identifier: Apache-2.0 */
/* identity - is this the database that we wrote to, and as far as we wrote?
 *
 *     records_identity   id      drawn when the tables were made
 *                        epoch   one more with every transaction of a writer
 *                        writer  who made it that: drawn when a writer opens
 *
 * A database may have been restored from a copy, failed over to a standby that lagged,
 * or be another one at the same address.  What a writer has in memory (which series has
 * which sid) is of the one it knew: a sid that is lost is given again, to another
 * series.  So the table is compared on each new connection and in each transaction.
 */
#ifndef RECORDS_TABLES_IDENTITY_H
#define RECORDS_TABLES_IDENTITY_H

#include "base/strbuf.h"
#include "base/uuid.h"

#include <stdbool.h>
#include <stdint.h>

struct database_identity {
    struct uuid id, writer;
    int64_t epoch;
    int64_t system, timeline; /* of PostgreSQL's server; 0: not known */
    int64_t arrived_ms;       /* of the newest batch, for words alone: to find it reads
                               * all batches; T_NONE: none, or not looked for */
};

enum identity_difference {
    IDENTITY_SAME,
    IDENTITY_OTHER,       /* another database */
    IDENTITY_OLDER,       /* transactions that were acknowledged are not in it */
    IDENTITY_WRITTEN,     /* by another program */
    IDENTITY_MOVED,       /* to another server */
    IDENTITY_FAILED_OVER, /* to another timeline */
};

/* Is have other than what was left, want?  pending: the writer of one more transaction
 * whose outcome is not known; NULL: there is none.  arrived_ms is not compared. */
enum identity_difference identity_compare(const struct database_identity *want,
                                          const struct uuid *pending,
                                          const struct database_identity *have);
/* The difference in words, for the log; of IDENTITY_OLDER both arrived_ms are shown. */
void identity_explain(enum identity_difference difference,
                      const struct database_identity *want,
                      const struct database_identity *have, struct strbuf *why);
/* Is a transaction that made it epoch of id the next one after want? */
bool identity_is_next(const struct database_identity *want, const struct uuid *id,
                      int64_t epoch);

#endif
