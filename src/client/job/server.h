/* SPDX-License-Identifier: Apache-2.0 */
/* server - a barod that jobs and summaries are submitted to, and requested from.
 *
 *     lines of JSON ──▶ bodies of JOB_SERVER_BODY_BYTES ──▶ POST /v1/jobs,
 * /v1/summaries, /v1/health; GET /v1/jobs, /v1/summaries ──▶ lines, CSV
 *
 * What is submitted twice changes nothing, so that a body whose response was lost is
 * sent again.
 *
 * Threads  none inside.  A client must not be used on both sides of a fork.
 */
#ifndef CLIENT_JOB_SERVER_H
#define CLIENT_JOB_SERVER_H

#include "base/hashmap.h"
#include "client/client.h"
#include "client/series/series.h"

#define JOB_SERVER_BODY_BYTES ((size_t)4 << 20)
/* What one request asks for: the response has 64 MiB at most. */
#define JOB_SERVER_JOBS_MAX "100000"
#define JOB_SERVER_SUMMARIES_MAX "20000"

enum job_server_kind {
    JOB_SERVER_JOBS,
    JOB_SERVER_SUMMARIES,
    JOB_SERVER_READINGS, /* of targets */
};

struct job_server_counts {
    uint64_t accepted;  /* new ones */
    uint64_t changed;   /* took the place of what was submitted before */
    uint64_t duplicate; /* had nothing new */
    uint64_t refused;
};

struct job_server;

/* The texts of endpoint outlive *ret.  Errors: those of client/http.h, -ENOMEM. */
int job_server_open(const struct client_endpoint *endpoint, struct job_server **ret,
                    struct err *err);
/* Where lines that the server refuses are reported. */
void job_server_set_log(struct job_server *server, series_log_fn *log, void *arg);
void job_server_close(struct job_server *server);
DEFINE_AUTO(struct job_server, job_server_close);

/* A line with its end, held until a body is full.  Errors: those of client/http.h,
 * -EAGAIN (the server cannot store anything now). */
int job_server_submit(struct job_server *server, enum job_server_kind kind,
                      struct span line, struct err *err);
/* Whether it ended at since_ns or after it, or has not ended. */
bool job_lasts_since(const struct job *job, int64_t since_ns);
/* The lines of those jobs, or steps of jobs, that last since then.  Errors: likewise.
 */
int job_server_submit_runs(struct job_server *server, const struct job *jobs,
                           size_t count, int64_t since_ns, struct err *err);
/* Send what was not sent yet; all that was submitted is stored then.  Errors: as above.
 */
int job_server_flush(struct job_server *server, struct err *err);
const struct job_server_counts *job_server_counts(const struct job_server *server);

/* url: begun with the route; its parameters are added by the caller.  *ret is valid
 * until the next request; *ret_has_more: there is more than was requested. */
int job_server_get(struct job_server *server, const struct net_url *url,
                   struct span *ret, bool *ret_has_more, struct err *err);

/* The logs that the server has a summary of, as keys of *ret.  cluster: of the jobs;
 * NULL: any.  Errors: as job_server_get(); -EBADMSG (no such table), -ENOMEM. */
int job_server_logs(struct job_server *server, const char *cluster, struct hashmap *ret,
                    struct err *err);

#endif
