/* SPDX-License-Identifier: Apache-2.0 */
/* job_sessions - the sessions that a job's owner ran in it.
 *
 * Texts lie in the context's arena.  Threads  none inside.
 */
#ifndef ANALYSIS_JOB_PARTS_JOB_SESSIONS_H
#define ANALYSIS_JOB_PARTS_JOB_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_SESSIONS_MAX ((size_t)64)

struct job_session {
    const char *name;
    const char *parent; /* the session that it was started in; "": the site's */
    const char *state;  /* "running", "ended", "lost" */
    const char *reason; /* of the state; "": none */
    const char *hosts;  /* a set; "": not known */
    uint64_t ranks;
    uint64_t events; /* that it had for the site */
    int64_t start_ns;
    int64_t since_ns; /* of the state */
};

struct job_sessions {
    const struct job_session *items; /* by their start */
    size_t count;
    bool has_more; /* than JOB_SESSIONS_MAX */
};

struct job_context;

/* Texts of session are copied. */
void job_context_add_session(struct job_context *context,
                             const struct job_session *session);
/* After the last one. */
void job_context_sort_sessions(struct job_context *context);

#endif
