/* SPDX-License-Identifier: Apache-2.0 */
/* site_health - what the site holds of the health of a session's hosts, by a thread.
 *
 *     every interval: GET /v1/resources ──▶ what changed of a host ──▶ changed_fn
 *
 * A site that does not respond states nothing against a host, and withdraws nothing.
 * Threads  open, end: one; changed_fn comes on its own thread.
 */
#ifndef JOBSESSION_SITE_SITE_HEALTH_H
#define JOBSESSION_SITE_SITE_HEALTH_H

#include "client/client.h"
#include "model/model.h"

struct site_health;

/* index: of the host in hosts.  reason: "down: fan 2 failed (alex/n2/fan:2)"; NULL: it
 * is well again.  Below 0: it had no effect, and comes again at the next interval. */
typedef int site_health_fn(void *arg, size_t index, const char *reason);

struct site_health_opts {
    const struct client_endpoint *endpoint;
    const struct hostset *hosts; /* both outlive it */
    const char *cluster;         /* of all of them, as components have it */
    const char *healths;         /* what counts against a host: "down,degraded" */
    int64_t interval_ns;
    site_health_fn *changed_fn;
    void *arg;
};

/* Errors: -ENOMEM, -EAGAIN (threads). */
int site_health_open(const struct site_health_opts *opts, struct site_health **ret);
/* Waits three seconds at most for a request that is under way.  false: that hangs; its
 * thread still has all of opts, and nothing is freed.  NULL is fine. */
bool site_health_end(struct site_health *health);

#endif
