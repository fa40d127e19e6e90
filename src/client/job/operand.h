/* SPDX-License-Identifier: Apache-2.0 */
/* job_operand - what a command was given for a job: its log, or its id.
 *
 *     "runs/a.darshan"  is a file ─────────────▶ the log
 *     "4711"            is none ──▶ barod ─────▶ its summary, which names log and
 * series
 */
#ifndef CLIENT_JOB_OPERAND_H
#define CLIENT_JOB_OPERAND_H

#include "analysis/job/job.h"

struct client_endpoint;

struct job_operand {
    const char *text;          /* the caller's */
    const char *log;           /* text, or what the summary names; NULL: not reported */
    bool is_stored;            /* found by its id: the summary is there */
    bool is_readable;          /* the log is, here */
    int unreadable_errno;      /* why not */
    struct job_context stored; /* the summary */
    struct job_log *file;      /* the log, open once it was read; else NULL */
    struct job_context of_log; /* what it says: its facts */
    struct profile run;        /* likewise */
    struct log_work work;      /* likewise, once job_operand_detail() has read them */
    struct log_heat heat;
    size_t summaries_count; /* of this id; the one that began last is taken */
};

/* What has a '/' or ends in .darshan is a log even where there is no such file, as is
 * every file; a directory has logs. */
bool job_operand_is_log(const char *text);
/* An id, also as CLUSTER/ID: one '/', and no file or log of that name. */
bool job_operand_is_id(const char *text);

/* A directory whose name has no '/' is taken for an id.  cluster: of the job; NULL:
 * any.  Errors: -ENOENT (nothing is known of it: err says what was asked where, and
 * what to do), those of client/http.h. */
int job_operand_find(const struct client_endpoint *endpoint, const char *cluster,
                     const char *text, struct job_operand *ret, struct err *err);
/* Read its log, which is readable, in one pass; it stays open.  Errors: as
 * job_log_open() and job_log_read(); err names the log. */
int job_operand_read(struct job_operand *operand, struct err *err);
/* Both, of a job whose log has to be here.  Errors: also -ENOENT where it cannot be
 * read here. */
int job_operand_load(const struct client_endpoint *endpoint, const char *cluster,
                     const char *text, struct job_operand *ret, struct err *err);
/* Its files and times, for a page that shows them; *page points into *operand then.
 * Without a log that was read there are none.  Errors: -ENOMEM. */
int job_operand_detail(struct job_operand *operand, struct job_assessment *page,
                       struct err *err);
void job_operand_done(struct job_operand *operand);
DEFINE_AUTO_DONE(struct job_operand, job_operand_done);

#endif
