/* SPDX-License-Identifier: Apache-2.0 */
/* rounds - when each server was read last, and the window in which all of them were:
 * what "right now" means.
 *
 *     oss01   ──┼────────────┼────────────┼          a row: (since, t] of its target
 *     oss02   ────┼────────────┼────────────┼
 *     oss03   ──┼     no row for longer than two rounds: late
 *                            │◀── window ─▶│
 *
 * A round of a server is the reads of all its targets that belong together: their times
 * differ by less than half the time to the round before.  The window ends where the
 * newest round of the server that is furthest behind was read, late ones left out, and
 * is as long as the longest of these rounds; increments that reach over its edges are
 * apportioned, as in every window.
 *
 * Threads  none inside.  Times are milliseconds since the epoch.
 */
#ifndef QUERY_COUNTERS_ROUNDS_H
#define QUERY_COUNTERS_ROUNDS_H

#include "base/hashmap.h"
#include "base/table/table.h"
#include "query/counters/selection.h"

/* The newest round of one server; all zero: none is known. */
struct round {
    int64_t from_ms;  /* the round before */
    int64_t t_ms;     /* the first read of this one */
    int64_t begin_ms; /* the oldest one that is known of */
};

/* A target of the server was read at t_ms, and before that at since_ms (T_NONE: not
 * known; then nothing follows).  In any order. */
void round_note(struct round *round, int64_t since_ms, int64_t t_ms);
/* The same of a row; zero records are of the round before. */
void round_note_row(struct round *round, const struct jobrow *row);

struct rounds_server {
    char *name;
    struct round round;
    bool is_late;
};

struct rounds {
    struct hashmap by_name; /* name -> index in list */
    struct rounds_server *list;
    size_t count, capacity;
    bool is_whole; /* no row of the newest round is still on its way */
};

void rounds_done(struct rounds *rounds);
DEFINE_AUTO_DONE(struct rounds, rounds_done);

/* What is known of a server, added to what was.  Errors: -ENOMEM. */
int rounds_add(struct rounds *rounds, struct span server, const struct round *round);

/* Where sel has no window of its own: make it the last round of all servers that sel
 * selects, and up to `steps` rounds before for the trend; true.  False, and sel is
 * unchanged: no round is known. */
bool rounds_settle(struct rounds *rounds, struct selection *sel, int64_t steps);

/* A note that names the servers that rounds_settle left out. */
void rounds_note_late(const struct rounds *rounds, struct table *table);

#endif
