/* SPDX-License-Identifier: Apache-2.0 */
/* weather_report - the weather of a window: tables, and a page in words. */
#ifndef CMD_WEATHER_REPORT_H
#define CMD_WEATHER_REPORT_H

#include "cmd/job_maker.h"
#include "cmd/output.h"

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

/* What a file system that shares a fabric moved; its name is the site file's. */
struct weather_fabric {
    const char *name;
    struct fabric traffic;
};

/* What is known of the window. */
struct weather_report {
    int64_t from_ns, to_ns;
    size_t top; /* rows of targets, fullness, jobs */
    bool has_series, has_health, has_jobs, has_runs;
    struct weather weather;
    struct weather_fabric *fabrics; /* in the order of the site file */
    size_t fabric_count;
    struct health_history health;
    const struct clock_list *clocks;
    const struct job_list *jobs;
    struct job_query query;
    const struct mapping *mapping;
    const struct runs *runs;
    struct table tables[WEATHER_PARTS];
};

const char *weather_part_name(enum weather_part part);

/* The tables out of the rest.  Errors: -ENOMEM. */
int weather_report_make(struct weather_report *report);
void weather_report_done(struct weather_report *report);
DEFINE_AUTO_DONE(struct weather_report, weather_report_done);

/* One page for a person; the tables are made. */
void weather_report_tell(const struct weather_report *report, struct strbuf *out);

#endif
