/* SPDX-License-Identifier: Apache-2.0 */
/* job_known - which evidence of a job was found, and which was not. */
#ifndef REPORT_JOB_JOB_KNOWN_H
#define REPORT_JOB_JOB_KNOWN_H

#include "analysis/job/job.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

#define JOB_KNOWN_MAX 8

struct job_known {
    const char *name; /* "nodes", for programs */
    const char *text; /* "metrics of its nodes" */
    bool is_found;
    bool is_judged;     /* findings are made of it */
    const char *reason; /* why not; NULL: not known, or found */
};

/* Every evidence that a page can be made of.  Returns how many. */
size_t job_known_list(const struct job_assessment *a,
                      struct job_known ret[static JOB_KNOWN_MAX]);
/* "Known of it: ...; ...\n" and "Not known: ... (reason); ...\n" */
void job_known_print(const struct job_assessment *a, struct strbuf *out);
/* "evidence":[{"name":"nodes","text":"...","is_found":false,"reason":"..."},...] */
void job_known_json(const struct job_assessment *a, struct json_writer *w);

#endif
