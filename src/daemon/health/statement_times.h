/* SPDX-License-Identifier: Apache-2.0 */
/* statement_times - since when a statement is so, whatever the clock of its sender.
 *
 *     as stated, where that is later than what its source stated before it
 *     else, and where it is of a time to come or of over a week ago: now
 *
 * What a source states counts in the order in which it arrives: a node whose clock is
 * behind is heard.  But the same line sent again, which its sender may do as it did not
 * hear of the first, changes nothing: it is found in the history, and among the last
 * lines whose time was made another.
 *
 * Threads  the writer's.
 */
#ifndef DAEMON_HEALTH_STATEMENT_TIMES_H
#define DAEMON_HEALTH_STATEMENT_TIMES_H

#include "records/records.h"
#include "resource/resource.h"

#define STATEMENT_AGE_NS (7 * 86400 * NS_PER_S)
#define STATEMENTS_MOVED 4096

/* Lines whose time was made another: what they were. */
struct statements_moved {
    uint64_t hashes[STATEMENTS_MOVED];
};

/* Of one batch. */
struct statement_times {
    struct resource_admission *admission;
    struct statements_moved *moved;
    struct records *records;
    struct records_reader *reader; /* opened when it is needed */
    int64_t now_ns;
};

void statement_times_done(struct statement_times *times);
DEFINE_AUTO_DONE(struct statement_times, statement_times_done);

/* Sets t_ns and sent_ns.  Errors: those of reading the history. */
int statement_time_set(struct statement_times *times,
                       struct resource_statement *statement, struct err *err);

#endif
