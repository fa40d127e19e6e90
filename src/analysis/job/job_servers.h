/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers - what the servers counted of a job, and of everybody else meanwhile.
 *
 *     rows of the job, by target ──┐
 *     rows of all, by target ──────┼─▶ targets of the job, the most contended first
 *     rows of its targets, by job ─┘       who else was there, and how much
 *
 * The tables are what query's "rates" has of one window: from the first reading before
 * the job's first row to its last row, so that no row is divided.  A target is
 * contended where others did at least JOB_SERVERS_CONTENDED_MIN times as much as on the
 * median target of its kind, and at least as much as the job itself: bytes or requests
 * on an OST, requests on an MDT.  An MDT matters only to a run that spent some of its
 * I/O time in metadata.  Of a job without a log nothing shows that it waited: there a
 * target has to stand out from how they differ anyway (JOB_SERVERS_SPREAD_POWER), and
 * the job to have done JOB_SERVERS_PART_MIN of all that was done on it.
 *
 * Threads  none.
 */
#ifndef ANALYSIS_JOB_JOB_SERVERS_H
#define ANALYSIS_JOB_JOB_SERVERS_H

#include "analysis/job/profile.h"
#include "base/arena.h"
#include "base/table/table.h"

#define JOB_SERVERS_CONTENDED_MIN 3.0
/* Where a quarter of the targets have twice the median or more, one with thrice as much
 * is none that stands out: that needs four times. */
#define JOB_SERVERS_SPREAD_POWER 2
/* A fair part of a target's time, below which no job would notice having to wait. */
#define JOB_SERVERS_PART_MIN 0.01
/* Fewer targets of a kind than this have no median that means anything. */
#define JOB_SERVERS_TARGETS_MIN 4
/* What the job did on a target is of no weight below this part of all it did. */
#define JOB_SERVERS_WEIGHT_MIN 0.01
/* Nor is contention for an MDT of weight to a run below this share of time in metadata.
 */
#define JOB_SERVERS_METADATA_MIN 0.1
#define JOB_SERVERS_NEIGHBOURS 3

/* "write_bytes,read_bytes,iops,metadata": the operations that the tables hold. */
extern const char *const job_servers_ops[];
extern const size_t job_servers_op_count;

struct server_flow {
    uint64_t written_bytes;
    uint64_t read_bytes;
    uint64_t requests; /* of reading and writing */
    uint64_t metadata; /* requests */
};

enum server_measure {
    SERVER_BYTES,
    SERVER_REQUESTS,
    SERVER_METADATA,
    SERVER_MEASURES,
};

struct server_neighbour {
    const char *job;  /* NULL: entries that name none */
    const char *user; /* NULL: not known, or several */
    struct server_flow flow;
};

struct server_target {
    const char *name;
    bool is_mdt;
    int index; /* of "scratch-OST001f": 31; -1: the name says none */
    struct server_flow own;
    struct server_flow others;
    enum server_measure measure; /* by which it has the most contention */
    double contention; /* others here, against others on the median target; NaN: no
                        * median, or others did nothing there */
    double threshold;  /* from which on it is contended */
    bool is_contended;
    struct server_neighbour neighbours[JOB_SERVERS_NEIGHBOURS]; /* the biggest first */
    size_t neighbour_count;
};

/* The job's own part over time, for pictures.  0 in a column: they counted nothing
 * there; NaN: it was not observed. */
struct server_steps_row {
    const char *name;
    bool is_mdt;
    double *bytes;    /* columns: read and written, a second */
    double *metadata; /* columns: requests a second */
};

struct server_steps {
    int64_t from_ms, to_ms;        /* of all columns, which are of equal length */
    size_t columns;                /* 0: it was not read */
    struct server_steps_row *rows; /* by name */
    size_t count;
    size_t left_out; /* targets on which the job did less */
};

struct job_servers {
    struct arena arena;
    const char *user; /* NULL: not known */
    const char *fs;   /* likewise */
    int64_t from_ms;
    int64_t to_ms;
    struct server_flow own;            /* on all targets */
    struct server_flow all;            /* everybody, the job as well */
    double median[2][SERVER_MEASURES]; /* of what others did on an OST, on an MDT */
    double spread[2][SERVER_MEASURES]; /* upper quartile of that, by the median */
    size_t kind_count[2];              /* OSTs, MDTs that were seen */
    struct server_target *targets;
    size_t target_count;
    struct server_steps steps;
};

uint64_t server_flow_of(const struct server_flow *flow, enum server_measure measure);

/* own: the job's part by target; all: that of all jobs.  run: of the job's log; NULL:
 * none, then no MDT is contended.  Who is where is left out; the texts are copied.
 * Errors: -EBADMSG (other columns than these), -ENOMEM. */
int job_servers_make(const struct profile *run, const struct table *own,
                     const struct table *all, struct job_servers *ret, struct err *err);
void job_servers_done(struct job_servers *servers);
DEFINE_AUTO_DONE(struct job_servers, job_servers_done);

/* Who else was on the first count targets: rows of everybody there, by target, job and
 * user.  job: whose rows are left out.  Errors: as above. */
int job_servers_add_neighbours(struct job_servers *servers, size_t count,
                               const char *job, const struct table *by_job,
                               struct err *err);

/* What they counted of the bytes that a log has; NaN: it has none, or run is NULL. */
double job_servers_coverage(const struct job_servers *servers,
                            const struct profile *run);

#endif
