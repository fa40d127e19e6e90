/* SPDX-License-Identifier: Apache-2.0 */
/* health_history - how file systems' targets were over a window: full, and served by
 * whom.
 *
 * Out of kept readings of `lfs df` and `lctl dl -t` (source/health): the last before
 * the window says how it began, those in it what changed.
 */
#ifndef ANALYSIS_HEALTH_HISTORY_H
#define ANALYSIS_HEALTH_HISTORY_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/table/table.h"

#include <stdint.h>

#define HEALTH_MOVES_MAX 1000

struct health_full {
    const char *name; /* "snx11035-OST0014" */
    double pct;
    int64_t t_ns; /* when it was read */
};

struct health_move {
    const char *target;
    const char *from, *to; /* servers, by NID */
    int64_t t_ns;          /* of the first reading that says so */
};

struct health_server_now {
    const char *fs;
    const char *nid;
    size_t targets, usual;
};

struct health_history {
    struct arena arena;
    struct health_full *full; /* at the end of the window, the fullest first */
    size_t full_count;
    struct health_move *moves; /* in the order of time */
    size_t move_count;
    uint64_t moves_left_out;
    struct health_server_now *servers; /* with more or fewer targets than usual, then */
    size_t server_count;
    uint64_t readings;        /* that were looked at */
    uint64_t server_readings; /* of those: that name servers of targets */
};

/* texts: whole files.  Readings without a time say nothing.  A reading older than
 * age_max_ns before the window says nothing of it.
 * Errors: -ENOMEM. */
int health_history_read(const struct span *texts, size_t count, int64_t from_ns,
                        int64_t to_ns, int64_t age_max_ns, struct health_history *ret);
/* Likewise of a table of readings, such as a barod has.  Errors: -EBADMSG (it has not
 * their columns), -ENOMEM. */
int health_history_of_readings(const struct table *table, int64_t from_ns,
                               int64_t to_ns, int64_t age_max_ns,
                               struct health_history *ret);
/* Add to all times. */
void health_history_shift(struct health_history *history, int64_t offset_ns);
void health_history_done(struct health_history *history);
DEFINE_AUTO_DONE(struct health_history, health_history_done);

#endif
