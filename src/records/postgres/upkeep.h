/* SPDX-License-Identifier: Apache-2.0 */
/* upkeep - what TimescaleDB's background jobs leave undone.
 *
 *     step (each maintain_every) ─▶ chunk ─▶ chunk ─▶ ... until none is left, or
 * PG_UPKEEP_MS └── poll, at each transaction of the writer
 *
 * Where the jobs of our tables fail (all of them do with some versions of PostgreSQL),
 * the chunks that should be compressed are compressed here: one at a time, on a
 * connection of its own, so that no batch waits.  They are gone through from the oldest
 * to the newest, over as many steps as that takes, and then from the oldest again: one
 * that cannot be compressed keeps none of the others from it, however many such there
 * are.
 */
#ifndef RECORDS_POSTGRES_UPKEEP_H
#define RECORDS_POSTGRES_UPKEEP_H

#include "records/postgres/timescale.h"

#include <stdatomic.h>

/* No chunk is begun later after its step. */
#define PG_UPKEEP_MS (15 * INT64_C(60000))

struct pg_upkeep {
    struct pg_conn conn;
    const struct records_opts *opts; /* of the last step */
    int64_t older_ms, end_ns;        /* likewise; end_ns by the monotonic clock */
    struct pg_chunk chunk;           /* that is being compressed, or was tried last */
    char why[160];                   /* of the writer's thread: of the jobs */
    char chunk_why[320]; /* likewise: of the chunk that failed last; empty: none has */
    _Atomic bool is_busy;
    _Atomic uint64_t failed, failures, compressed, chunk_failures; /* any thread */
};

/* writer is asked for the jobs and the chunks; opts stay there.  What goes wrong is in
 * why and chunk_why. */
void pg_upkeep_step(struct pg_upkeep *upkeep, struct pg_conn *writer,
                    const struct records_opts *opts, int64_t now_ms);
/* Is the chunk done?  Then begin the next.  Outside of a transaction of writer; costs
 * next to nothing where no chunk is under way. */
void pg_upkeep_poll(struct pg_upkeep *upkeep, struct pg_conn *writer);
void pg_upkeep_close(struct pg_upkeep *upkeep);

#endif
