/* SPDX-License-Identifier: Apache-2.0 */
/* inner_sessions - how far the reports of the sessions that were started in this one
 * are.
 *
 * An agent that is sent a report again hands it on again; one that was killed in
 * between may not have: by the number of an event it is known, or known to be missing.
 * Before the first that is heard of a session nothing is: its past is not known.
 * Bound    INNER_SESSIONS_MAX: the one that was heard of least recently is forgotten.
 * Threads  one at a time.
 */
#ifndef JOBSESSION_SITE_INNER_SESSIONS_H
#define JOBSESSION_SITE_INNER_SESSIONS_H

#include "model/model.h"

#define INNER_SESSIONS_MAX 64

struct inner_sessions;

/* Errors: -ENOMEM. */
int inner_sessions_new(struct inner_sessions **ret);
void inner_sessions_free(struct inner_sessions *inner); /* NULL is fine */

struct inner_news {
    bool is_new;        /* it is an event, or a state, that was not there yet */
    uint64_t gap_first; /* from there to gap_last events did not come; 0: none */
    uint64_t gap_last;
};

/* What a report brings; it changes nothing. */
void inner_sessions_compare(struct inner_sessions *inner,
                            const struct session_report *report,
                            struct inner_news *ret);
/* The gap up to the report was stated; the report was handed on. */
void inner_sessions_skip(struct inner_sessions *inner,
                         const struct session_report *report,
                         const struct inner_news *news);
void inner_sessions_had(struct inner_sessions *inner,
                        const struct session_report *report);

#endif
