/* SPDX-License-Identifier: Apache-2.0 */
/* jobrow - one observation of one entry's counters: a row of the tables, and the batch
 * of rows that an agent sends.
 *
 *      time ──▶   since_ms                t_ms
 *                    │◀── the increment ──▶│      raw counters as read at t_ms
 *
 * Counters are raw.  An increment is the difference to the row at previous_ms (or to
 * zero when reset is set), and accrued within (since_ms, t_ms]: since_ms is the last
 * round in which the entry was looked at, previous_ms the last one that made a row.  A
 * row whose predecessor in the table is not at previous_ms follows a lost one.
 */
#ifndef MODEL_JOBROW_H
#define MODEL_JOBROW_H

#include "base/arena.h"
#include "base/uuid.h"
#include "model/entry.h"

enum jobrow_reset {
    RESET_NO,
    RESET_YES,     /* a new generation of the counters began since the previous row: the
                      base is zero */
    RESET_UNKNOWN, /* the sender cannot say (flat form): compare with the neighbour */
};

struct jobrow {
    struct span fs;     /* instance, set by ingest; empty on the agent */
    struct span target; /* "scratch-OST0001" */
    enum target_kind kind;
    struct span entry_id; /* bytes */
    bool id_exact;        /* no '?' can stand for another byte */
    struct span server;   /* who observed it; empty: not said */
    int64_t t_ms;
    int64_t since_ms;    /* T_NONE: nothing is known before */
    int64_t previous_ms; /* T_NONE: no row before, or not said */
    enum jobrow_reset reset;
    int64_t snapshot_ns; /* T_NONE in a zero record */
    int64_t start_ns;
    uint64_t has_samples; /* bit OP_x */
    uint64_t has_sum;
    uint64_t samples[OP_COUNT];
    uint64_t sum[OP_COUNT];
    /* min, max, sumsq, hist and unknown operations as one JSON object, or empty:
     * {"write_bytes":[min,max,sumsq],"newop":{"samples":1,"unit":"reqs",...}}; the form
     * is in doc/formats/jobstats-json.md. */
    struct span more;
};

/* Put one operation as printed into the row: known ones into their columns, what is
 * left over onto more (a strbuf that becomes row->more by jobrow_set_more). */
struct strbuf;
void jobrow_add_op(struct jobrow *row, const struct op_stat *stat, struct strbuf *more);
/* Copy the gathered rest into the arena.  Errors: -ENOMEM. */
int jobrow_set_more(struct jobrow *row, struct strbuf *more, struct arena *arena);

/* Are all counters (samples, sums, unknown ones too) equal? */
bool jobrow_same_counters(const struct jobrow *a, const struct jobrow *b);

/* How far back the row that row goes on from may lie, by what row says: at its
 * previous_ms, or anywhere in its generation, unless it says that its base is zero;
 * t_ms where it says nothing. */
int64_t jobrow_reach_ms(const struct jobrow *row);

#define JOBBATCH_ROWS_MAX 10000

struct jobbatch {
    struct arena arena; /* rows and all their spans */
    bool has_id;        /* agent and sequence were given: sending twice is noticed */
    struct uuid agent;
    uint64_t sequence;
    struct span server;
    struct jobrow *rows; /* room for JOBBATCH_ROWS_MAX, grown in the arena */
    size_t row_count;
    size_t row_capacity;
};

void jobbatch_init(struct jobbatch *batch, size_t bytes_max);
void jobbatch_done(struct jobbatch *batch);
DEFINE_AUTO_DONE(struct jobbatch, jobbatch_done);
/* A new zeroed row with all times T_NONE; NULL when memory or the limit is out. */
struct jobrow *jobbatch_add_row(struct jobbatch *batch);

#endif
