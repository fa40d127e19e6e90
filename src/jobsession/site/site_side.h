/* SPDX-License-Identifier: Apache-2.0 */
/* site_side - the side of a user's session that the site's session sees: by the agent
 * of this node it hears that it began, which events it names, and that it ended.
 *
 *     site_side_open ─▶ site_side_begin (its address is known) ─▶ site_side_end
 *
 * Without an agent nothing is sent, and all of this is fine.  What cannot be sent is a
 * warning.
 * Threads  the main one; site_side_event: any.
 */
#ifndef JOBSESSION_SITE_SITE_SIDE_H
#define JOBSESSION_SITE_SITE_SIDE_H

#include "jobsession/site/site_link.h"
#include "jobsession/site/site_report.h"

#include <stdbool.h>

struct site_side_opts {
    const char *agent;          /* its socket; NULL: there is none */
    const char *job;            /* of Slurm; NULL: in none */
    struct session_report self; /* its address is "" until site_side_begin() */
    int64_t beat_ns;
    const char *numbers; /* as site_report has it */
};

struct site_side {
    struct site_side_opts opts;
    struct site_link *link;             /* NULL: there is no agent */
    struct site_report *_Atomic report; /* NULL until it begins, and without an agent */
    const char *nodes_address;
    char reason[128]; /* why it ended */
};

/* Texts of opts outlive it. */
void site_side_open(struct site_side *side, const struct site_side_opts *opts);
/* address: of its control, as the site lists it; nodes_address: where its nodes connect
 * to, NULL where they do not.  Both outlive it. */
void site_side_begin(struct site_side *side, const char *address,
                     const char *nodes_address);
/* An event that the site is to hear of, now and in its list. */
void site_side_event(struct site_side *side, struct span name, struct span payload,
                     int64_t t_ns);
/* An opinion about a node: in its list alone. */
void site_side_opinion(struct site_side *side, struct span name, struct span payload,
                       int64_t t_ns);
/* It has ended: sent now, for two seconds at most; nodes may still submit events. */
void site_side_leave(struct site_side *side);
/* Nothing comes any more: the site's list has all, and the end with its reason. */
void site_side_end(struct site_side *side, const char *reason);
/* After the last event. */
void site_side_close(struct site_side *side);

#endif
