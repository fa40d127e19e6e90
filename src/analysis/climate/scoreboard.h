/* SPDX-License-Identifier: Apache-2.0 */
/* scoreboard - who, or what, made how much of all there was.
 *
 *     rows ─▶ a name by each board's formula ─▶ sums of each score, a line a name
 *
 * A score that a row lacks adds nothing, and is counted; a row without a name for a
 * board has no part in that board, and is counted.
 *
 * Memory   a line for each name, at most SCOREBOARD_NAMES_MAX a board; the rows of
 * further names come together in one line "(others)".
 */
#ifndef ANALYSIS_CLIMATE_SCOREBOARD_H
#define ANALYSIS_CLIMATE_SCOREBOARD_H

#include "analysis/table/table.h"
#include "base/arena.h"

#define SCOREBOARD_TERMS_MAX 8
#define SCOREBOARD_NAMES_MAX ((size_t)1 << 20)
#define SCOREBOARD_FAULTS_MAX 10

struct scoreboard_term {
    const char *name;
    const char *formula;
};

struct scoreboard_opts {
    const struct mapping_items *columns; /* made ones, that formulas may use */
    const struct sheet *form;            /* of the tables; NULL: the default */
    struct scoreboard_term boards[SCOREBOARD_TERMS_MAX];
    size_t board_count;
    struct scoreboard_term scores[SCOREBOARD_TERMS_MAX];
    size_t score_count;
    size_t order;                /* the score by which lines are ordered */
    size_t top;                  /* lines of each board; 0: all */
    struct config_list optional; /* columns that no table need have */
};

struct scoreboard_line {
    const char *name;
    uint64_t runs;
    double scores[SCOREBOARD_TERMS_MAX]; /* as many as score_count */
};

struct scoreboard_board {
    const char *name;
    struct scoreboard_line *lines; /* the largest first */
    size_t count;                  /* of them, at most opts.top */
    size_t more;                   /* lines that were cut */
    uint64_t nameless;             /* rows without a name */
};

struct scoreboard {
    struct arena arena;
    struct scoreboard_board boards[SCOREBOARD_TERMS_MAX];
    size_t board_count;
    const char *scores[SCOREBOARD_TERMS_MAX]; /* their names */
    uint64_t lacking[SCOREBOARD_TERMS_MAX];   /* rows without the score */
    size_t score_count;
    size_t order;               /* the score that orders lines */
    struct scoreboard_line all; /* of all rows together; without a name */
    const char *faults[SCOREBOARD_FAULTS_MAX]; /* the first bad rows: where and what */
    uint64_t fault_count;                      /* all of them */
};

/* The share of a line in the score that orders; NaN where all have none. */
double scoreboard_share(const struct scoreboard *scoreboard,
                        const struct scoreboard_line *line);

/* opts must outlive *ret, which is the caller's, to scoreboard_done().
 * Errors: those of the tables, -EINVAL (a formula, a column that no table has),
 * -ENOMEM. */
int scoreboard_make(const struct scoreboard_opts *opts, char *const *paths,
                    size_t path_count, struct scoreboard *ret, struct err *err);
void scoreboard_done(struct scoreboard *scoreboard);
DEFINE_AUTO_DONE(struct scoreboard, scoreboard_done);

#endif
