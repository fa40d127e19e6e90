/* SPDX-License-Identifier: Apache-2.0 */
/* live - the increments of the last day, stored as they arrive, so that "who, right
 * now" reads no database.
 *
 *     records writer ──live_accept──▶ shard(sid) ──▶ series: last row, increments
 *     HTTP, queries  ──live_accumulate──▶ each shard in turn ──▶ accumulator
 *
 * The result equals that of the database for the same window: increments are made by
 * the same function in the same order.  Where a row cannot be understood from memory
 * (it came late, or goes on from a row that is not stored any more) its series is
 * marked, and read from the database by the next query.
 *
 * Threads  any.  One mutex a shard, held for one row by the writer and for one
 *          shard's sums by a query, never over I/O (doc/decisions/0051).
 * Limits   window_ms of increments and bytes_max of memory; when the memory is out, the
 *          window becomes shorter, and what lies before it is the database's.
 */
#ifndef QUERY_LIVE_LIVE_H
#define QUERY_LIVE_LIVE_H

#include "query/hours/hours.h"

struct live_opts {
    int64_t window_ms;       /* 0: 75 minutes */
    size_t bytes_max;        /* 0: 256 MiB */
    uint64_t warm_rows_max;  /* of a window of over 75 minutes; 0: 500,000 */
    bool is_alone;           /* no database behind it: what is not known here is lost */
    int64_t (*now_ms)(void); /* NULL: clock_now_ms */
};

struct live;

int live_new(const struct live_opts *opts, struct live **ret);
void live_free(struct live *live);
DEFINE_AUTO(struct live, live_free);

/* A records_stored_fn; arg is the live. */
void live_accept(void *arg, const struct series *series, const struct jobrow *row);

/* Read the last window_ms from the database, or, where these are over warm_rows_max
 * rows, the last 75 minutes: once, before the first row is accepted; until it returns
 * nothing is read from memory.  Errors: what history returns; then everything is read
 * from the database. */
int live_warm(struct live *live, const struct history *history, int64_t now_ms,
              struct err *err);

/* Rows of up to t_ms may stand in the database that were never announced: an outcome
 * that is not known.  Everything in memory is dropped; what came before t_ms is read
 * from the database, and the chains of later rows begin there. */
void live_doubt(struct live *live, int64_t t_ms);

/* Add up a settled selection.  history may be NULL only when opts.is_alone.
 * On errors accumulator is half filled and of no use.
 * Errors: -ERANGE (it reaches back before what is held: read the database), -EAGAIN (it
 * changes too fast to be read: likewise), what history returns, -ENOMEM. */
int live_accumulate(struct live *live, const struct history *history,
                    const struct selection *sel, struct accumulator *accumulator,
                    struct err *err);

/* The writer is about to store rows, and has announced all of them, or none: between
 * both the database may have rows that are not here yet. */
void live_store_begin(struct live *live);
void live_store_end(struct live *live);

/* What memory adds to a reading of the database: the rows after the hours that it reads
 * as cells. */
struct live_newest {
    struct live *live;
    uint64_t rows, late_rows, early_rows; /* when the reading began */
    uint64_t stores_begun;                /* when its moment was over at the latest */
    struct history_newest newest;
};
/* Before the database's moment: series of sel that are marked are read again.  *ret
 * must stay where it is.  Errors: what history returns, -ENOMEM. */
int live_newest_begin(struct live *live, const struct history *history,
                      const struct selection *sel, struct live_newest *ret,
                      struct err *err);

/* Everything after this is in memory; T_NONE: nothing is. */
int64_t live_stored_from_ms(struct live *live);
/* The newest observation, not later than now; T_NONE: none. */
int64_t live_latest_ms(struct live *live);

/* When each server was read last.  Errors: -ENOMEM. */
int live_add_rounds(struct live *live, struct rounds *rounds);

struct live_stats {
    uint64_t rows;      /* accepted */
    uint64_t late_rows; /* older than the newest of their series */
    uint64_t marked;    /* series that had to be read from the database */
    uint64_t shortened; /* times that the memory was out */
    uint64_t
        lost_rows; /* not stored for lack of memory, of it a 16th for server names */
    size_t series, bytes;   /* now */
    int64_t stored_from_ms; /* T_NONE: nothing is complete yet */
};
void live_get_stats(struct live *live, struct live_stats *ret);

#endif
