/* SPDX-License-Identifier: Apache-2.0 */
/* tally - a scoreboard: who, or what, made how much of all there was.
 *
 *     rows ─▶ a name by each board's formula ─▶ sums of each score, a line a name
 *
 * A score that a row lacks adds nothing, and is counted; a row without a name for a
 * board has no part in that board, and is counted.
 *
 * Memory   a line for each name, at most TALLY_NAMES_MAX a board; the rows of further
 * names come together in one line "(others)".
 */
#ifndef ANALYSIS_CLIMATE_TALLY_H
#define ANALYSIS_CLIMATE_TALLY_H

#include "analysis/table/table.h"
#include "base/table/table.h"

#define TALLY_TERMS_MAX 8
#define TALLY_NAMES_MAX ((size_t)1 << 20)

struct tally_term {
    const char *name;
    const char *formula;
};

struct tally_opts {
    const struct mapping_items *columns; /* made ones, that formulas may use */
    const struct sheet *form;            /* of the tables; NULL: the default */
    struct tally_term boards[TALLY_TERMS_MAX];
    size_t board_count;
    struct tally_term scores[TALLY_TERMS_MAX];
    size_t score_count;
    size_t order;                /* the score by which lines are ordered */
    size_t top;                  /* lines of each board; 0: all */
    struct config_list optional; /* columns that no table need have */
};

/* A row a board and name, the largest first: board, name, runs, its share of the score
 * that orders, the scores.  Errors: what the tables say, -EINVAL (a formula, a column
 * that no table has), -ENOMEM. */
int tally_make(const struct tally_opts *opts, char *const *paths, size_t path_count,
               struct table *ret, struct err *err);

#endif
