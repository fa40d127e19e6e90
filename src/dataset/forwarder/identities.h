/* SPDX-License-Identifier: Apache-2.0 */
/* identities - for whom a client reads, where that has to be looked up: the user whose
 * MUNGE credential it sent, and the groups that this host's database has of a user.
 *
 *     credential ─▶ munged (of the host) ─▶ user ─┐
 *     user's number, stated by a server ──────────┴▶ groups ─▶ reader
 *
 * munged decodes a credential once: what was sent on one connection is worth nothing on
 * another.  Numbers of users are those of the host that made it, which has to have the
 * same as this one.  Both may block, so that a worker does it, one at a time: a munged
 * that does not respond has one of them at most.
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_IDENTITIES_H
#define DATASET_FORWARDER_IDENTITIES_H

#include "dataset/forwarder/readers.h"
#include "dataset/forwarder/report.h"
#include "dataset/forwarder/work.h"

struct identity;

struct identities {
    struct work_pool *pool;
    const struct readers *readers;
    const struct forwarder_report *report;
    bool has_munge;     /* it is configured, and was built in */
    const char *socket; /* of munged; NULL: where libmunge has it */
    struct identity *first, *last, *running;
    uint64_t decoded, refused;
};

/* rc: 0, then reader is set; -EPERM (no such credential, or it was decoded before),
 * -EHOSTUNREACH (munged does not respond), -ENOMEM. */
typedef void (*identity_fn)(void *arg, int rc, const struct reader *reader);

/* Whether credentials can be decoded; false: this program was built without. */
bool identities_know_munge(void);
/* credential: of CREDENTIAL_MAX bytes at most, without a zero in it; NULL: the groups
 * of the user uid.  *at is the identity until done() is called, from the loop. */
void identity_begin(struct identities *all, const char *credential, uint32_t uid,
                    identity_fn done, void *arg, struct identity **at);
/* done() is not called; *at may be NULL. */
void identity_leave(struct identity **at);

#endif
