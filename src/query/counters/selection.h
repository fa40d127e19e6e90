/* SPDX-License-Identifier: Apache-2.0 */
/* selection - what a query is about: which series, which operations, groups, window.
 *
 * One noun for every command and route: it is filled from pairs of name and value, the
 * same on the command line and in a query string.
 *
 *     fs target server job user group node executable entry id   which series
 *     op=write_bytes,metadata     what is added up (query/measure.h); all: each of them
 *     by=job,target               how it is grouped; by=op gives each operation a row
 *     from to last step           when: (from, to], cut in windows of step;
 * last=rounds: the last round of all servers (query/counters/rounds) limit how many
 * rows at most
 *
 * Times are milliseconds since the epoch.
 */
#ifndef QUERY_COUNTERS_SELECTION_H
#define QUERY_COUNTERS_SELECTION_H

#include "base/arena.h"
#include "base/system/budget.h"
#include "query/counters/measure.h"
#include "records/records.h"

enum dim {
    DIM_FS,
    DIM_TARGET,
    DIM_SERVER,
    DIM_JOB,
    DIM_USER,
    DIM_GROUP,
    DIM_NODE,
    DIM_EXECUTABLE,
    DIM_TEXT_COUNT,
    DIM_OP = DIM_TEXT_COUNT,
    DIM_COUNT,
};

const char *dim_name(enum dim dim);
int dim_parse(struct span name, enum dim *ret); /* -EINVAL */
/* What series says of dim; data NULL: nothing.  Not for DIM_SERVER and DIM_OP. */
struct span dim_of_series(enum dim dim, const struct series *series);

#define SELECTION_STEPS_MAX 10000
#define SELECTION_LIMIT_MAX 1000000

struct selection {
    struct arena arena;          /* the texts */
    struct hostset *nodes;       /* of the filter, where it is a set; owned */
    struct series_filter filter; /* limit is not used */
    struct span server;          /* data NULL: any */
    enum dim by[DIM_COUNT];
    size_t by_count;
    bool by_op;  /* DIM_OP is in by, which does not hold it */
    bool has_by; /* it was said, perhaps as nothing */
    struct measure measures[MEASURES_MAX];
    size_t measure_count;
    bool has_ops;          /* they were requested, not filled in */
    int64_t now_ms;        /* what relative times are relative to */
    int64_t from_ms;       /* T_NONE until given or settled */
    int64_t to_ms;         /* likewise */
    bool from_is_relative; /* given as a distance to now_ms; likewise to */
    bool to_is_relative;
    int64_t last_ms;     /* 0: not given */
    bool last_is_rounds; /* last=rounds: the last round of all servers */
    /* Rates and totals are of so much at the window's end, a step, the steps before are
     * for the trend; 0: of all of it. */
    int64_t rated_ms;
    int64_t step_ms;     /* 0: one window */
    int64_t skew_ms;     /* how much shorter the first step is */
    int64_t lookback_ms; /* how far before to_ms activity is followed; 0: not at all */
    int64_t
        not_before_ms; /* nothing before it is read, whatever was given; 0: all is */
    size_t limit;      /* 0: not given */
    bool is_sums; /* only sums by group are of use: no notes, no names beside them */
    bool density; /* count groups by their rate instead of listing them */
    /* Where what the question holds is charged; NULL: nowhere. */
    struct budget_hold *hold;
    struct uuid id;
};

void selection_init(struct selection *sel, int64_t now_ms);
void selection_done(struct selection *sel);
DEFINE_AUTO_DONE(struct selection, selection_done);

/* Set one parameter from its text, as an URL or an option has it.  Texts are copied.
 * Errors: -EINVAL (an unknown name, or a value that does not fit), -ENOMEM. */
int selection_set(struct selection *sel, struct span name, struct span value,
                  struct err *err);
/* "job,target": how it is grouped; "" is one group.  Errors: -EINVAL, -ENOMEM. */
int selection_set_by(struct selection *sel, struct span value, struct err *err);
/* "open,write_bytes": added to the operations there are.  Errors: -EINVAL, -ENOMEM. */
int selection_set_ops(struct selection *sel, struct span value, struct err *err);

/* name is constant; value is valid until fn returns, and ends in NUL. */
typedef void selection_param_fn(void *arg, const char *name, struct span value);

/* Give fn each parameter that was given before the selection was settled: set again
 * they make the same selection.  A time relative to now stays relative, so that the
 * clock of the reader counts.  Errors: -ENOMEM. */
int selection_params(const struct selection *sel, selection_param_fn *fn, void *arg);

/* What a command fills in where nothing was said. */
struct selection_defaults {
    const char *ops; /* "write_bytes,read_bytes,metadata" */
    const char *by;  /* "" for one group of everything */
    int64_t last_ms;
    int64_t lookback_ms;
    size_t limit;
};

/* Fill in, settle the window and check it all.  latest_ms: the newest observation, at
 * which "the last ten minutes" end when it is older than now; T_NONE: not known.
 * Errors: -EINVAL, -ENOMEM. */
int selection_settle(struct selection *sel, const struct selection_defaults *defaults,
                     int64_t latest_ms, struct err *err);

/* Cut the settled window in about count steps.  Where they are half an hour or more
 * they are whole hours and end on whole hours, so that roll-ups fit into them; the
 * first and the last one are shorter then. */
void selection_cut(struct selection *sel, int64_t count);

/* Windows of the settled selection: (from + i * step, from + (i + 1) * step], less the
 * skew. */
size_t selection_steps(const struct selection *sel);

static inline int64_t selection_step_from(const struct selection *sel, size_t step)
{
    if (step == 0)
        return sel->from_ms;
    return sel->from_ms - sel->skew_ms + (int64_t)step * sel->step_ms;
}

static inline int64_t selection_step_to(const struct selection *sel, size_t step)
{
    if (sel->step_ms == 0)
        return sel->to_ms;
    int64_t to = sel->from_ms - sel->skew_ms + (int64_t)(step + 1) * sel->step_ms;
    return to < sel->to_ms ? to : sel->to_ms;
}

/* Where what rates and totals are of begins. */
int64_t selection_rated_from_ms(const struct selection *sel);

/* In which of them t_ms lies. */
size_t selection_step_of(const struct selection *sel, int64_t t_ms);

/* The earliest time of which increments are wanted. */
int64_t selection_reach_ms(const struct selection *sel);
/* From when on activity is followed: of a long window only the last hours, because
 * that takes each row. */
#define SELECTION_FOLLOW_MS INT64_C(10800000)
int64_t selection_follow_ms(const struct selection *sel);

bool selection_has(const struct selection *sel, const struct series *series);
/* Does the filter name anything at all? */
bool selection_is_open(const struct selection *sel);

#endif
