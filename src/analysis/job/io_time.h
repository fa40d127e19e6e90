/* SPDX-License-Identifier: Apache-2.0 */
/* io_time - how many seconds of a run went into I/O, and what each kind of it cost.
 *
 *     records ─▶ each process's time in its own files ─┐
 *             └▶ sums of files that processes share ───┴▶ the slowest process ─▶ costs
 *
 * A run is taken to wait for its slowest process: what it spent in I/O is what the run
 * spent, and a cost is by how much less that would have been.  Of files of one process
 * each that is known; of shared ones a log has a sum over all processes, and which was
 * the slowest and how long that took.
 *
 * What small, unaligned and backward accesses would have taken otherwise is in no log:
 * they cost at most all their time, and the least is 0.
 *
 * Memory   one entry a process that has files of its own, IO_TIME_PROCESSES_MAX of them
 * at most; beyond, times are counted as of a shared file.  Threads  none.
 */
#ifndef ANALYSIS_JOB_IO_TIME_H
#define ANALYSIS_JOB_IO_TIME_H

#include "analysis/job/cost.h"
#include "analysis/log/log.h"
#include "base/hashmap.h"

#define IO_TIME_PROCESSES_MAX ((size_t)1 << 20)
#define IO_TIME_TARGETS_MAX 64
#define IO_TIME_SLOW_MIN 2.0 /* times the mean: a process that is slow */

enum access_kind {
    ACCESS_SMALL,
    ACCESS_UNALIGNED,
    ACCESS_RANDOM,
    ACCESS_ONE_STRIPE, /* collective, in a file on one target */
    ACCESS_KINDS,
};

/* One record: a process's work in a file, or that of all (rank -1). */
struct io_record {
    int64_t rank;
    double move_s;    /* reading and writing; of a shared file the sum over processes */
    double meta_s;    /* likewise */
    double slowest_s; /* of a shared file: its slowest process; 0: unknown */
    int64_t slowest_rank;        /* which; -1: unknown */
    double bytes;                /* read and written */
    double slowest_bytes;        /* of slowest_rank; 0: unknown */
    double shares[ACCESS_KINDS]; /* of its accesses; NaN: unknown */
};

struct process_time {
    int64_t rank;
    double io_s;     /* moving and metadata */
    double shared_s; /* in shared files of which it was the slowest */
    double bytes;    /* in its own files, and in those */
    double meta_s;
    double shared_meta_s;        /* of shared_s at least: the rest may be moving */
    double kind_s[ACCESS_KINDS]; /* moving, in files with such accesses */
};

struct io_time {
    struct hashmap map; /* rank -> 1 + place in own */
    struct process_time *own;
    size_t count, capacity;
    double total_s; /* of all processes in all files */
    double total_bytes;
    double meta_s; /* likewise */
    /* Of shared files: over all processes, and of the slowest of each file. */
    struct process_time sum, slowest;
    bool is_mixed[ACCESS_KINDS]; /* other accesses went to the same files */
};

struct io_costs {
    struct cost io;       /* not a cost: what the slowest process spent in I/O */
    int64_t slowest_rank; /* that one, as far as it is known; -1: it is not */
    struct cost meta, access[ACCESS_KINDS], imbalance;
    double mean_s;        /* of all processes; may pass the run, of threads */
    double slowest_bytes; /* what slowest_rank moved, by the mean; NaN: not known */
    double slowest_meta;  /* what of slowest_rank's time was metadata; NaN: not known */
    double balance; /* the slowest, as far as it is known, by the mean; NaN: no I/O */
};

/* The most that a process spent in files on one target. */
struct target_time {
    int32_t ost;
    double most_s;
};

void io_time_done(struct io_time *t);
DEFINE_AUTO_DONE(struct io_time, io_time_done);

/* *ret_process: where the process stands, for slow_target; UINT32_MAX: it has none. */
int io_time_add(struct io_time *t, const struct io_record *record,
                uint32_t *ret_process);

/* What else is known of a run. */
struct io_run {
    double processes; /* also those without I/O; NaN: unknown */
    double run_s;
    double needed_meta; /* 0 .. 1: the share of metadata that cannot be spared */
};

/* Errors: -ENOMEM. */
int io_time_costs(const struct io_time *t, const struct io_run *run,
                  struct io_costs *ret);
/* files: those that slow_target_find() was given.  Errors: -ENOMEM. */
int io_time_target(const struct io_time *t, const struct target_file *files,
                   size_t count, const struct slow_target *target, double run_s,
                   struct cost *ret);
/* Of the targets that took longest; returns how many.  Orders the files.
 * Errors: -ENOMEM. */
int io_time_targets(struct target_file *files, size_t count,
                    struct target_time ret[static IO_TIME_TARGETS_MAX]);

#endif
