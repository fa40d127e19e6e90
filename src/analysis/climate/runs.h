/* SPDX-License-Identifier: Apache-2.0 */
/* runs - observations of alike jobs, out of tables and a mapping.
 *
 *     row ─▶ columns made ─▶ dropped? ─▶ a required one missing? ─▶ set
 *         all rows of a set: performance / its best ─▶ outside of from..to? ─▶ runs
 *
 * The best of a set is looked for before the window is cut out, so that a window does
 * not change what is possible.
 */
#ifndef ANALYSIS_CLIMATE_RUNS_H
#define ANALYSIS_CLIMATE_RUNS_H

#include "analysis/table/table.h"
#include "base/arena.h"

#define RUNS_FAULTS_MAX 10
#define RUNS_WANTED_MAX 2
/* What formulas mean for what baro job summarize writes; as installed. */
#define RUNS_MAP_DEFAULT BARO_DATADIR "/studies/jobs.conf"
#define RUNS_STORED_MAX 20000 /* of a barod's summaries: the newest */

struct run {
    int64_t t_ns;     /* UTC */
    int64_t clock_ns; /* what the site's clock showed */
    double raw;       /* performance as measured */
    double fraction;  /* of the best of its set */
    double best;      /* of its set up to it, itself included: what was known then */
    uint32_t set;
    uint32_t wanted;        /* which of the wanted jobs this is, from 1; 0: none */
    const char *id;         /* "" where unknown */
    uint64_t alike;         /* equal: alike in all counters; 0: a counter is missing */
    const double *measures; /* as many as the mapping has; NaN: missing */
};

struct run_set {
    const char *name;  /* the classes with a blank between */
    const char *group; /* the first class */
    double best;
    size_t first, count; /* in runs, which are ordered by set and time */
};

struct runs_measure { /* what rows had for a measure */
    uint64_t numbers, texts;
    char text[48]; /* the first text, that is no number */
};

struct runs {
    struct arena arena;
    struct run *runs;
    size_t count, capacity;
    struct run_set
        *sets; /* by group and name; sets without a run in the window are not there */
    size_t set_count;
    /* What became of the rows. */
    uint64_t rows, bad_rows, missing_rows, outside_rows;
    uint64_t unjoined[ROW_JOINS_MAX]; /* rows for which a join had none */
    uint64_t dropped[MAPPING_ITEMS_MAX];
    uint64_t drops_by_zero[MAPPING_ITEMS_MAX]; /* rows whose drop divides by zero */
    uint64_t double_values; /* of long tables: given for their run before */
    struct runs_measure measures[MAPPING_ITEMS_MAX];
    char faults[RUNS_FAULTS_MAX][400];
    size_t fault_count;
    /* Why a wanted job is no observation; "": it is. */
    char refused[RUNS_WANTED_MAX][160];
};

/* Jobs to be held against the runs of the tables: each becomes a run of its set, though
 * outside of from..to, but is no part of the set's best; and where a run of its set has
 * its id, that one goes.  What the mapping requires it may lack. */
struct runs_wanted {
    const struct job_row *jobs[RUNS_WANTED_MAX];
    size_t count;
};

/* After each table: how many of them have been read.  fn may be NULL. */
struct runs_progress {
    void (*fn)(void *arg, size_t done, size_t count);
    void *arg;
};

/* Errors: -EINVAL (a formula; a column that is in no file), what the files say. */
int runs_load(const struct mapping *mapping, char *const *paths, size_t path_count,
              struct runs *ret, struct err *err);
/* wanted and progress may be NULL. */
int runs_load_wanted(const struct mapping *mapping, char *const *paths,
                     size_t path_count, const struct runs_wanted *wanted,
                     const struct runs_progress *progress, struct runs *ret,
                     struct err *err);
/* That there is a run.  Errors: -ENODATA (none: err has why). */
int runs_require(const struct mapping *mapping, const struct runs *runs,
                 struct err *err);
void runs_done(struct runs *runs);
DEFINE_AUTO_DONE(struct runs, runs_done);

#endif
