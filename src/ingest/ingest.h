/* SPDX-License-Identifier: Apache-2.0 */
/* ingest - taking in: POST /v1/jobstats decoded, checked and handed on; the room's
 * door.
 *
 *     HTTP thread                                       writer thread
 *     body ─▶ wire decoder ─▶ jobbatch ─▶ may this      put(batch) ─▶ answer
 *     (streaming)                         sender? ──▶ queue ──┘          │
 *                  answered when resumed  ◀──────────────────────────────┘
 *
 * What put does (records) is joined by the program: ingest does not know it.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "ingest/line_feed.h"
#include "ingest/line_intake.h"
#include "ingest/nats_source.h"
#include "ingest/scrape_source.h"
#include "ingest/sink.h"
#include "ingest/told_routes.h"
#include "ingest/write_routes.h"
#include "ingest/writer.h"
#include "model/model.h"
#include "net/net.h"

struct ingest;

struct ingest_stats {
    uint64_t batches;      /* answered with 200 */
    uint64_t replayed;     /* of these, known already */
    uint64_t taken, known; /* rows */
    uint64_t bad;          /* entries that were not understood */
    uint64_t foreign;      /* entries outside the sender's targets */
    uint64_t refused;      /* rows that put refused */
    uint64_t failed;       /* batches answered with an error */
};

/* Registers POST /v1/jobstats on server, before it starts.  site tells the instance of
 * a row's file system; NULL: rows keep an empty fs.  batch_bytes_max bounds one batch
 * in memory; 0: 64 MiB.  Errors: -ENOMEM. */
int ingest_new(struct net_server *server, struct ingest_writer *writer,
               const struct site *site, size_t batch_bytes_max, struct ingest **ret);
/* After net_server_free. */
void ingest_free(struct ingest *ingest);
DEFINE_AUTO(struct ingest, ingest_free);
void ingest_stats(const struct ingest *ingest, struct ingest_stats *ret);

#endif
