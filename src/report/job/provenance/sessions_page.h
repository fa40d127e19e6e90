/* SPDX-License-Identifier: Apache-2.0 */
/* sessions_page - the sessions that a job's owner ran in it, on its page. */
#ifndef REPORT_JOB_PROVENANCE_SESSIONS_PAGE_H
#define REPORT_JOB_PROVENANCE_SESSIONS_PAGE_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define SESSIONS_SHOWN ((size_t)12)

/* A line for each, under "Sessions in it:"; nothing where there are none. */
void sessions_page_print(const struct job_sessions *sessions, struct strbuf *out);
/* The lines alone. */
void sessions_list_print(const struct job_sessions *sessions, struct strbuf *out);
/* The member "sessions"; nothing where there are none. */
void sessions_json(const struct job_sessions *sessions, struct json_writer *w);

#endif
