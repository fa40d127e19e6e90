/* SPDX-License-Identifier: Apache-2.0 */
/* decision - whether a client may do something: the one function that every route uses.
 *
 *     client (role, user, accounts) ─┐
 *     action ────────────────────────┼─▶ denied │ partly │ permitted
 *     object (whose it is) ──────────┘
 *
 * | role              | calls              | jobs                   | totals |
 * |-------------------|--------------------|------------------------|--------|
 * | admin             | every route        | all                    | yes    |
 * | reader, support,  | those that name it | all                    | yes    |
 * | scheduler, api    |                    |                        |        |
 * | user              | likewise           | its own                | yes    |
 * | manager           | likewise           | its own, its accounts' | yes    |
 * | agent             | likewise           | none                   | no     |
 *
 * What a job ran with, where its owner had that recorded, is that person's alone.
 * A private dataset that a job had mounted is that person's and administrators'.
 * The name of a person who stated something about a resource is for admin and support,
 * and for that person.
 *
 * Whose a job is the record of the batch system states.  An identifier in the counters
 * is chosen by who runs the job, and proves nothing.
 *
 * Threads  any.
 */
#ifndef ACCESS_DECISION_H
#define ACCESS_DECISION_H

#include "access/access_client.h"

enum access_action {
    ACCESS_CALL,         /* a route; object: its roles */
    ACCESS_READ_JOB,     /* a run, its summary, its counters, samples of its nodes */
    ACCESS_READ_TOTALS,  /* sums that name no job, user, group, node or program */
    ACCESS_READ_OWN,     /* what is of its owner alone, no administrator's */
    ACCESS_READ_PRIVATE, /* what is of its owner and administrators */
    ACCESS_READ_PERSON,  /* who it was that stated something; owner: that user */
};

/* A run, by its record.  Empty: the record does not state it. */
struct access_owner {
    struct span cluster, user, uid, account;
};

struct access_object {
    unsigned roles;                   /* of ACCESS_CALL; 0: every client's */
    const struct access_owner *owner; /* of ACCESS_READ_JOB; NULL: jobs in general; of
                                         ACCESS_READ_PERSON */
};

enum access_verdict {
    ACCESS_DENIED,
    ACCESS_PARTLY, /* of jobs in general: some, each to be decided by its owner */
    ACCESS_PERMITTED,
};

enum access_verdict access_decide(const struct access_client *client,
                                  enum access_action action,
                                  const struct access_object *object);

#endif
