/* SPDX-License-Identifier: Apache-2.0 */
/* identities - for whom a client reads, where that has to be looked up: the user whose
 * MUNGE credential it sent, and the groups that this host's database has of a user.
 *
 *     credential ─▶ munged (of the host) ─▶ user ─┐
 *     user's number, stated by a server ──────────┴▶ groups ─▶ reader
 *
 * munged decodes a credential once on its host: who reads one from the network may
 * still use it on another host, before it ends.  So its payload has to be what its door
 * states: nothing for 9P, as of diod's clients; a random number of this server where
 * the client requested one, which binds it to this connection.  What was made for
 * another service is refused.  Numbers of users are those of the host that made it,
 * which has to have the same as this one; that of root is worth nothing, unless
 * `trusted` names it: each host has its own root.  Both may block, so that a worker
 * does it, one at a time: a munged that does not respond has one of them at most.
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
    int64_t patience_ns;
    struct identity *first, *last, *running;
    uint64_t decoded, refused;
};

/* What is to be looked up. */
struct identity_terms {
    /* Of CREDENTIAL_MAX bytes at most, without a zero in it; NULL: the user's groups.
     */
    const char *credential;
    struct span payload; /* that it has to have, at most READER_NONCE_SIZE bytes */
    uint32_t uid;        /* whose it has to be; READER_UNKNOWN: any user's */
};

/* rc: 0, then reader is set; -EPERM (no such credential, it was decoded before, or is
 * of another service or user), -EHOSTUNREACH (munged does not respond), -ETIMEDOUT (nor
 * within the patience), -ENOMEM. */
typedef void (*identity_fn)(void *arg, int rc, const struct reader *reader);

/* Whether credentials can be decoded; false: this program was built without. */
bool identities_know_munge(void);
/* *at is the identity until done() is called, from the loop. */
void identity_begin(struct identities *all, const struct identity_terms *terms,
                    identity_fn done, void *arg, struct identity **at);
/* done() is not called; *at may be NULL. */
void identity_leave(struct identity **at);
/* Those that have waited for longer than the patience end. */
void identities_check(struct identities *all, int64_t now_ns);
/* No client waits for one. */
bool identities_are_idle(const struct identities *all);

#endif
