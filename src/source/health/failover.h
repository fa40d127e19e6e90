/* SPDX-License-Identifier: Apache-2.0 */
/* failover - which servers have more or fewer OSTs than is usual.
 *
 * The number of OSTs that most servers have is normal (of two numbers that as many
 * have, the smaller); a server with more has taken over targets of another, a server
 * with fewer has lost some.  A server that has lost all is not seen; where most servers
 * have failed over, the rest look wrong.  Inactive targets count for nobody.
 */
#ifndef SOURCE_HEALTH_FAILOVER_H
#define SOURCE_HEALTH_FAILOVER_H

#include "source/health/sample.h"

enum health_load {
    HEALTH_LOAD_NORMAL,
    HEALTH_LOAD_ABOVE, /* more targets than normal: overloaded */
    HEALTH_LOAD_BELOW, /* fewer: it was relieved, it is not overloaded */
};

struct health_server {
    struct span nid;
    size_t target_count;
    enum health_load load;
};

struct health_failover {
    struct health_server *servers; /* by NID, in the order first named */
    size_t server_count;
    size_t target_count;
    size_t mode; /* OSTs a server normally has */
    size_t above_servers, above_targets;
    size_t below_servers, below_targets;
    double above_mean;      /* OSTs per server above; 0 when there is none */
    double overload_factor; /* above_mean / mode; 1 when there is none */
    int64_t t_ns;           /* the oldest reading among them; -1: not known */
};

void health_failover_done(struct health_failover *failover);
DEFINE_AUTO_DONE(struct health_failover, health_failover_done);

/* Errors: -ENOENT (no OST of fs with a known server), -ENOMEM; then *ret is untouched.
 * On success *ret is the caller's, to health_failover_done(). */
int health_failover(const struct health_sample *sample, struct span fs,
                    struct health_failover *ret);

#endif
