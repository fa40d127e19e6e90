/* SPDX-License-Identifier: Apache-2.0 */
/* ingest - what is sent to barod, decoded, checked and handed on; the room's door.
 *
 *     HTTP thread                                       writer thread
 *     body ─▶ wire decoder ─▶ jobbatch ─▶ may this      put(batch) ─▶ result
 *     (streaming)                         sender? ──▶ queue ──┘          │
 *                  answered when resumed  ◀──────────────────────────────┘
 *
 * What put does (records) is joined by the program: ingest does not know it.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "ingest/jobstats_routes.h"
#include "ingest/line_feed.h"
#include "ingest/line_receiver.h"
#include "ingest/nats_source.h"
#include "ingest/remote/remote_routes.h"
#include "ingest/scrape_source.h"
#include "ingest/sink.h"
#include "ingest/submission_routes.h"
#include "ingest/write_routes.h"
#include "ingest/writer.h"
#include "model/model.h"
#include "net/net.h"

#endif
