/* SPDX-License-Identifier: Apache-2.0 */
/* control - the control node of a job's session: a port, the key, results into a file.
 *
 * Threads  start and stop: the main one; count: any.
 */
#ifndef JOBSESSION_CONTROL_H
#define JOBSESSION_CONTROL_H

#include "jobsession/invitation.h"
#include "jobsession/opinions.h"
#include "jobsession/results_file.h"
#include "jobsession/site/site_side.h"
#include "jobsession/succession.h"

struct session_view;

struct control;

struct control_opts {
    const char *name, *state;    /* state: directory of the incarnation */
    const struct hostset *hosts; /* rank 0 is "control" */
    const char *host;            /* where nodes find this machine */
    const char *listen;          /* "127.0.0.1", "0.0.0.0" */
    int64_t period_ns, heartbeat_ns;
    const struct plugins_opts *plugins;
    struct results_file *results; /* NULL: nothing is stored */
    struct site_side *site;
    struct opinions *opinions;      /* with what plugins stated before it began */
    const char *const *site_events; /* patterns of names that it hears of */
    size_t site_event_count;
    struct succession *succession; /* NULL: there are no spares */
    /* As the invitation has them. */
    const char *id, *provenance, *provenance_key, *agent;
};

/* Draw a key, find a port, begin.  All of opts outlives it.  Errors: as
 * session_start(). */
int control_start(const struct control_opts *opts, struct control **ret,
                  struct err *err);
/* No event comes any more; what control_invitation() has stays.  NULL is fine. */
void control_leave(struct control *control);
void control_stop(struct control *control); /* NULL is fine */
/* The session over REST, to be registered once; until control_stop(). */
struct session_view *control_view(struct control *control);
/* What its nodes are to read; valid until it stops. */
const struct invitation *control_invitation(const struct control *control);

struct control_counts {
    uint32_t online, online_max; /* nodes without rank 0: now, at most */
    uint64_t triggers, contributions, events;
};
void control_count(struct control *control, struct control_counts *ret);

#endif
