/* SPDX-License-Identifier: Apache-2.0 */
/* job_server - a barod that is told of jobs and summaries, and asked for them.
 *
 *     lines of JSON ──▶ bodies of JOB_SERVER_BODY_BYTES ──▶ POST /v1/jobs,
 * /v1/summaries GET /v1/jobs, /v1/summaries ──▶ lines, CSV
 *
 * What is told twice changes nothing, so that a body whose answer was lost is sent
 * again.
 *
 * Threads  none inside.  A client must not be used on both sides of a fork.
 */
#ifndef CMD_JOB_SERVER_H
#define CMD_JOB_SERVER_H

#include "client/client.h"

#define JOB_SERVER_BODY_BYTES ((size_t)4 << 20)
/* What one question asks for: the answer has 64 MiB at most. */
#define JOB_SERVER_JOBS_MAX "100000"
#define JOB_SERVER_SUMMARIES_MAX "20000"

enum job_server_kind {
    JOB_SERVER_JOBS,
    JOB_SERVER_SUMMARIES,
};

struct job_server_counts {
    uint64_t taken;   /* new ones */
    uint64_t changed; /* took the place of what was told before */
    uint64_t known;   /* said nothing new */
    uint64_t refused;
};

struct job_server;

/* way: --server, --token-file, --ca-file; its texts outlive *ret. */
int job_server_open(const struct client_endpoint *way, struct job_server **ret,
                    struct err *err);
void job_server_close(struct job_server *server);
DEFINE_AUTO(struct job_server, job_server_close);

/* A line with its end, kept until a body is full.  What the server refuses is said on
 * standard error.  Errors: those of client/http.h, -EAGAIN (it cannot keep anything
 * now). */
int job_server_tell(struct job_server *server, enum job_server_kind kind,
                    struct span line, struct err *err);
/* What was not sent yet; all that was told is kept then. */
int job_server_flush(struct job_server *server, struct err *err);
const struct job_server_counts *job_server_counts(const struct job_server *server);

/* url: begun with the route; its parameters are added by the caller.  *ret is valid
 * until the next question; *ret_has_more: there is more than was asked for. */
int job_server_get(struct job_server *server, const struct net_url *url,
                   struct span *ret, bool *ret_has_more, struct err *err);

#endif
