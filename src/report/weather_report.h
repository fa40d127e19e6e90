/* SPDX-License-Identifier: Apache-2.0 */
/* weather_report - the weather of a window: tables, and a page of text.
 *
 *     typed results of analysis ─▶ tables (for programs) ─▶ page (for people)
 *
 * Where the data came from is the caller's business.
 */
#ifndef REPORT_WEATHER_REPORT_H
#define REPORT_WEATHER_REPORT_H

#include "analysis/job/job.h"
#include "base/table/table.h"

enum weather_part {
    WEATHER_FLOWS,
    WEATHER_TARGETS,
    WEATHER_FABRICS,
    WEATHER_FULLNESS,
    WEATHER_SERVERS,
    WEATHER_MOVES,
    WEATHER_JOBS,
    WEATHER_RUNS,
    WEATHER_USUAL_PART,
    WEATHER_PARTS,
};

struct weather_report {
    const struct window_context *window; /* the caller's, which outlives it */
    size_t top;                          /* rows of targets, fullness, jobs */
    struct table tables[WEATHER_PARTS];
};

/* "flows", "targets" ... */
const char *weather_part_name(enum weather_part part);

/* Tables of what is known of a window.  *ret is to be done with, after a failure, too.
 * Errors: -ENOMEM. */
int weather_report_make(const struct window_context *window, size_t top,
                        struct weather_report *ret);
void weather_report_done(struct weather_report *report);
DEFINE_AUTO_DONE(struct weather_report, weather_report_done);

/* The tables with their names, of WEATHER_PARTS; valid as long as the report. */
struct table_part;
void weather_report_parts(const struct weather_report *report, struct table_part *ret);

/* Append one page for a person, once the tables are filled. */
void weather_text_print(const struct weather_report *report, struct strbuf *out);

#endif
