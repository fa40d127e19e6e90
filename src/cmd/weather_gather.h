/* SPDX-License-Identifier: Apache-2.0 */
/* weather_gather - what is known of a window: series, fabrics, health, jobs, runs. */
#ifndef CMD_WEATHER_GATHER_H
#define CMD_WEATHER_GATHER_H

#include "client/climate/climate.h"
#include "client/job/job.h"
#include "client/series/series.h"
#include "report/report.h"

struct weather_args {
    struct job_sources_opts maker;
    struct option_list climate;
    const char *map;
    const char *filesystem;
    const char *svg;
    uint64_t top;
    struct table_parts_args parts;
};

struct weather_gathered {
    const struct weather_args *args;
    struct job_sources maker;
    struct weather_series series;
    struct climate_runs climate;
    struct strbuf clocks; /* of the report */
    struct weather_report report;
};

/* operands: FROM and TO.  After a failure, too, *a is to be done with.  Errors: -EINVAL
 * (times, options), what reading says. */
int weather_gather(struct weather_gathered *a, char **operands, struct err *err);
void weather_gathered_done(struct weather_gathered *a);

#endif
