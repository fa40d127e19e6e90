/* SPDX-License-Identifier: Apache-2.0 */
/* job_builder - a job's context out of its log and of what is known around it. */
#include "analysis/job/job_builder.h"

#include "analysis/job/job_log.h"
#include "analysis/job/job_part.h"
#include "analysis/job/job_value.h"
#include "base/number.h"
#include "base/span.h"
#include "source/health/health.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0
#define DAY_S INT64_C(86400)
/* Targets fill slowly: how full they were half an hour before is as good. */
#define SPACE_BEFORE_NS (1800 * NS_PER_S)
/* Of a move that ended as the job began the last sample is before that. */
#define MOVES_BEFORE_NS (900 * NS_PER_S)

struct building {
    const struct job_inputs *inputs;
    struct job_context *context;
    bool is_stored; /* parts that the stored summary has stay as they are */
    const char *id;
    struct job_window window;
    struct job_input_site site;
};

/* Whether a part is to be read: nothing is filled by what no reader has seen. */
static bool part_is_wanted(const struct building *b, enum job_part part,
                           bool has_reader)
{
    return !b->is_stored || (has_reader && !job_context_has(b->context, part, NULL));
}

/* What is not there is no failure, and has a reason. */
static int reason_set(struct job_context *context, int rc, const struct err *why,
                      const char **ret, struct err *err)
{
    if (rc != -ENOENT && rc != -ENODATA)
        return err_set(err, -rc, "%s", why->text[0] ? why->text : strerror(-rc));
    *ret = why->text[0] ? job_context_text(context, why->text) : NULL;
    return context->error;
}

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
    if (!part_is_wanted(b, JOB_PART_SITE, b->inputs->site != NULL))
        return;
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
    struct err why = { 0 };
    if (!part_is_wanted(b, JOB_PART_WEATHER, b->inputs->series != NULL))
        return 0;
    int rc = b->inputs->series
                 ? b->inputs->series(b->inputs->arg, &b->window, &input, &why)
                 : 0;
    if (rc < 0 && b->is_stored)
        return reason_set(c, rc, &why, &c->weather_refused, err);
    if (rc < 0)
        return err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc));
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
    struct job_health *health = &b->context->health;
    struct arena *arena = &b->context->arena;
    const struct span *texts = NULL;
    size_t count = 0;
    const struct job_health_window window = {
        .from_s = b->window.from_s - in->health_offset_s,
        .to_s = b->window.to_s - in->health_offset_s,
        .age_max_ns =
            in->health_age_max_ns ? in->health_age_max_ns : JOB_HEALTH_AGE_MAX_NS,
    };
    const char *file_system = b->site.fsname ? b->site.fsname : b->window.mount;
    int rc = in->health
                 ? in->health(in->arg, window.from_s * NS_PER_S, &texts, &count, err)
                 : 0;
    if (rc < 0 || count == 0)
        return rc;
    rc = job_health_read(texts, count, file_system, &window, arena, health);
    /* Another day has files of its own. */
    if (rc == 0 && window.from_s / DAY_S != window.to_s / DAY_S)
        rc = in->health(in->arg, window.to_s * NS_PER_S, &texts, &count, err);
    return rc < 0 ? rc
                  : job_health_read_moves(texts, count, file_system, &window, arena,
                                          health);
}

/* As Lustre calls it: by rows of the job, else by the site or its mount. */
static const char *fs_of(const struct job_inputs *inputs,
                         const struct job_context *context,
                         const struct job_window *window)
{
    struct job_input_site site = { 0 };
    if (context->has_servers && context->servers.fs)
        return context->servers.fs;
    if (inputs->site && window->mount)
        inputs->site(inputs->arg, window->mount, &site);
    return site.fsname ? site.fsname : last_part(window->mount);
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
    const struct job_target_request request = { fs_of(in, c, &b->window),
                                                b->window.from_s * NS_PER_S,
                                                end_s * NS_PER_S };
    int rc = in->jobs ? in->jobs(in->arg, &request, &jobs, err) : 0;
    if (rc < 0 || !jobs)
        return rc;
    const struct job *record = job_record_find(jobs, cluster, b->id);
    if (record && !c->identity.step) /* the record is of the whole job */
        job_context_set_record(c, record);
    if (part_is_wanted(b, JOB_PART_CO_SCHEDULED, true))
        job_neighbours_read(jobs, cluster, b->id, b->window.from_s, end_s,
                            &c->neighbours);
    rc = in->topology ? in->topology(in->arg, &nodes, err) : 0;
    if (rc < 0 || !nodes)
        return rc;
    return job_topology_read(nodes, jobs, cluster, b->id, b->window.from_s, end_s,
                             &c->topology);
}

static struct job_request query_of(const struct job_context *context,
                                   const struct job_window *window,
                                   const struct profile *run)
{
    const struct job_identity *identity = &context->identity;
    return (struct job_request){
        .id = identity->id ? identity->id : context->facts.jobid,
        .cluster = identity->cluster,
        .hosts = identity->nodes,
        .start_s = window->from_s,
        .end_s = window->to_s,
        .run = run,
    };
}

/* By the log, else by the batch system, of a job that has not ended until now; else by
 * what was stored of it.  False:
 * when it ran is not known. */
static bool window_of(const struct job_inputs *inputs,
                      const struct job_context *context, struct job_window *ret)
{
    const struct job_facts *facts = &context->facts;
    const struct job_identity *identity = &context->identity;
    bool is_logged = facts->start_s != JOB_I64_NONE && facts->end_s != JOB_I64_NONE;
    *ret = (struct job_window){ .mount = job_facts_mount(facts) };
    if (is_logged) {
        ret->from_s = facts->start_s;
        ret->to_s = facts->end_s;
        return true;
    }
    if (identity->start_ns == JOB_TIME_NONE) {
        ret->from_s = identity->from_s;
        ret->to_s = identity->to_s;
        return ret->from_s != JOB_I64_NONE && ret->to_s != JOB_I64_NONE;
    }
    ret->from_s = identity->start_ns / NS_PER_S;
    ret->to_s =
        identity->end_ns == JOB_TIME_NONE ? inputs->now_s : identity->end_ns / NS_PER_S;
    return ret->to_s > 0;
}

/* What is in the way of that is no failure: then it is not known. */
static int targets_read(const struct job_inputs *inputs,
                        const struct job_window *window, struct job_context *context,
                        struct err *err)
{
    AUTO(table_done) struct table space;
    AUTO(table_done) struct table moves;
    const int64_t from_ns = window->from_s * NS_PER_S;
    const int64_t to_ns = (window->to_s + 1) * NS_PER_S;
    const char *fs = fs_of(inputs, context, window);
    const struct job_target_request before = { fs, from_ns - SPACE_BEFORE_NS, to_ns };
    const struct job_target_request meanwhile = { fs, from_ns - MOVES_BEFORE_NS,
                                                  to_ns };
    struct err why = { 0 };
    table_init(&space);
    table_init(&moves);
    if (fs && inputs->space && inputs->space(inputs->arg, &before, &space, &why) < 0)
        space.row_count = 0;
    if (fs && inputs->moves && inputs->moves(inputs->arg, &meanwhile, &moves, &why) < 0)
        moves.row_count = 0;
    job_targets_done(&context->targets);
    int rc = job_targets_make(&space, &moves, window->from_s, window->to_s,
                              &context->targets);
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

/* Of a job without a reading of its own: those that barod has. */
static int readings_read(const struct job_inputs *inputs,
                         const struct job_window *window, struct job_context *context,
                         struct err *err)
{
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf space = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf servers = STRBUF_INIT;
    const char *fs = fs_of(inputs, context, window);
    const struct job_target_request request = { fs, window->from_s * NS_PER_S,
                                                (window->to_s + 1) * NS_PER_S };
    const struct job_health_window health_window = { window->from_s, window->to_s,
                                                     JOB_HEALTH_AGE_MAX_NS };
    struct err why = { 0 };
    table_init(&table);
    if (!fs || !inputs->readings || job_context_has(context, JOB_PART_HEALTH, NULL) ||
        inputs->readings(inputs->arg, &request, &table, &why) < 0 ||
        table.row_count == 0)
        return 0;
    int rc = health_readings_text(&table, HEALTH_KIND_SPACE, request.from_ns, &space);
    if (rc == 0)
        rc = health_readings_text(&table, HEALTH_KIND_SERVERS, request.from_ns,
                                  &servers);
    const struct span texts[] = { strbuf_span(&space), strbuf_span(&servers) };
    if (rc == 0)
        rc = job_health_read(texts, COUNT_OF(texts), fs, &health_window,
                             &context->arena, &context->health);
    return rc < 0 ? err_set(err, -rc, "readings of targets: %s", strerror(-rc)) : 0;
}

int job_build_servers(const struct job_inputs *inputs, const struct profile *run,
                      struct job_context *context, struct err *err)
{
    struct job_servers servers = { 0 };
    struct job_window window;
    struct err why = { 0 };
    if (!inputs->servers || !window_of(inputs, context, &window))
        return 0;
    struct job_request query = query_of(context, &window, run);
    query.wants_steps = inputs->wants_steps;
    int rc = inputs->servers(inputs->arg, &query, &servers, &why);
    if (rc < 0)
        rc = reason_set(context, rc, &why, &context->servers_refused, err);
    else {
        job_servers_done(&context->servers);
        context->servers = servers;
        context->has_servers = true;
    }
    if (rc == 0)
        rc = targets_read(inputs, &window, context, err);
    return rc < 0 ? rc : readings_read(inputs, &window, context, err);
}

/* What the batch system has of it. */
static struct footprint_job footprint_job_of(const struct job_context *context)
{
    const char *state = context->identity.state;
    const struct job_resources *r = &context->identity.resources;
    return (struct footprint_job){
        .is_over = context->identity.end_ns != JOB_TIME_NONE,
        .is_out_of_memory = state && strncmp(state, "OUT_OF_ME", 9) == 0,
        .gpus = job_resource_known(r, JOB_GPUS) ? r->value[JOB_GPUS] : -1,
    };
}

/* The batch system's time is that of the whole job; a log's, of one program. */
static bool window_of_nodes(const struct job_inputs *inputs,
                            const struct job_context *context, struct job_window *ret)
{
    const struct job_identity *identity = &context->identity;
    if (identity->start_ns == JOB_TIME_NONE ||
        (identity->end_ns == JOB_TIME_NONE && inputs->now_s == 0))
        return window_of(inputs, context, ret);
    *ret = (struct job_window){ .from_s = identity->start_ns / NS_PER_S,
                                .to_s = identity->end_ns == JOB_TIME_NONE
                                            ? inputs->now_s
                                            : identity->end_ns / NS_PER_S };
    return true;
}

int job_request_of_nodes(const struct job_inputs *inputs,
                         const struct job_context *context, struct job_request *ret,
                         struct err *err)
{
    struct job_window window;
    if (!window_of_nodes(inputs, context, &window))
        return err_set(err, ENOENT, "when it ran is not known");
    if (!context->identity.nodes)
        return err_set(err, ENOENT, "on which nodes it ran is not known");
    *ret = query_of(context, &window, NULL);
    return 0;
}

static int nodes_read(const struct job_inputs *inputs, struct job_context *c,
                      struct err *err)
{
    struct node_samples samples = { 0 };
    struct job_request request = { 0 };
    struct err why = { 0 };
    if (!inputs->nodes)
        return 0;
    int rc = job_request_of_nodes(inputs, c, &request, &why);
    if (rc == 0)
        rc = inputs->nodes(inputs->arg, &request, &c->nodes.arena, &samples, &why);
    if (rc < 0)
        return reason_set(c, rc, &why, &c->nodes.refused, err);
    const struct footprint_job job = footprint_job_of(c);
    rc = footprint_make(&samples, &job, &c->nodes.arena, &c->nodes.footprint);
    if (rc < 0)
        return err_set(err, -rc, "metrics of its nodes: %s", strerror(-rc));
    c->nodes.samples = samples;
    c->nodes.is_observed = true;
    return 0;
}

int job_build_nodes(const struct job_inputs *inputs, struct job_context *context,
                    struct err *err)
{
    struct job_identity *identity = &context->identity;
    struct job_window window;
    struct err why = { 0 };
    int rc = 0;
    if (!identity->id)
        identity->id = context->facts.jobid;
    if (inputs->record && identity->id && identity->start_ns == JOB_TIME_NONE &&
        window_of(inputs, context, &window))
        rc = inputs->record(inputs->arg, identity->id, window.from_s * NS_PER_S,
                            context, &why);
    if (rc < 0 && rc != -ENOENT && rc != -ENODATA)
        return err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc));
    return nodes_read(inputs, context, err);
}

static int around_read(struct building *b, struct err *err)
{
    struct job_context *c = b->context;
    site_read(b);
    int rc = series_read(b, err);
    if (rc == 0)
        rc = fabric_of_site(b, err);
    if (rc == 0)
        rc = health_read(b, err);
    if (rc == 0)
        rc = readings_read(b->inputs, &b->window, c, err);
    if (rc == 0)
        rc = jobs_read(b, err);
    if (rc == 0)
        rc = nodes_read(b->inputs, c, err);
    if (rc == 0 && part_is_wanted(b, JOB_PART_COVERAGE, true))
        rc = job_coverage_make(&c->facts, &c->weather, c->neighbours.own_node_hours,
                               c->neighbours.node_hours, &c->arena, &c->coverage);
    return rc < 0 ? rc : c->error;
}

int job_build_around(const struct job_inputs *inputs, struct job_context *context,
                     struct err *err)
{
    const struct job_facts *facts = &context->facts;
    struct job_identity *identity = &context->identity;
    struct building b = { .inputs = inputs,
                          .context = context,
                          .id = facts->jobid,
                          .window = { job_facts_mount(facts), facts->start_s,
                                      facts->end_s } };
    identity->id = facts->jobid;
    identity->cluster = job_context_text(context, inputs->cluster);
    identity->clocks = job_context_text(context, inputs->clocks);
    return around_read(&b, err);
}

/* The profile is only made where a reader wants it. */
static int log_read(const struct job_inputs *inputs, struct job_log *log,
                    struct job_context *context, struct err *err)
{
    AUTO_FREE struct profile *run = inputs->servers ? calloc(1, sizeof *run) : NULL;
    if (inputs->servers && !run)
        return err_set(err, ENOMEM, "out of memory");
    int rc = job_log_read(log, &context->arena, &context->facts, run, err);
    if (rc == 0)
        rc = job_build_around(inputs, context, err);
    return rc < 0 ? rc : job_build_servers(inputs, run, context, err);
}

int job_build(const struct job_inputs *inputs, const char *name,
              struct job_context *context, struct strbuf *faults, struct err *err)
{
    AUTO(job_log_close) struct job_log *log = NULL;
    int rc = inputs->log ? inputs->log(inputs->arg, name, &log, err)
                         : err_set(err, ENOENT, "%s: no logs are read", name);
    if (rc < 0)
        return rc;
    context->identity.log = job_context_text(context, name);
    rc = log_read(inputs, log, context, err);
    if (faults)
        strbuf_adds(faults, job_log_faults(log));
    return rc < 0 ? err_prefix(err, rc, "%s", name) : 0;
}

void job_found_done(struct job_found *found)
{
    job_log_close(found->log);
    *found = (struct job_found){ 0 };
}

/* A log that is not there, or cannot be read, costs its own section. */
static int found_read(const struct job_inputs *inputs, struct job_context *context,
                      struct job_found *found, struct err *err)
{
    AUTO(job_log_close) struct job_log *log = NULL;
    struct job_facts facts;
    const char *name = NULL;
    struct err why = { 0 };
    int rc = inputs->find_log(inputs->arg, context, &log, &name, &why);
    if (rc == -ENOSYS)
        return 0;
    if (rc == 0)
        rc = job_log_read(log, &context->arena, &facts, &found->run, &why);
    if (rc == -ENOMEM)
        return err_set(err, ENOMEM, "out of memory");
    if (rc < 0) {
        context->log_refused =
            job_context_text(context, why.text[0] ? why.text : strerror(-rc));
        return context->error;
    }
    context->facts = facts;
    context->identity.log = job_context_text(context, name);
    found->log = TAKE(log);
    return context->error;
}

static int stored_build(const struct job_inputs *inputs, const char *id,
                        struct job_context *context, struct job_found *found,
                        struct err *err)
{
    struct building b = { .inputs = inputs, .context = context, .is_stored = true };
    int rc = inputs->stored
                 ? inputs->stored(inputs->arg, id, context, err)
                 : err_set(err, ENOENT, "job %s: nothing is stored of jobs", id);
    if (rc < 0)
        return rc;
    if (!context->identity.id)
        context->identity.id = job_context_text(context, id);
    b.id = context->identity.id;
    if (found && inputs->find_log && (rc = found_read(inputs, context, found, err)) < 0)
        return rc;
    if (!window_of(inputs, context, &b.window)) {
        context->weather_refused = context->servers_refused = context->nodes.refused =
            "when it ran is not known, or it has not ended";
        return context->error;
    }
    rc = around_read(&b, err);
    return rc < 0 ? rc
                  : job_build_servers(inputs, found && found->log ? &found->run : NULL,
                                      context, err);
}

int job_build_stored(const struct job_inputs *inputs, const char *id,
                     struct job_context *context, struct err *err)
{
    return stored_build(inputs, id, context, NULL, err);
}

int job_build_found(const struct job_inputs *inputs, const char *id,
                    struct job_context *context, struct job_found *found,
                    struct err *err)
{
    return stored_build(inputs, id, context, found, err);
}

int job_find_log(const struct job_inputs *inputs, const char *id,
                 struct job_context *context, struct job_found *found, struct err *err)
{
    int rc = inputs->stored(inputs->arg, id, context, err);
    if (rc == 0)
        rc = found_read(inputs, context, found, err);
    if (rc < 0 || found->log)
        return rc;
    return err_set(err, ENOENT, "job %s: %s", id,
                   context->log_refused ? context->log_refused
                                        : "no directory of logs is configured");
}
