/* SPDX-License-Identifier: Apache-2.0 */
/* weather_report - the weather of a window: tables, and a page of text.
 *
 *     typed results of analysis ─▶ tables (for programs) ─▶ page (for people)
 *
 * Where the data came from is the caller's business.
 */
#ifndef REPORT_WEATHER_REPORT_H
#define REPORT_WEATHER_REPORT_H

#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/weather/weather.h"
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
    WEATHER_PARTS,
};

/* What is known of the window.  Texts are those of the inputs, which outlive it. */
struct weather_report {
    int64_t from_ns, to_ns;
    size_t top; /* rows of targets, fullness, jobs */
    bool has_series, has_health, has_jobs, has_runs;
    struct weather weather;
    struct fabric_filesystem *fabrics; /* in the order of the site file */
    size_t fabric_count;
    struct health_history health;
    const char *clocks; /* corrections, "series=-30s"; NULL: none */
    struct window_jobs jobs;
    struct window_runs runs;
    struct table tables[WEATHER_PARTS];
};

/* "flows", "targets" ... */
const char *weather_part_name(enum weather_part part);

/* Fill the tables out of the rest.  Errors: -ENOMEM. */
int weather_report_make(struct weather_report *report);
/* Also one that is filled in part, of zeros else. */
void weather_report_done(struct weather_report *report);
DEFINE_AUTO_DONE(struct weather_report, weather_report_done);

/* Append one page for a person, once the tables are filled. */
void weather_text_print(const struct weather_report *report, struct strbuf *out);

#endif
