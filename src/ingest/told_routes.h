/* SPDX-License-Identifier: Apache-2.0 */
/* told_routes - POST /v1/jobs and /v1/summaries: a line of JSON each, kept at once.
 *
 *     HTTP thread:    body ─▶ lines ─▶ job_line_read, summary_read_line ─▶ items
 *                                                                │ a task
 *     writer thread:  sink->put (one transaction) ─▶ answer ◀── queue
 *
 * A line that is none costs that line, and is named in the answer.  What the puts do
 * (records) is joined by the program.
 */
#ifndef INGEST_TOLD_ROUTES_H
#define INGEST_TOLD_ROUTES_H

#include "ingest/writer.h"
#include "net/net.h"

enum { TOLD_REFUSALS_MAX = 10 };

struct told_refusal {
    size_t index; /* in what was put */
    const char *reason;
};

struct told_answer {
    uint64_t taken, changed, known, refused;
    struct told_refusal refusals[TOLD_REFUSALS_MAX];
    size_t refusal_count;
};

/* On the writer's thread: all or nothing.  Errors: -EAGAIN ... : the sender keeps it.
 */
struct told_sink {
    int (*put_jobs)(void *arg, const struct job *jobs, size_t count,
                    struct told_answer *ret, struct err *err);
    int (*put_summaries)(void *arg, const struct summary *summaries, size_t count,
                         struct told_answer *ret, struct err *err);
    void *arg;
};

struct told_stats {
    uint64_t bodies;                         /* answered with 200 */
    uint64_t failed;                         /* answered with an error */
    uint64_t taken, changed, known, refused; /* lines */
};

enum told_kind {
    TOLD_JOBS,
    TOLD_SUMMARIES,
    TOLD_KIND_COUNT,
};

struct told_routes;

/* Registers both routes on server, before it starts; sink is copied.  body_bytes_max
 * bounds what one body becomes in memory; 0: 128 MiB.  Errors: -ENOMEM. */
int told_routes_new(struct net_server *server, struct ingest_writer *writer,
                    const struct told_sink *sink, size_t body_bytes_max,
                    struct told_routes **ret);
/* After net_server_free. */
void told_routes_free(struct told_routes *routes);
DEFINE_AUTO(struct told_routes, told_routes_free);
void told_routes_stats(const struct told_routes *routes, enum told_kind kind,
                       struct told_stats *ret);

#endif
