/* SPDX-License-Identifier: Apache-2.0 */
/* job_summary - all that is known of one job, put together as one row. */
#include "analysis/job/job_summary.h"

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

static void put_count(struct job_row *row, const char *name, uint64_t count)
{
    if (count > 0)
        job_row_i64(row, name, (int64_t)count);
    else
        job_row_missing(row, name);
}

/* A job's speed may be over 1 of the peak: it was cached, or the peak is a guess. */
static void site_put(const struct job_site *site, const struct job_facts *facts,
                     struct job_row *row)
{
    const double mib = 1024 * 1024;
    bool has_peak = site->peak_bytes_per_s > 0;
    job_row_double(row, "site_peak_bytes_per_sec",
                   has_peak ? site->peak_bytes_per_s : NAN);
    job_row_double(row, "site_fraction_of_peak",
                   has_peak ? facts->posix_mib_per_s * mib / site->peak_bytes_per_s
                            : NAN);
    put_count(row, "site_servers", site->servers);
    put_count(row, "site_targets", site->targets);
    put_count(row, "site_io_nodes", site->io_nodes);
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
                 summary->site.name ? summary->site.name
                                    : last_part(job_summary_mount(facts)));
    job_row_i64(row, "_datetime_start", facts->start_s);
    job_row_i64(row, "_datetime_end", weather->to_s);
    job_row_text(row, "_log", summary->log);
    job_facts_put(facts, row);
    job_weather_put(weather, row);
    job_row_text(row, "fs_source", weather->is_known ? summary->fs_source : NULL);
    job_row_text(row, "fs_series", weather->is_known ? summary->fs_series : NULL);
    const struct job_neighbours *neighbours = &summary->neighbours;
    coverage_make(facts, weather,
                  neighbours->is_known ? neighbours->own_node_hours : NAN,
                  neighbours->is_known ? neighbours->node_hours : NAN, &coverage);
    coverage_put(&coverage, row);
    job_health_put(&summary->health, row);
    job_neighbours_put(neighbours, row);
    job_topology_put(&summary->topology, row);
    site_put(&summary->site, facts, row);
    fabric_put(&summary->fabric, row);
    job_row_text(row, "clocks_corrected", summary->clocks);
}
