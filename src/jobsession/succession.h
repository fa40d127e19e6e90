/* SPDX-License-Identifier: Apache-2.0 */
/* succession - a spare replaces a rank that is lost or condemned, and all learn of it.
 *
 *     session.join, session.lost ─┐
 *     the site's health of hosts: │
 *       queried, or by its agents ┴▶ spares ─▶ session.replaced, who is idle from the
 *                                              next trigger on, a line on stderr
 *
 * Threads  new, begun, is_due, print, count, stop, free: the main one; start to end: as
 * the callbacks of a session have them; leave: any.
 */
#ifndef JOBSESSION_SUCCESSION_H
#define JOBSESSION_SUCCESSION_H

#include "jobsession/site/site_health.h"
#include "jobsession/spares.h"

struct succession;

struct succession_opts {
    const struct hostset *hosts; /* of ranks 1, 2, ... */
    uint32_t spares;             /* so many of the last */
    const char *condemn;         /* "down", "degraded", "none" */
    const struct client_endpoint *endpoint;
    const char *cluster; /* of Slurm; NULL: the site condemns none */
    int64_t period_ns;   /* of the triggers */
};

/* Errors: -EINVAL with a line in err. */
int succession_check_condemn(const char *condemn, struct err *err);
/* condemn was checked.  Errors: -EINVAL with a line in err, -ENOMEM. */
int succession_new(const struct succession_opts *opts, struct succession **ret,
                   struct err *err);
void succession_free(struct succession *succession); /* stops it; NULL is fine */
/* The nodes had their time to join.  NULL is fine. */
void succession_begun(struct succession *succession);
/* A spare is about to replace a rank.  NULL: none. */
bool succession_is_due(struct succession *succession);
/* Who works now and who does not, as sets of hosts.  What is in either is replaced.
 * Errors: -ENOMEM. */
int succession_print(struct succession *succession, struct strbuf *working,
                     struct strbuf *idle);
/* The nodes leave now, and none is replaced any more.  NULL is fine. */
void succession_leave(struct succession *succession);
/* After the session's thread has ended.  false: its query of the site hangs, and what
 * it was opened with has to outlive it: end the program without more ado.  NULL is
 * fine.
 */
bool succession_stop(struct succession *succession);

int succession_start(struct succession *succession, struct session *session,
                     struct uv_loop_s *loop);
/* What the site's agent has of the rank's node. */
void succession_health(struct succession *succession, uint32_t rank,
                       const struct resource_statement *statement);
void succession_event(struct succession *succession, const struct session_event *event);
void succession_end(struct succession *succession);

void succession_count(struct succession *succession, struct spares_counts *ret);

#endif
