/* SPDX-License-Identifier: Apache-2.0 */
/* run - one probe, done: a phase of writing, a phase of reading, each measured.
 *
 *     open │ barrier │ transfers … sync │ close │ barrier        in every process
 *
 * What a process reads another has written (rank + 1), so that no node's own cache
 * answers; every byte is checked.  Time that goes into making and checking data is not
 * counted as the file system's.
 */
#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include "base/err.h"
#include "probe/interface.h"
#include "probe/shape.h"
#include "probe/workers.h"

#define RUN_PATH_MAX 4096
#define RUN_TEXT_MAX 512
#define RUN_HOST_MAX 256

struct run_opts {
    const struct shape *shape;
    const struct interface *interface;
    const char *dir;          /* where the files are made; it is there already */
    uint64_t items;           /* of each process */
    uint64_t key;             /* of the pattern: another for each run */
    int64_t deadline_ns;      /* clock_monotonic_ns; 0: none */
    int64_t pause_ns;         /* between writing and reading, for caches to empty */
    const char *log_stem;     /* of the log of each process; NULL: there are none */
    volatile const int *stop; /* not 0: no longer; NULL: never */
};

/* What one process did in one phase.  Times are of calls, in nanoseconds. */
struct run_rank {
    uint64_t bytes, transfers, opens;
    int64_t open_ns, transfer_ns, sync_ns, close_ns;
    int64_t first_ns, last_ns; /* clock_monotonic_ns: from the barrier to its end */
    uint64_t bad_transfers;    /* read, and not what was written */
    uint64_t first_bad_offset;
    uint64_t first_bad_file;
    int64_t pid;
    char host[RUN_HOST_MAX]; /* where it ran */
    bool is_logged;          /* libdarshan wrote a log of it (darshan_log.h) */
    int error;               /* -errno, and where */
    char text[RUN_TEXT_MAX];
};

struct run_phase {
    enum shape_phase phase;
    bool is_done;
    unsigned count; /* of processes */
    struct run_rank *ranks;
    int64_t start_ns;   /* time of day */
    int64_t wall_ns;    /* from the first to leave the barrier to the last to end */
    int64_t slowest_ns; /* largest sum of calls of one process */
    uint64_t bytes, transfers, opens, files, bad_transfers;
};

struct run_result {
    struct run_phase phases[2]; /* by enum shape_phase */
};

/* Does all of it, and removes the files at the leader, also after an error.  ret is
 * filled as far as it came; run_result_done() it in any case.
 * Errors: those of workers_run, -EBADMSG (read back wrong), what a process met first.
 */
int run_probe(const struct run_opts *opts, struct workers *workers,
              struct run_result *ret, struct err *err);
void run_result_done(struct run_result *result);

#endif
