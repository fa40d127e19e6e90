/* SPDX-License-Identifier: Apache-2.0 */
/* database - a job out of a barod's database that is read without a daemon. */
#include "client/job/database.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "client/job/servers.h"
#include "query/query.h"

#include <unistd.h>

struct database {
    struct records *records;
    struct records_reader *reader;
};

static void database_close(struct database *d)
{
    records_reader_close(d->reader);
    records_close(d->records);
}
DEFINE_AUTO_DONE(struct database, database_close);

static int database_open(const char *name, struct database *ret, struct err *err)
{
    struct records_opts opts = { .access = RECORDS_READ };
    records_opts_place(&opts, name);
    int rc = records_opts_check(&opts, err);
    if (rc < 0)
        return rc;
    if (opts.path && access(opts.path, R_OK) < 0)
        return err_set(err, errno, "'%s': %s", name, strerror(errno));
    rc = records_open(&opts, NULL, &ret->records, err);
    return rc < 0 ? rc : records_reader_open(ret->records, &ret->reader, err);
}

/* ---- its last run ---- */

static struct job_filter filter_of(const char *cluster, const char *id)
{
    struct job_filter filter = {
        .id = span_of(id), .from_ns = JOB_TIME_NONE, .to_ns = JOB_TIME_NONE, .limit = 1
    };
    if (strchr(id, '/'))
        (void)span_cut(&filter.id, '/', &filter.cluster);
    else if (cluster)
        filter.cluster = span_of(cluster);
    return filter;
}

int job_database_run(const struct client_endpoint *endpoint, const char *cluster,
                     const char *id, records_job_fn *fn, void *arg, struct err *err)
{
    AUTO(database_close) struct database d = { 0 };
    const struct job_filter filter = filter_of(cluster, id);
    bool has_more;
    int rc = database_open(endpoint->records, &d, err);
    return rc < 0 ? rc : records_find_jobs(d.reader, &filter, fn, arg, &has_more, err);
}

/* ---- all that is stored ---- */

struct finding_job {
    struct job_endpoint endpoint;
    struct job_context *context;
    struct strbuf raw_id, id, run_cluster, uid;
    int64_t start_ns, end_ns;
    const struct hostset *hosts; /* while files are read: its nodes, where known */
    bool has_record, has_summary;
};

static void finding_job_done(struct finding_job *f)
{
    strbuf_done(&f->raw_id);
    strbuf_done(&f->id);
    strbuf_done(&f->run_cluster);
    strbuf_done(&f->uid);
}
DEFINE_AUTO_DONE(struct finding_job, finding_job_done);

static int on_run(void *arg, const struct job *run)
{
    struct finding_job *f = arg;
    f->has_record = true;
    strbuf_add_span(&f->raw_id, run->raw_id);
    strbuf_add_span(&f->id, run->id);
    strbuf_add_span(&f->run_cluster, run->cluster);
    strbuf_add_span(&f->uid, run->uid);
    f->start_ns = run->start_ns;
    f->end_ns = run->end_ns;
    f->context->identity.id = job_context_span(f->context, run->id);
    job_context_set_record(f->context, run);
    return strbuf_error(&f->raw_id) < 0 || strbuf_error(&f->id) < 0 ||
                   strbuf_error(&f->run_cluster) < 0 || strbuf_error(&f->uid) < 0
               ? -ENOMEM
               : f->context->error;
}

static int on_step(void *arg, const struct job *step)
{
    struct finding_job *f = arg;
    job_context_add_step(f->context, step);
    return f->context->error;
}

/* A database of before there were steps has none; the page does without. */
static int steps_find(struct records_reader *reader, struct finding_job *f)
{
    const struct job_step_filter filter = { .cluster = strbuf_span(&f->run_cluster),
                                            .id = strbuf_span(&f->id),
                                            .from_ns = f->start_ns,
                                            .to_ns = f->end_ns == JOB_TIME_NONE
                                                         ? INT64_MAX
                                                         : f->end_ns,
                                            .limit = JOB_STEPS_MAX };
    int rc = records_find_job_steps(reader, &filter, on_step, f,
                                    &f->context->steps.has_more, NULL);
    return rc == -ENOMEM ? rc : 0;
}

static int on_metric(void *arg, const struct job_metric *metric)
{
    struct finding_job *f = arg;
    job_context_add_metric(f->context, metric);
    return f->context->error;
}

/* A database of before there were footprints has none, likewise. */
static int footprint_find(struct records_reader *reader, struct finding_job *f)
{
    const struct job_metric_filter filter = { .cluster = strbuf_span(&f->run_cluster),
                                              .id = strbuf_span(&f->id),
                                              .from_ns = f->start_ns,
                                              .to_ns = f->start_ns };
    int rc = records_find_job_metrics(reader, &filter, on_metric, f, NULL);
    return rc == -ENOMEM ? rc : 0;
}

static int on_host_health(void *arg, const struct past_health *h)
{
    struct finding_job *f = arg;
    job_context_add_node_health(f->context, h->time == 0 ? JOB_AT_START : JOB_AT_END,
                                h->host, h->health, h->reason);
    return f->context->error;
}

/* By the rules that are built in: a database has no configuration.  One of before there
 * were resources has none. */
static int node_health_find(struct records_reader *reader, struct finding_job *f)
{
    struct job_node_health *h = &f->context->node_health;
    const char *nodes = f->context->identity.nodes;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    size_t read = 0;
    h->has_ended = f->end_ns != JOB_TIME_NONE;
    if (!nodes || hostset_parse(span_of(nodes), &hosts, NULL) < 0)
        return 0;
    const struct past_health_query query = {
        .cluster = strbuf_span(&f->run_cluster),
        .hosts = hosts,
        .times_ns = { f->start_ns, h->has_ended ? f->end_ns : clock_now_ns() },
        .time_count = 2,
        .ret_read = &read,
    };
    int rc = past_health_read(reader, &query, on_host_health, f, NULL);
    if (rc < 0)
        *h = (struct job_node_health){ 0 };
    else if (read < hostset_count(hosts))
        h->read_max = read;
    h->has_more = h->has_more || h->read_max > 0;
    return rc == -ENOMEM ? rc : 0;
}

static int on_job_file(void *arg, const struct job_file_seen *seen)
{
    struct finding_job *f = arg;
    /* An agent knows the processes of its own node, which has to be one of the job's.
     */
    if (f->hosts && !hostset_has(f->hosts, seen->host))
        job_context_add_foreign(f->context);
    else
        job_context_add_file(f->context, &seen->file, seen->last_ns);
    return f->context->error;
}

/* Who reads the database is its administrator, and sees how many files there are:
 * which, is its owner's to see, by a barod. */
static int ran_with_find(struct records_reader *reader, struct finding_job *f)
{
    const char *nodes = f->context->identity.nodes;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    const struct job_file_filter filter = {
        .cluster = strbuf_span(&f->run_cluster),
        .job = strbuf_span(&f->raw_id),
        .uid = strbuf_span(&f->uid),
        .from_ns = f->start_ns - RECORDS_FILES_SLACK_NS,
        .to_ns =
            f->end_ns == JOB_TIME_NONE ? INT64_MAX : f->end_ns + RECORDS_FILES_SLACK_NS,
    };
    if (filter.job.size == 0 || filter.uid.size == 0 ||
        (nodes && hostset_parse(span_of(nodes), &hosts, NULL) == -ENOMEM))
        return 0;
    f->context->ran_with.is_hidden = true;
    f->hosts = hosts;
    int rc = records_find_job_files(reader, &filter, on_job_file, f, NULL);
    f->hosts = NULL;
    if (rc == 0)
        job_context_sort_files(f->context, hosts);
    return rc == -ENOMEM ? rc : 0;
}

/* What its nodes and its owner's programs reported. */
static int reported_find(struct records_reader *reader, struct finding_job *f)
{
    int rc = node_health_find(reader, f);
    return rc < 0 ? rc : ran_with_find(reader, f);
}

static int on_summary(void *arg, const struct summary *summary)
{
    struct finding_job *f = arg;
    f->has_summary = true;
    return job_context_from_summary(summary, f->context);
}

static int summary_find(struct records_reader *reader, struct span cluster,
                        struct span id, struct finding_job *f, struct err *err)
{
    const struct summary_filter filter = { .cluster = cluster,
                                           .job = id,
                                           .from_ns = JOB_TIME_NONE,
                                           .to_ns = JOB_TIME_NONE,
                                           .limit = 1 };
    bool has_more;
    return records_find_summaries(reader, &filter, on_summary, f, &has_more, err);
}

/* The log of an element of an array has the number that the system counts. */
static int stored_read(void *arg, const char *id, struct job_context *ret,
                       struct err *err)
{
    struct finding_job *f = arg;
    const struct client_endpoint *endpoint = f->endpoint.endpoint;
    const struct job_filter filter = filter_of(f->endpoint.cluster, id);
    AUTO(database_close) struct database d = { 0 };
    bool has_more;
    f->context = ret;
    int rc = database_open(endpoint->records, &d, err);
    if (rc == 0)
        rc = summary_find(d.reader, filter.cluster, filter.id, f, err);
    if (rc == 0)
        rc = records_find_jobs(d.reader, &filter, on_run, f, &has_more, err);
    if (rc == 0 && !f->has_summary && f->raw_id.size > 0 &&
        !span_eq(strbuf_span(&f->raw_id), filter.id))
        rc = summary_find(d.reader, filter.cluster, strbuf_span(&f->raw_id), f, err);
    if (rc == 0 && f->has_record && f->start_ns != JOB_TIME_NONE)
        rc = steps_find(d.reader, f);
    if (rc == 0 && f->has_record && f->start_ns != JOB_TIME_NONE)
        rc = footprint_find(d.reader, f);
    if (rc == 0 && f->has_record && f->start_ns != JOB_TIME_NONE)
        rc = reported_find(d.reader, f);
    if (rc < 0 || f->has_record || f->has_summary)
        return rc;
    return err_set(err, ENOENT,
                   "'%s' is not a file, and the database has no job of that id: "
                   "neither a summary nor a run",
                   id);
}

static int servers_read(void *arg, const struct job_request *job,
                        struct job_servers *ret, struct err *err)
{
    const struct finding_job *f = arg;
    return job_servers_query(f->endpoint.endpoint, job, ret, err);
}

static int nodes_read(void *arg, const struct job_request *job, struct arena *arena,
                      struct node_samples *ret, struct err *err)
{
    (void)arg, (void)job, (void)arena, (void)ret;
    return err_set(err, ENOENT, "a database has none: name a barod, --server");
}

int job_database_build(const struct client_endpoint *endpoint, const char *cluster,
                       const char *id, struct job_context *context, struct err *err)
{
    AUTO(finding_job_done)
    struct finding_job f = { .endpoint = { endpoint, cluster },
                             .raw_id = STRBUF_INIT,
                             .id = STRBUF_INIT,
                             .run_cluster = STRBUF_INIT,
                             .uid = STRBUF_INIT };
    const struct job_inputs inputs = { .arg = &f,
                                       .cluster = cluster,
                                       .now_s = clock_now_ns() / NS_PER_S,
                                       .stored = stored_read,
                                       .servers = servers_read,
                                       .nodes = nodes_read };
    return job_build_stored(&inputs, id, context, err);
}
