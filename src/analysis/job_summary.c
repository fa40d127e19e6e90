/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary - all that is known of one job, put together as one row. */
#include "analysis/job_summary.h"

#include <math.h>

const char *job_summary_mount(const struct job_facts *facts)
{
    const struct job_biggest *more =
        facts->write.fs_bytes >= facts->read.fs_bytes ? &facts->write : &facts->read;
    if (!more->fs || strcmp(more->fs, "_unknown") == 0)
        return NULL;
    return more->fs;
}

/* "/global/cscratch1" -> "cscratch1" */
static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && slash[1] ? slash + 1 : path;
}

void job_summary_put(const struct job_summary *summary, struct job_row *row)
{
    const struct job_facts *facts = summary->facts;
    const struct job_weather *weather = &summary->weather;
    struct coverage coverage;
    char jobid[24];
    (void)snprintf(jobid, sizeof jobid, "%lld", (long long)facts->jobid);
    job_row_text(row, "_jobid", jobid);
    job_row_text(row, "_file_system",
                 summary->file_system ? summary->file_system
                                      : last_part(job_summary_mount(facts)));
    job_row_i64(row, "_datetime_start", facts->start_s);
    job_row_i64(row, "_datetime_end", weather->to_s);
    job_row_text(row, "_log", summary->log);
    job_facts_put(facts, row);
    job_weather_put(weather, row);
    job_row_text(row, "fs_source", weather->is_known ? summary->fs_source : NULL);
    const struct job_neighbours *neighbours = &summary->neighbours;
    coverage_make(facts, weather,
                  neighbours->is_known ? neighbours->own_node_hours : NAN,
                  neighbours->is_known ? neighbours->node_hours : NAN, &coverage);
    coverage_put(&coverage, row);
    job_health_put(&summary->health, row);
    job_neighbours_put(neighbours, row);
    job_topology_put(&summary->topology, row);
}
