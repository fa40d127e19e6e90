/* SPDX-License-Identifier: Apache-2.0 */
/* chain - which row each row of a series goes on from.
 *
 *     oss01   r0 ─────────────▶ r2              a target moves to oss02; the zero
 * record oss02         zero ──────────────▶ r3     there is set where oss01 still
 * counted t0     t1        t2       t3
 *
 * Counters live in the memory of the server that serves a target, so a row goes on from
 * the last row of its own server, and not from its neighbour in time.  Where that is
 * not the row it says it follows, and another server has counted since, its life is
 * new.
 *
 * Where a server's clock was set back by much, its rows before and after it stand mixed
 * as well: a row goes on from the row that it says it follows.  A neighbour that is
 * newer than that is of the other order, and is not believed (doc/decisions/0381).
 *
 * Rows of one series are added in the order of time.  Threads: none inside.
 */
#ifndef QUERY_COUNTERS_CHAIN_H
#define QUERY_COUNTERS_CHAIN_H

#include "model/model.h"

/* Orders of reading: a server each, and one more for each time its clock was set back;
 * the longest silent is forgotten. */
#define CHAIN_SERVERS_MAX 8
#define CHAIN_SERVER_BYTES_MAX 256

struct chain_link {
    struct jobrow row;
    char server[CHAIN_SERVER_BYTES_MAX];
};

struct chain {
    size_t count;
    struct chain_link links[CHAIN_SERVERS_MAX]; /* the last row of each server */
    const struct jobrow *counted; /* the last row that was no zero record; or NULL */
    struct chain_link kept;       /* where that is no link's last row any more */
    /* for chain_enter */
    int64_t hour_ms;        /* of the last row; T_NONE: there is none */
    int64_t last_ms;        /* the last row */
    int64_t edge_ms;        /* the last row before the hour; T_NONE: none */
    int64_t first_reach_ms; /* of the hour's first row: jobrow_reach_ms */
};

void chain_clear(struct chain *chain);

/* The row that row goes on from, for increment_between(); NULL: nothing is known, or
 * increment_before_unknown. */
const struct jobrow *chain_before(const struct chain *chain, const struct jobrow *row);

/* A row that is too old to be found by a reading of row's hour is none to go on from,
 * wherever the reading began. */
bool chain_is_in_reach(const struct jobrow *before, const struct jobrow *row);

/* Is what row adds the same whatever rows lie before those that were added, which were
 * read from from_ms on, with_before?  Called between chain_enter and chain_add. */
bool chain_is_sure(const struct chain *chain, const struct jobrow *row,
                   int64_t from_ms);
/* The same where little is known: own is the newest row of row's server, or NULL;
 * other rows that are not known lie at last_ms or before it, and before own. */
bool chain_is_sure_behind(const struct jobrow *own, int64_t last_ms,
                          const struct jobrow *row);

/* Before chain_before, so that the result does not depend on where the reading began:
 * forget what a reading of rows from an hour before the row's hour on, with_before,
 * would not have seen. */
void chain_enter(struct chain *chain, const struct jobrow *row);

/* From where on rows must be read so that those after from_ms find what they need. */
int64_t chain_from_ms(int64_t from_ms);

/* row is the newest; it is copied. */
void chain_add(struct chain *chain, const struct jobrow *row);

#endif
