/* SPDX-License-Identifier: Apache-2.0 */
/* gather - one job, or a pair, with what was around them and their class. */
#include "client/job/gather.h"

#include "base/number.h"
#include "client/client.h"
#include "client/climate/climate.h"
#include "client/series/series.h"

#include <math.h>

#define CLOCK_PART_MIN 0.5 /* of the bytes there, for a job to tell of clocks */

/* Whether anything is named that a context is built from anew. */
static bool is_built(const struct job_sources_opts *opts)
{
    return opts->series.count + opts->health.count + opts->jobs.count > 0 || opts->site;
}

/* ---- the runs to compare with ---- */

/* What baro job summarize submitted to a barod has columns that the installed mapping
 * knows. */
static int climate_find(const struct job_gather_args *args, bool is_stored,
                        struct job_climate_names *ret, struct err *err)
{
    static const char *const barod[] = { "barod" };
    bool is_served = args->climate.count > 0;
    *ret = (struct job_climate_names){ args->climate.items, args->climate.count,
                                       args->map };
    for (size_t i = 0; i < args->climate.count; i++)
        is_served = is_served && client_endpoint_is_server(args->climate.items[i]);
    if (args->climate.count == 0 && is_stored &&
        (args->map || (args->map_default && access(args->map_default, R_OK) == 0)))
        *ret = (struct job_climate_names){ barod, 1, args->map };
    if (!ret->map && ret->count > 0 && (is_served || ret->tables == barod))
        ret->map = args->map_default;
    if ((ret->count > 0) != (ret->map != NULL))
        return err_set(err, EINVAL, "--climate and --map go together");
    return 0;
}

/* ---- clocks ---- */

/* One job alone shows by its shape where it may be, and another user's burst has the
 * shape of its own: an offset is reported only where most of what the servers moved
 * there may have been the job's. */
static bool is_its_own(struct job_sources *sources, const struct job_comparison *c,
                       struct series_request whose)
{
    const struct job_facts *facts = &c->jobs[0].facts;
    double bytes = job_context_bytes(&c->jobs[0]);
    if (isnan(bytes) || facts->start_s == JOB_I64_NONE || facts->end_s == JOB_I64_NONE)
        return false;
    whose.from_s = facts->start_s + c->clock.offset_s;
    whose.to_s = facts->end_s + c->clock.offset_s + c->clock_step_s;
    double part = clock_guess_part(&sources->shelf, &whose, bytes);
    return part >= CLOCK_PART_MIN && part <= COVERAGE_MAX;
}

/* An estimate is reported, never used (doc/decisions/0153): what is in the way of it is
 * no failure. */
static void clock_compare(struct job_sources *sources, struct job_log *log,
                          struct job_comparison *c)
{
    AUTO(clock_estimate_done) struct clock_estimate estimate = { 0 };
    const char *name = c->jobs[0].identity.file_system;
    struct series_request whose = { .scope = SERIES_SCOPE_OWN };
    if (sources->site && name)
        whose.owner = site_file_named(sources->site, name);
    if (!whose.owner)
        whose.fs_guess = name;
    c->clock_step_s = clock_guess_step(&sources->shelf, &whose);
    if (c->clock_step_s == 0 ||
        clock_estimate_init(&estimate, c->clock_step_s, CLOCK_GUESS_REACH_S) < 0)
        return;
    if (clock_guess_add(&estimate, &sources->shelf, &whose, log, NULL) == 0 &&
        clock_estimate_get(&estimate, &c->clock) == 0 && c->clock.is_clear &&
        llabs(c->clock.offset_s) > c->clock_step_s)
        c->has_clock = is_its_own(sources, c, whose);
}

/* ---- all of it ---- */

static int context_read(const struct job_gather_args *args, struct job_sources *sources,
                        const struct job_operand *job, struct job_comparison *c,
                        struct err *err)
{
    struct job_context *context = &c->jobs[c->count++];
    job_context_init(context);
    if (job->is_stored && !is_built(&args->sources))
        return job_context_copy(&job->stored, context) < 0
                   ? err_set(err, ENOMEM, "out of memory")
                   : 0;
    if (!job->is_readable)
        return err_set(err, ENOENT, "the log %s cannot be read here",
                       job->log ? job->log : "of it");
    int rc = job_context_copy(&job->of_log, context);
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    return err_prefix(err, job_build_around(&sources->inputs, context, err), "%s",
                      job->log);
}

int job_gather(const struct job_gather_args *args, const struct job_operand *jobs,
               size_t count, struct job_gather *gather, struct job_comparison *ret,
               struct err *err)
{
    struct job_sources *sources = &gather->sources;
    bool is_stored = false;
    for (size_t i = 0; i < count; i++)
        is_stored |= jobs[i].is_stored;
    int rc = climate_find(args, is_stored, &gather->climate, err);
    if (rc < 0)
        return rc;
    if (gather->climate.count == 0 && !is_built(&args->sources) && !is_stored)
        return 0;
    gather->is_open = true;
    rc = job_sources_open(&args->sources, sources, err);
    ret->clocks = sources->inputs.clocks;
    if (gather->climate.count > 0)
        job_sources_compare(sources, &gather->climate);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = context_read(args, sources, &jobs[i], ret, err);
    if (rc == 0 && count == 1 && is_built(&args->sources))
        clock_compare(sources, jobs[0].file, ret);
    return rc == 0 ? job_comparison_climate(ret, &sources->inputs, err) : rc;
}

void job_gather_done(struct job_gather *gather)
{
    if (gather->is_open)
        job_sources_done(&gather->sources);
}
