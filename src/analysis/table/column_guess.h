/* SPDX-License-Identifier: Apache-2.0 */
/* column_guess - what a column of an undescribed table holds: numbers, texts or times,
 * and in which form. */
#ifndef ANALYSIS_TABLE_COLUMN_GUESS_H
#define ANALYSIS_TABLE_COLUMN_GUESS_H

#include "analysis/table/preview.h"
#include "analysis/table/time_form.h"

enum column_kind { COLUMN_EMPTY, COLUMN_NUMBER, COLUMN_TEXT };

struct column_guess {
    struct span name;
    enum column_kind kind;
    const char *function; /* that makes a number of its texts; NULL: none need */
    bool is_rate;         /* its texts end in "/s" */
    size_t there, distinct;
    bool is_rising;          /* never falls from row to row */
    bool is_whole;           /* numbers without decimals */
    bool is_direction;       /* each text is a reading or a writing */
    double least, most;      /* of numbers */
    struct span first;       /* what the first row that has it says */
    const char *time_format; /* of times; "": none need be said; NULL: no time */
    bool wants_zone;
    bool has_no_day; /* the first day of its month, or of its year */
    bool is_used;
};

void column_guess(const struct table_preview *preview, size_t index,
                  struct column_guess *ret);
/* How many fields of the column a form reads; 0 where one in twenty cannot be read. */
size_t column_times_count(const struct table_preview *preview, size_t index,
                          const struct time_form *form);

#endif
