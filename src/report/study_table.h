/* SPDX-License-Identifier: Apache-2.0 */
/* study_table - a study as tables, and its figures as text. */
#ifndef REPORT_STUDY_TABLE_H
#define REPORT_STUDY_TABLE_H

#include "analysis/climate/climate.h"
#include "base/table/table.h"

enum study_part {
    STUDY_SUMMARY,
    STUDY_SETS,
    STUDY_CORRELATIONS,
    STUDY_REGIONS,
    STUDY_CONTRIBUTORS,
    STUDY_EXPECTED,
    STUDY_PARTS,
};

struct study_tables {
    struct table parts[STUDY_PARTS];
};

const char *study_part_name(enum study_part part);

/* Numbers that are unknown are null; what the user must know of rows are notes of the
 * summary.  *ret is the caller's, to study_tables_done().  Errors: -ENOMEM. */
int study_tables_make(const struct study *study, struct study_tables *ret,
                      struct err *err);
void study_tables_done(struct study_tables *tables);
DEFINE_AUTO_DONE(struct study_tables, study_tables_done);

/* Append every figure, "name value", a line each. */
void study_figures_print(const struct study *study, struct strbuf *out);

#endif
