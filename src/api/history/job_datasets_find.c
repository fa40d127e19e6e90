/* SPDX-License-Identifier: Apache-2.0 */
/* job_datasets_find - the datasets that a job had mounted, into its context. */
#include "api/history/job_datasets_find.h"

#include "base/number.h"
#include "base/span.h"

/* A number is given again, and a node's clock may be another. */
#define SLACK_NS (600 * NS_PER_S)

/* Rows come by all but the host: those of one are together. */
struct datasets_fill {
    struct job_context *context;
    struct budget_hold *hold;
    const struct hostset *nodes; /* of the job; NULL: not known */
    bool sees_private;
    struct strbuf texts[5]; /* of the one that is gathered: as in enum gathered */
    struct strbuf hosts;    /* "n1,n2" */
    size_t host_count;      /* 0: none is gathered */
    struct job_mounted mounted;
};

enum gathered {
    GATHERED_DIGEST,
    GATHERED_PATH,
    GATHERED_COMMAND,
    GATHERED_NAME,
    GATHERED_OPTIONS,
};

static void datasets_fill_done(struct datasets_fill *fill)
{
    for (size_t i = 0; i < COUNT_OF(fill->texts); i++)
        strbuf_done(&fill->texts[i]);
    strbuf_done(&fill->hosts);
}
DEFINE_AUTO_DONE(struct datasets_fill, datasets_fill_done);

static bool is_gathered(const struct datasets_fill *fill, const struct job_dataset *d)
{
    return fill->host_count > 0 &&
           span_eq(strbuf_span(&fill->texts[GATHERED_DIGEST]), d->digest) &&
           span_eq(strbuf_span(&fill->texts[GATHERED_PATH]), d->path) &&
           span_eq(strbuf_span(&fill->texts[GATHERED_COMMAND]), d->command) &&
           span_eq(strbuf_span(&fill->texts[GATHERED_NAME]), d->name);
}

/* In the short form, where they are a set. */
static int hosts_shorten(struct datasets_fill *fill)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    int rc = hostset_parse(strbuf_span(&fill->hosts), &set, NULL);
    if (rc < 0)
        return rc == -ENOMEM ? rc : 0;
    strbuf_clear(&fill->hosts);
    hostset_print(set, &fill->hosts);
    return strbuf_error(&fill->hosts);
}

static int gathered_add(struct datasets_fill *fill)
{
    struct job_mounted *m = &fill->mounted;
    if (fill->host_count == 0)
        return 0;
    if (m->is_private && !fill->sees_private) {
        fill->context->datasets.hidden_count++;
        return 0;
    }
    int rc = hosts_shorten(fill);
    if (rc < 0)
        return rc;
    m->digest = strbuf_text(&fill->texts[GATHERED_DIGEST]);
    m->path = strbuf_text(&fill->texts[GATHERED_PATH]);
    m->command = strbuf_text(&fill->texts[GATHERED_COMMAND]);
    m->name = strbuf_text(&fill->texts[GATHERED_NAME]);
    m->options = strbuf_text(&fill->texts[GATHERED_OPTIONS]);
    m->hosts = strbuf_text(&fill->hosts);
    m->host_count = fill->host_count;
    rc = budget_hold_add(fill->hold,
                         2 * sizeof *m + strlen(m->path) + strlen(m->hosts) + 512);
    if (rc < 0)
        return rc;
    job_context_add_dataset(fill->context, m);
    return fill->context->error;
}

static void gather_begin(struct datasets_fill *fill,
                         const struct job_dataset_mounted *mounted)
{
    const struct job_dataset *d = &mounted->dataset;
    const struct span texts[] = { d->digest, d->path, d->command, d->name, d->options };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        strbuf_clear(&fill->texts[i]);
        strbuf_add_span(&fill->texts[i], texts[i]);
    }
    strbuf_clear(&fill->hosts);
    fill->host_count = 0;
    fill->mounted =
        (struct job_mounted){ .first_ns = d->t_ns, .last_ns = mounted->last_ns };
}

static int on_mounted(void *arg, const struct job_dataset_mounted *mounted)
{
    struct datasets_fill *fill = arg;
    struct job_mounted *m = &fill->mounted;
    if (job_recorded_is_foreign(fill->nodes, mounted->dataset.host)) {
        fill->context->datasets.foreign_count++;
        return 0;
    }
    if (!is_gathered(fill, &mounted->dataset)) {
        int rc = gathered_add(fill);
        if (rc < 0)
            return rc;
        gather_begin(fill, mounted);
    }
    if (fill->host_count++ > 0)
        strbuf_addc(&fill->hosts, ',');
    strbuf_add_span(&fill->hosts, mounted->dataset.host);
    if (mounted->dataset.t_ns < m->first_ns)
        m->first_ns = mounted->dataset.t_ns;
    if (mounted->last_ns > m->last_ns)
        m->last_ns = mounted->last_ns;
    m->is_private |= mounted->dataset.is_private;
    for (size_t i = 0; i < COUNT_OF(fill->texts); i++)
        if (strbuf_error(&fill->texts[i]) < 0)
            return -ENOMEM;
    return strbuf_error(&fill->hosts);
}

int job_datasets_find(const struct api_readers *readers, struct budget_hold *hold,
                      const struct job_recorded *job, struct job_context *context,
                      struct err *err)
{
    const struct access_owner owner = job_recorded_owner(job);
    const struct access_object object = { .owner = &owner };
    AUTO(hostset_free) struct hostset *nodes = NULL;
    AUTO(datasets_fill_done)
    struct datasets_fill fill = { .context = context, .hold = hold };
    fill.sees_private = access_decide(readers->client, ACCESS_READ_PRIVATE, &object) ==
                        ACCESS_PERMITTED;
    context->datasets = (struct job_datasets){ 0 };
    if (!job_recorded_is_whole(job))
        return 0;
    int rc = job_recorded_nodes(job, &nodes);
    if (rc < 0)
        return rc;
    fill.nodes = nodes;
    const struct job_dataset_filter filter = {
        .cluster = job->cluster,
        .job = job->raw_id,
        .uid = job->uid,
        .from_ns = job->start_ns - SLACK_NS,
        .to_ns = job->end_ns == JOB_TIME_NONE ? INT64_MAX : job->end_ns + SLACK_NS,
    };
    rc = records_find_job_datasets(readers->rows, &filter, on_mounted, &fill, err);
    if (rc == 0)
        rc = gathered_add(&fill);
    if (rc == 0)
        job_context_sort_datasets(context);
    return rc;
}
