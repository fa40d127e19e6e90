/* SPDX-License-Identifier: Apache-2.0 */
/* past_health - the health that hosts had at some times, out of the history.
 *
 *     what holds, history ─▶ what was stated until t ─▶ resource_table ─▶ views
 *
 * By the rules that hold now: parts, and enclosures that a host is in.  What was stated
 * before the history begins is known where it holds still.
 *
 * Threads  none inside.
 */
#ifndef QUERY_HEALTH_PAST_HEALTH_H
#define QUERY_HEALTH_PAST_HEALTH_H

#include "records/records.h"

struct budget_hold;
struct resource_rules;

#define PAST_HEALTH_TIMES_MAX 2
#define PAST_HEALTH_HOSTS_MAX ((size_t)16384)

struct past_health_query {
    const struct resource_rules *rules; /* NULL: those that are built in */
    struct span cluster;
    const struct hostset *hosts; /* of these the first PAST_HEALTH_HOSTS_MAX */
    int64_t times_ns[PAST_HEALTH_TIMES_MAX]; /* ascending */
    size_t time_count;
    int64_t spend_ns; /* hosts are read for so long, those after them not; 0: all are */
    size_t *ret_read; /* so many were, the first; NULL: of no interest */
    struct budget_hold
        *hold;               /* is charged for what is held meanwhile; NULL: no limit */
    int (*watch)(void *arg); /* shall it go on, before each host?  NULL: yes */
    void *watch_arg;
};

struct past_health {
    size_t time; /* which of the query's */
    const char *host;
    bool is_known; /* else nothing was stated of it by then */
    enum resource_health health;
    struct span reason;
};

/* A negative return ends the reading and is returned. */
typedef int past_health_fn(void *arg, const struct past_health *health);

/* All hosts that were read of the first time, in the set's order, then of the second.
 * One of more changes than are read is unknown, with a reason. Errors: as in records.h
 * (-ENODATA, -EBADMSG: a database of before there were resources), -ENOMEM, -EAGAIN and
 * others of the hold (it is more than there is memory for), watch's, fn's. */
int past_health_read(struct records_reader *reader,
                     const struct past_health_query *query, past_health_fn *fn,
                     void *arg, struct err *err);

/* Is path an enclosure by these rules?  rules NULL: no. */
bool past_health_is_enclosure(const struct resource_rules *rules, struct span path);

#endif
