/* SPDX-License-Identifier: Apache-2.0 */
/* watch - who does most, read and shown round after round.
 *
 *     read_fn ──rows──▶ observed ──▶ table ──▶ show_fn
 *        ▲                                       │
 *        └────────────── wait_fn ◀───────────────┘
 *
 * Where rows come from, and where the table is shown, is the caller's.
 *
 * Threads  one at a time.
 */
#ifndef CLIENT_WATCH_H
#define CLIENT_WATCH_H

#include "client/args.h"
#include "client/observed.h"

struct watch_opts {
    const struct client_args *args; /* the window and the filters of the table */
    struct observed *observed;
    int64_t interval_ns; /* from the beginning of a round to that of the next */
    uint64_t rounds;     /* 0: until wait_fn ends the watch */
    /* Show the table after each round, not only after the last of `rounds`. */
    bool shows_each_round;

    /* Read all servers once, and add what they have to observed; t_ms stands for the
     * instant of the reads.  A negative return ends the watch and is returned. */
    int (*read_fn)(void *arg, int64_t t_ms, struct err *err);
    /* Show the table; notes may be added to it before.  As read_fn. */
    int (*show_fn)(void *arg, struct table *table, struct err *err);
    /* Sleep; true: the time passed, or the table is to be shown again before; false:
     * the watch ends. */
    bool (*wait_fn)(void *arg, int64_t wait_ms);
    void *arg; /* of the three */
};

/* Watch until `rounds` are over or wait_fn ends it.  Errors: -EINVAL (a value of args),
 * -ENOMEM, what read_fn and show_fn return. */
int watch_run(const struct watch_opts *opts, struct err *err);

#endif
