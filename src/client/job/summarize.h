/* SPDX-License-Identifier: Apache-2.0 */
/* summarize - each log's context, built by worker processes, in the order of the logs.
 *
 *     logs ──▶ workers (base/pool): log ──▶ context ──▶ row, line, notes ──▶ result
 *
 * A log at which a worker crashes or hangs costs its own row only.
 */
#ifndef CLIENT_JOB_SUMMARIZE_H
#define CLIENT_JOB_SUMMARIZE_H

#include "analysis/job/job.h"

/* What became of one log; the texts are valid during the call. */
struct job_summarized {
    const char *log;
    size_t done;       /* logs so far, this one included */
    struct span row;   /* as opts.print made it; empty: there is none */
    struct span line;  /* the summary as a line of JSON; empty: none, or not wanted */
    struct span notes; /* whole lines: what was wrong with the log */
    bool is_lost;      /* nothing could be made of it; notes say why */
};

struct job_summarize_opts {
    const struct job_inputs *inputs; /* opened before: workers are forked */
    const char *const *logs;
    size_t count;
    uint64_t workers;        /* 0: one a processor */
    int64_t log_time_max_ns; /* 0: five minutes */
    bool wants_lines;
    void *arg;
    /* In a worker: a row of a context.  NULL: no rows are wanted. */
    void (*print)(void *arg, const struct job_context *context, struct strbuf *out);
    /* In the caller's process, log by log.  Anything below 0 ends it all. */
    int (*result)(void *arg, const struct job_summarized *result);
};

/* Errors: what result returned; as pool_run(). */
int job_summarize(const struct job_summarize_opts *opts, struct err *err);

#endif
