/* SPDX-License-Identifier: Apache-2.0 */
/* submission_routes - POST /v1/jobs, /v1/summaries, /v1/health, /v1/resources,
 * /v1/sessions, /v1/provenance, /v1/datasets and /v1/resources/inventory: a line of
 * JSON each, stored at once.
 *
 *     HTTP thread:    body ─▶ lines ─▶ job_line_read, summary_read_line ─▶ items
 *                                                                │ a task
 *     writer thread:  sink->put (one transaction) ─▶ result ◀── queue
 *
 * A line that is none costs that line, and is named in the result.  What the puts do
 * (records) is joined by the program.
 */
#ifndef INGEST_SUBMISSION_ROUTES_H
#define INGEST_SUBMISSION_ROUTES_H

#include "ingest/writer.h"
#include "net/net.h"

enum { SUBMISSION_REFUSALS_MAX = 10 };

struct submission_refusal {
    size_t index; /* in what was put */
    const char *reason;
};

struct submission_result {
    uint64_t accepted, changed, duplicate, refused;
    struct submission_refusal refusals[SUBMISSION_REFUSALS_MAX];
    size_t refusal_count;
};

/* On the writer's thread: all or nothing.  Errors: -EAGAIN ... : the sender keeps it.
 */
struct submission_sink {
    int (*put_jobs)(void *arg, const struct job *jobs, size_t count,
                    struct submission_result *ret, struct err *err);
    int (*put_summaries)(void *arg, const struct summary *summaries, size_t count,
                         struct submission_result *ret, struct err *err);
    int (*put_readings)(void *arg, const struct target_reading *readings, size_t count,
                        struct submission_result *ret, struct err *err);
    int (*put_statements)(void *arg, const struct resource_statement *statements,
                          size_t count, struct submission_result *ret, struct err *err);
    int (*put_sessions)(void *arg, const struct session_report *reports, size_t count,
                        struct submission_result *ret, struct err *err);
    int (*put_files)(void *arg, const struct job_file_list *files, size_t count,
                     struct submission_result *ret, struct err *err);
    int (*put_datasets)(void *arg, const struct job_dataset *datasets, size_t count,
                        struct submission_result *ret, struct err *err);
    int (*put_inventories)(void *arg, const struct node_inventory *reports,
                           size_t count, struct submission_result *ret,
                           struct err *err);
    void *arg;
};

struct submission_stats {
    uint64_t bodies;                                /* answered with 200 */
    uint64_t failed;                                /* answered with an error */
    uint64_t accepted, changed, duplicate, refused; /* lines */
};

enum submission_kind {
    SUBMISSION_JOBS,
    SUBMISSION_SUMMARIES,
    SUBMISSION_READINGS,   /* of targets */
    SUBMISSION_STATEMENTS, /* about resources */
    SUBMISSION_SESSIONS,   /* of users: their reports */
    SUBMISSION_FILES,      /* that jobs ran with */
    SUBMISSION_DATASETS,   /* that jobs had mounted */
    SUBMISSION_INVENTORY,  /* parts of nodes */
    SUBMISSION_KIND_COUNT,
};

struct submission_routes;

/* Registers the routes on server, before it starts; sink is copied.  body_bytes_max
 * bounds what one body becomes in memory; 0: 128 MiB.  Errors: -ENOMEM. */
int submission_routes_new(struct net_server *server, struct ingest_writer *writer,
                          const struct submission_sink *sink, size_t body_bytes_max,
                          struct submission_routes **ret);
/* After net_server_free. */
void submission_routes_free(struct submission_routes *routes);
DEFINE_AUTO(struct submission_routes, submission_routes_free);
void submission_routes_stats(const struct submission_routes *routes,
                             enum submission_kind kind, struct submission_stats *ret);

#endif
