/* SPDX-License-Identifier: Apache-2.0 */
/* identity - is this the database that we wrote to, and as far as we wrote?
 *
 *     records_identity   id      drawn when the tables were made
 *                        epoch   one more with every transaction of a writer
 *                        writer  who made it that: drawn when a writer opens
 *
 * A server that comes back may have been restored from a copy, failed over to a standby
 * that lagged, or be another one at the same address.  What a writer has in memory
 * (which series has which sid) is of the one it knew: a sid that is lost is given
 * again, to another series.  So each new connection is compared first.
 */
#ifndef RECORDS_POSTGRES_IDENTITY_H
#define RECORDS_POSTGRES_IDENTITY_H

#include "records/postgres/conn.h"

struct pg_identity {
    struct uuid id, writer;
    int64_t epoch;
    int64_t system, timeline; /* of the server; 0: the role may not know */
    int64_t arrived_ms;       /* of the newest batch; T_NONE: there is none */
};

int pg_identity_read(struct pg_conn *c, struct pg_identity *ret, struct err *err);
/* Between BEGIN and COMMIT: the transaction is the next one after want.
 * Errors: also -EAGAIN (the database is read only), -ESTALE (it is not as want says: it
 * was restored under the open session). */
int pg_identity_advance(struct pg_conn *c, const struct pg_identity *want,
                        const struct uuid *writer, int64_t *ret_epoch, struct err *err);
/* Is have other than what was left, want?  pending: the writer of one more transaction
 * whose outcome is not known; NULL: there is none.  why says how, for the log. */
bool pg_identity_differs(const struct pg_identity *want, const struct uuid *pending,
                         const struct pg_identity *have, struct strbuf *why);
/* -EAGAIN, with the reason: a standby, or made read only. */
int pg_check_writable(struct pg_conn *c, struct err *err);

#endif
