/* SPDX-License-Identifier: Apache-2.0 */
/* job_comments - commands that write what jobs used into their AdminComment.
 *
 *     sacct's output ─▶ jobs without a comment ─▶ GET /v1/jobs/ID?format=js1 ─▶ command
 *
 *     sacctmgr   sacctmgr -i modify job where jobid=5_1 cluster=alex set
 * AdminComment=.. sql        UPDATE `alex_job_table` SET admin_comment='..' WHERE
 * id_job=7 AND ..;
 *
 * Nothing is run here.  A command is printed for a shell: ids and clusters that would
 * need quotes are refused, and comments have none by their form.
 *
 * Threads  none.
 */
#ifndef CLIENT_JOB_JOB_COMMENTS_H
#define CLIENT_JOB_JOB_COMMENTS_H

#include "client/client.h"
#include "client/series/series.h"

enum job_comments_form {
    JOB_COMMENTS_SACCTMGR,
    JOB_COMMENTS_SQL,
    JOB_COMMENTS_FORM_COUNT,
};

extern const char *const job_comments_form_names[JOB_COMMENTS_FORM_COUNT];

struct job_comments_opts {
    const struct client_endpoint *endpoint;
    enum job_comments_form form;
    bool is_for_missing; /* a job with a comment is left alone */
    series_log_fn *log;  /* of which job there is none, and why */
    void *log_arg;
    /* A command with its line end.  Errors end the run. */
    int (*print)(void *arg, struct span command);
    void *print_arg;
};

struct job_comments_counts {
    uint64_t printed;
    uint64_t present;    /* had a comment */
    uint64_t unknown;    /* to the barod, or not ended there, or no id for a command */
    uint64_t empty;      /* too little is known of them: a later run may know more */
    uint64_t unreadable; /* lines */
};

/* path "-" is standard input.  Errors: as input_open(), -EINVAL (it has no such
 * columns), those of client/http.h but -ENOENT and -ERANGE, what print returns. */
int job_comments_make(const struct job_comments_opts *opts, const char *path,
                      struct job_comments_counts *counts, struct err *err);

#endif
