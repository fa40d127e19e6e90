/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - the thread of the daemon that makes hourly roll-ups.
 *
 *     every minute: hours that are over and not clean, the newest first
 *        ─▶ begin each ─▶ read their rows ─▶ cells, 500 at a time ─▶ end each
 *
 * It has connections of its own, runs at a low priority, and rests after each write as
 * long as the write took: SQLite has one writer at a time, and rows go first.
 */
#ifndef DAEMON_ROLLUP_H
#define DAEMON_ROLLUP_H

#include "records/records.h"

struct rollup_worker;

struct rollup_worker_opts {
    struct records *records;
    int64_t every_ms;     /* how often it looks */
    int64_t retention_ms; /* how long cells are kept */
};

struct rollup_worker_stats {
    uint64_t hours; /* made clean, anew as well */
    uint64_t cells;
    uint64_t stale; /* hours given up because rows came for them meanwhile */
    uint64_t errors;
    uint64_t dropped; /* hours, by age */
    uint64_t backlog; /* hours to be made when it last looked */
    uint64_t busy_ms; /* processor time */
};

/* records must outlive it.  Errors: -ENOMEM, -EAGAIN (no thread). */
int rollup_worker_start(const struct rollup_worker_opts *opts,
                        struct rollup_worker **ret, struct err *err);
/* Ends at the next cell. */
void rollup_worker_free(struct rollup_worker *worker);
void rollup_worker_stats(const struct rollup_worker *worker,
                         struct rollup_worker_stats *ret);

#endif
