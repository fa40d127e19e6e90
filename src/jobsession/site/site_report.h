/* SPDX-License-Identifier: Apache-2.0 */
/* site_report - what the site is to have of a job's session: sent until it is stored.
 *
 *     the session itself, each beat ─┐
 *     events, opinions: numbered ────┴▶ queue ─▶ a thread ─▶ agent: on its disk ─▶ ok
 *
 * What the agent has accepted no death of a process loses, and what is sent again is
 * stored once.  An agent that is away is tried again; what is left at the end is lost,
 * counted, and stated in the reason of the end.  Nothing waits for it but the end.
 *
 * Bounds   REPORTS_QUEUED_MAX that wait, SESSION_EVENTS_MAX of a session.
 * Threads  open, end: one; event, count: any.
 */
#ifndef JOBSESSION_SITE_SITE_REPORT_H
#define JOBSESSION_SITE_SITE_REPORT_H

#include "base/cleanup.h"
#include "model/model.h"

#define REPORTS_QUEUED_MAX 4096

struct site_report;

struct site_report_opts {
    const char *path;           /* of the agent's socket */
    struct session_report self; /* its texts, and path, outlive it */
    int64_t beat_ns;            /* so often it is reported */
    /* site_numbers.h: the next process of the same session goes on behind what is
     * there, so that each event has a number of its own.  While it cannot be written no
     * event is sent.  NULL: there is no next one. */
    const char *numbers;
};

/* Errors: -EINVAL (self is no report), -ENOMEM, -EAGAIN (threads), those of
 * site_numbers_open(). */
int site_report_open(const struct site_report_opts *opts, struct site_report **ret,
                     struct err *err);
/* NULL is fine. */
void site_report_event(struct site_report *report, struct span name,
                       struct span payload, int64_t t_ns);

struct site_report_counts {
    uint64_t sent, lost; /* reports; the session itself is one */
    char error[512];     /* why they are lost; "": none is */
};
/* All that waits is sent for two seconds at most, then that it ended; a request's time
 * longer where the agent does not respond.  NULL is fine. */
void site_report_end(struct site_report *report, const char *reason,
                     struct site_report_counts *ret);

#endif
