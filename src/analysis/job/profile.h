/* SPDX-License-Identifier: Apache-2.0 */
/* profile - one Darshan log as a few named numbers: what a job did, and how it went.
 *
 *     LUSTRE records ─▶ targets of files ─┐
 *     MPI-IO, POSIX, STDIO records ───────┴▶ layers, totals ─▶ values[]
 *
 * Time and bytes are those of the outermost interface of each file: what the processes
 * spent in MPI-IO where they reached it through that, else in POSIX, STDIO, DFS or
 * DAOS. Numbers of accesses are those of the one of these that moved most bytes.  What
 * a log does not tell is NaN.
 *
 * Memory   that of the totals (source/darshan); about 50 bytes a file with a layout,
 * for at most PROFILE_FILES_MAX files; about 60 a process (io_time).  Threads  none.
 */
#ifndef ANALYSIS_JOB_PROFILE_H
#define ANALYSIS_JOB_PROFILE_H

#include "analysis/job/io_time.h"
#include "analysis/log/log.h"
#include "base/err.h"
#include "source/darshan/darshan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_FILES_MAX ((size_t)1 << 20)

enum profile_measure {
    PROFILE_PROCESSES,
    PROFILE_BYTES,
    PROFILE_READ_SHARE,
    PROFILE_FILES,
    PROFILE_SHARED_SHARE,
    PROFILE_META_CALLS,
    PROFILE_ACCESS,
    PROFILE_SMALL_SHARE,
    PROFILE_UNALIGNED_SHARE,
    PROFILE_RANDOM_SHARE,
    PROFILE_STDIO_SHARE,
    PROFILE_COLLECTIVE_SHARE,
    PROFILE_STRIPES,
    PROFILE_ONE_STRIPE,
    PROFILE_AMPLIFICATION,
    PROFILE_SLOW_TARGET,
    PROFILE_IMBALANCE,
    PROFILE_SPEED,
    PROFILE_FS_SPEED,
    PROFILE_READ_COST,
    PROFILE_WRITE_COST,
    PROFILE_META_SHARE,
    PROFILE_META_RANK,
    PROFILE_MPI_SHARE,
    PROFILE_STALLS,
    PROFILE_LAYER_FIRST, /* then each figure of each layer: profile_layer() */
    PROFILE_MEASURE_COUNT = PROFILE_LAYER_FIRST + LOG_LAYERS * LAYER_FIGURES,
};

static inline enum profile_measure profile_layer(enum log_layer layer,
                                                 enum layer_figure figure)
{
    return (enum profile_measure)(PROFILE_LAYER_FIRST + layer * LAYER_FIGURES + figure);
}

enum profile_scale {
    PROFILE_RATIO,  /* two of them are compared by their ratio */
    PROFILE_AMOUNT, /* likewise, in all and a process: the smaller difference counts */
    PROFILE_SHARE,  /* 0 .. 1: by their difference */
};

struct profile_term {
    const char *name; /* "access_bytes": of columns */
    const char *label;
    const char *unit;
    const char *family; /* measures that speak of one thing */
    enum profile_scale scale;
    int good;       /* 1: more is better; -1: less is; 0: neither */
    bool is_timed;  /* a matter of clocks: alike runs differ in it */
    bool is_effect; /* how the run went, not what it did */
    int because;    /* the measure that explains this one where both differ; -1: none */
};

struct profile {
    char exe[256];    /* with its arguments; control bytes are '?' */
    char program[64]; /* the last part of its path */
    int64_t jobid;
    int64_t start_s;      /* Unix time, UTC */
    double run_s;         /* NaN: unknown */
    const char *doubt;    /* why its numbers cannot be so; NULL: they can */
    uint64_t suspects;    /* records left out: their bytes or times cannot be so */
    bool has_wrong_sizes; /* its common access sizes are known to be wrong */
    uint64_t accesses;    /* reads and writes: the n of the shares */
    double read_s, write_s, meta_s; /* over all processes, of the outermost interface */
    double mean_s;     /* of a process, likewise; NaN: no number of processes */
    double fs_bytes;   /* as the file system saw them, requested: PROFILE_BYTES; NaN:
                        * records of that are missing */
    bool is_layered;   /* at least one file was reached through MPI-IO */
    const char *lower; /* the module that MPI-IO reached the file system by: "POSIX" */
    const char *accessed;      /* the module that numbers of accesses are of */
    struct slow_target target; /* that of PROFILE_SLOW_TARGET */
    struct target_time targets[IO_TIME_TARGETS_MAX]; /* of files on one target each */
    size_t target_count;
    bool has_osts;                          /* layouts name OSTs of its files: */
    uint8_t osts[SLOW_TARGET_OSTS_MAX / 8]; /* a bit each, see profile_has_ost() */
    double longest_s;                       /* its longest access; NaN: not known */
    int64_t slowest_rank;                   /* -1: unknown */
    double slowest_bytes; /* what it moved, by the mean; NaN: unknown */
    struct cost io;       /* what the slowest process spent in I/O */
    struct mpi_calls mpi; /* what AutoPerf recorded */
    uint64_t layer_records[LOG_LAYERS];
    uint64_t fault_count; /* parts of the log that are missing or damaged */
    struct log_gaps gaps; /* in which modules */
    double values[PROFILE_MEASURE_COUNT];
    struct cost costs[PROFILE_MEASURE_COUNT]; /* of what the values are of */
};

/* Nothing is missing that the log should have. */
static inline bool profile_is_whole(const struct profile *p)
{
    return p->fault_count == 0 && log_gaps_is_whole(&p->gaps);
}

/* Whether a file of the log has a stripe there. */
static inline bool profile_has_ost(const struct profile *p, size_t ost)
{
    return p->osts[ost / 8] >> (ost % 8) & 1;
}

const struct profile_term *profile_term(enum profile_measure measure);

/* A profile on its way: fed by job_log, with layouts first. */
struct profile_reader;

/* What each module's records sum up to; all zero where the log does not have it. */
struct profile_summaries {
    struct darshan_summary posix, stdio, mpiio, dfs, daos;
};

/* job: of the log, which outlives *ret.  *ret is the caller's.  Errors: -ENOMEM. */
int profile_reader_new(const struct darshan_job *job, struct profile_reader **ret);
void profile_reader_free(struct profile_reader *reader);
DEFINE_AUTO(struct profile_reader, profile_reader_free);

/* A record of LUSTRE.  Errors: -ENOMEM. */
int profile_reader_layout(struct profile_reader *reader,
                          const struct darshan_record *record);
/* The module of the records that come next: MPI-IO first, then POSIX and STDIO,
 * then DFS and DAOS, then any others. */
void profile_reader_module(struct profile_reader *reader, enum darshan_module_id id);
/* A record of an interface above these, or of APMPI or APXC: it counts for itself. */
void profile_reader_use(struct profile_reader *reader,
                        const struct darshan_record *record);
/* is_file: it is no standard stream.  Errors: -ENOMEM. */
int profile_reader_add(struct profile_reader *reader,
                       const struct darshan_record *record, bool is_file);
/* fault_count: parts of the log that are missing or damaged; gaps: in which modules.
 * Errors: -ENODATA (no records of POSIX, STDIO, DFS or DAOS), -ENOMEM; then *ret is
 * untouched. */
int profile_reader_end(struct profile_reader *reader,
                       const struct profile_summaries *sums, uint64_t fault_count,
                       const struct log_gaps *gaps, struct profile *ret);

#endif
