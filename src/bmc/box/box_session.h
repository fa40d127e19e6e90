/* SPDX-License-Identifier: Apache-2.0 */
/* box_session - requests of one storage box by SNMP, through libnetsnmp.
 *
 *     open (3: who is it? then our user there) ─▶ bulk, bulk, bulk ... ─▶ close
 *
 * The library has state of its own that no two threads may touch: one lock is around
 * each call of it.  It is never held while a box is waited for: the library sends and
 * parses, this file waits.  What the library learned of a box, its user and its clock,
 * is forgotten when the session is closed, so that a box that is another at each
 * reading costs no memory.
 *
 * Bounds   SNMP_REPETITIONS_MAX rows a response, a datagram; SNMP_REQUESTS_MAX requests
 *          a session, the section's timeout for all together, SNMP_TRIES of each,
 *          SNMP_DATAGRAMS_OF them received.
 * Threads  any; a session is one thread's.
 */
#ifndef BMC_BOX_BOX_SESSION_H
#define BMC_BOX_BOX_SESSION_H

#include "bmc/box/box_oid.h"
#include "bmc/target.h"

#define SNMP_REPETITIONS_MAX 24
#define SNMP_REQUESTS_MAX 4096
#define SNMP_TRIES 3
/* Of so many requests at most: each one is parsed under the lock of all boxes. */
#define SNMP_DATAGRAMS_OF(requests) (4 * (requests) + 64)
#define SNMP_TEXT_BYTES 256

enum box_value_kind {
    SNMP_TEXT,  /* octets, as they came; cut */
    SNMP_OTHER, /* numbers, identifiers and addresses: printed */
    SNMP_NONE,  /* no such object or instance, or a type that is not used */
    SNMP_END,   /* of the box's objects */
};

struct box_value {
    struct box_oid oid;
    enum box_value_kind kind;
    char text[SNMP_TEXT_BYTES];
    size_t size;
};

struct box_session;

/* Once, before there are threads. */
void box_session_start(void);

/* Errors: -EHOSTUNREACH (its name is not resolved), -ETIMEDOUT, -EACCES (3: it does not
 * know the user, or a password is wrong), -EPROTO, -ENOMEM.  *ret_is_away: nothing came
 * of it. */
int box_session_open(const struct bmc_target *target, struct box_session **ret,
                     bool *ret_is_away, struct err *err);
void box_session_close(struct box_session *session);
DEFINE_AUTO(struct box_session, box_session_close);

/* What follows oid, at most SNMP_REPETITIONS_MAX values.  Errors: the same, -E2BIG
 * (over SNMP_REQUESTS_MAX). */
int box_session_bulk(struct box_session *session, const struct box_oid *oid,
                     struct box_value values[static SNMP_REPETITIONS_MAX],
                     size_t *ret_count, struct err *err);
/* Whether anything came of it so far. */
bool box_session_has_responded(const struct box_session *session);

#endif
