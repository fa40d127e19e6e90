/* SPDX-License-Identifier: Apache-2.0 */
/* records_sink - batches of rows from the writer's queue into the records, and upkeep.
 *
 *     ingest's writer ──▶ put ──▶ records ──▶ (after COMMIT) live
 *
 * Threads  all on the writer's, which alone changes the database.
 */
#ifndef DAEMON_RECORDS_SINK_H
#define DAEMON_RECORDS_SINK_H

#include "daemon/parts.h"

/* What ingest_writer_opts.put and .idle want; arg is a struct daemon_parts.
 * Errors of put: -EAGAIN (the batch stays with its sender: the database does not let
 * barod write, is damaged or of a newer barod), and those of records_put(). */
int records_sink_put(void *arg, const struct jobbatch *batch, struct batch_result *ret,
                     struct err *err);
/* Probe the database; drop old rows and make partitions ahead when it is time. */
void records_sink_upkeep(void *arg);

#endif
