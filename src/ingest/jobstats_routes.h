/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_routes - POST /v1/jobstats: decoded, checked, handed to the writer.
 *
 * Threads  bodies on HTTP threads, responses on the writer's.
 */
#ifndef INGEST_JOBSTATS_ROUTES_H
#define INGEST_JOBSTATS_ROUTES_H

#include "ingest/writer.h"
#include "net/net.h"

struct jobstats_routes;

struct jobstats_stats {
    uint64_t batches;             /* answered with 200 */
    uint64_t replayed;            /* of these, known already */
    uint64_t accepted, duplicate; /* rows */
    uint64_t bad;                 /* entries that were not understood */
    uint64_t foreign;             /* entries outside the sender's targets */
    uint64_t refused;             /* rows that put refused */
    uint64_t failed;              /* batches answered with an error */
};

/* Registers POST /v1/jobstats on server, before it starts.  site tells the instance of
 * a row's file system; NULL: rows keep an empty fs.  batch_bytes_max bounds one batch
 * in memory; 0: 64 MiB.  Errors: -ENOMEM. */
int jobstats_routes_new(struct net_server *server, struct ingest_writer *writer,
                        const struct site *site, size_t batch_bytes_max,
                        struct jobstats_routes **ret);
/* After net_server_free. */
void jobstats_routes_free(struct jobstats_routes *ingest);
DEFINE_AUTO(struct jobstats_routes, jobstats_routes_free);
void jobstats_routes_stats(const struct jobstats_routes *ingest,
                           struct jobstats_stats *ret);

#endif
