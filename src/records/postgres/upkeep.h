/* SPDX-License-Identifier: Apache-2.0 */
/* upkeep - what TimescaleDB's background jobs leave undone.
 *
 * Where the jobs of our tables fail (all of them do with some versions of PostgreSQL),
 * a chunk that should be compressed is compressed here: one at a time, on a connection
 * of its own, begun by one upkeep and looked after by the next, so that no batch waits.
 */
#ifndef RECORDS_POSTGRES_UPKEEP_H
#define RECORDS_POSTGRES_UPKEEP_H

#include "records/postgres/timescale.h"

#include <stdatomic.h>

struct pg_upkeep {
    struct pg_conn conn;
    bool is_busy;
    char why[160];                                 /* of the writer's thread */
    _Atomic uint64_t failed, failures, compressed; /* any thread */
};

/* writer is asked for the jobs and the chunks.  What goes wrong is in why. */
void pg_upkeep_step(struct pg_upkeep *upkeep, struct pg_conn *writer,
                    const struct records_opts *opts, int64_t now_ms);
void pg_upkeep_close(struct pg_upkeep *upkeep);

#endif
