/* SPDX-License-Identifier: Apache-2.0 */
/* job_builder - a job's context out of its log and of what is known around it. */
#include "analysis/job/job_builder.h"

#include "analysis/job/job_log.h"
#include "analysis/job/job_value.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>
#include <string.h>

#define MIB 1048576.0

struct building {
    const struct job_inputs *inputs;
    struct job_context *context;
    struct job_window window;
    struct job_input_site site;
};

/* "/global/cscratch1" -> "cscratch1" */
static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && slash[1] ? slash + 1 : path;
}

static int64_t count_of(uint64_t count)
{
    return count > 0 ? (int64_t)count : JOB_I64_NONE;
}

static void site_read(struct building *b)
{
    struct job_context *c = b->context;
    struct job_input_site *site = &b->site;
    if (b->inputs->site && b->window.mount)
        b->inputs->site(b->inputs->arg, b->window.mount, site);
    bool has_peak = site->peak_bytes_per_s > 0;
    c->site = (struct job_site){
        .peak_bytes_per_s = has_peak ? site->peak_bytes_per_s : NAN,
        .fraction_of_peak =
            has_peak ? c->facts.posix_mib_per_s * MIB / site->peak_bytes_per_s : NAN,
        .servers = count_of(site->servers),
        .targets = count_of(site->targets),
        .io_nodes = count_of(site->io_nodes),
    };
    c->identity.file_system =
        job_context_text(c, site->name ? site->name : last_part(b->window.mount));
}

static int series_read(struct building *b, struct err *err)
{
    struct job_context *c = b->context;
    struct job_input_series input = { 0 };
    int rc = b->inputs->series
                 ? b->inputs->series(b->inputs->arg, &b->window, &input, err)
                 : 0;
    if (rc < 0)
        return rc;
    rc = job_weather_read(input.series, input.count, b->window.from_s, b->window.to_s,
                          &c->weather, err);
    if (rc < 0)
        return rc;
    c->identity.from_s = b->window.from_s;
    c->identity.to_s = job_weather_end(input.series, input.count, b->window.to_s);
    if (c->weather.step_s != JOB_I64_NONE) {
        c->weather.source = job_context_text(c, input.names);
        c->weather.series = job_context_text(c, input.reference);
    }
    return c->error;
}

static int fabric_of_site(struct building *b, struct err *err)
{
    AUTO(fabric_done) struct fabric fabric = { 0 };
    if (!b->inputs->fabric || !b->site.has_fabric)
        return 0;
    int rc = b->inputs->fabric(b->inputs->arg, &b->window, &fabric, err);
    if (rc == 0)
        job_context_set_fabric(b->context, &fabric);
    return rc;
}

static int health_read(struct building *b, struct err *err)
{
    const struct job_inputs *in = b->inputs;
    const struct span *texts = NULL;
    size_t count = 0;
    const int64_t at_s = b->window.from_s - in->health_offset_s;
    const char *file_system = b->site.fsname ? b->site.fsname : b->window.mount;
    int rc = in->health ? in->health(in->arg, at_s * NS_PER_S, &texts, &count, err) : 0;
    if (rc < 0 || count == 0)
        return rc;
    return job_health_read(texts, count, file_system, at_s,
                           in->health_age_max_ns ? in->health_age_max_ns
                                                 : JOB_HEALTH_AGE_MAX_NS,
                           &b->context->arena, &b->context->health);
}

/* Its end is of whole seconds: the last one counts. */
static int jobs_read(struct building *b, struct err *err)
{
    const struct job_inputs *in = b->inputs;
    struct job_context *c = b->context;
    const struct job_list *jobs = NULL;
    const struct node_map *nodes = NULL;
    const struct span cluster = span_of(in->cluster ? in->cluster : "");
    const int64_t end_s = b->window.to_s + 1;
    int rc = in->jobs ? in->jobs(in->arg, b->window.from_s * NS_PER_S, end_s * NS_PER_S,
                                 &jobs, err)
                      : 0;
    if (rc < 0 || !jobs)
        return rc;
    const struct job *record = job_record_find(jobs, cluster, c->facts.jobid);
    if (record)
        job_context_set_record(c, record);
    job_neighbours_read(jobs, cluster, c->facts.jobid, b->window.from_s, end_s,
                        &c->neighbours);
    rc = in->topology ? in->topology(in->arg, &nodes, err) : 0;
    if (rc < 0 || !nodes)
        return rc;
    return job_topology_read(nodes, jobs, cluster, c->facts.jobid, b->window.from_s,
                             end_s, &c->topology);
}

int job_build_around(const struct job_inputs *inputs, struct job_context *context,
                     struct err *err)
{
    const struct job_facts *facts = &context->facts;
    struct job_identity *identity = &context->identity;
    struct building b = { .inputs = inputs,
                          .context = context,
                          .window = { job_facts_mount(facts), facts->start_s,
                                      facts->end_s } };
    identity->id = facts->jobid;
    identity->cluster = job_context_text(context, inputs->cluster);
    identity->clocks = job_context_text(context, inputs->clocks);
    site_read(&b);
    int rc = series_read(&b, err);
    if (rc == 0)
        rc = fabric_of_site(&b, err);
    if (rc == 0)
        rc = health_read(&b, err);
    if (rc == 0)
        rc = jobs_read(&b, err);
    if (rc == 0)
        rc = job_coverage_make(
            facts, &context->weather, context->neighbours.own_node_hours,
            context->neighbours.node_hours, &context->arena, &context->coverage);
    return rc < 0 ? rc : context->error;
}

int job_build(const struct job_inputs *inputs, const char *path,
              struct job_context *context, struct strbuf *faults, struct err *err)
{
    AUTO(job_log_close) struct job_log *log = NULL;
    int rc = job_log_open(path, &log, err);
    if (rc < 0)
        return rc;
    rc = job_log_read(log, &context->arena, &context->facts, NULL, err);
    if (faults)
        strbuf_adds(faults, job_log_faults(log));
    context->identity.log = job_context_text(context, path);
    if (rc == 0)
        rc = job_build_around(inputs, context, err);
    return rc < 0 ? err_prefix(err, rc, "%s", path) : 0;
}
