/* SPDX-License-Identifier: Apache-2.0 */
/* diff_metrics - two jobs by the metrics of their nodes. */
#include "api/diff/diff_metrics.h"

#include "base/number.h"
#include "base/span.h"

#include <math.h>
#include <stdlib.h>

/* Of a name and user: those that ran last.  The newest of them are compared. */
#define PEERS_LOOKED_AT 500
#define DIFF_METRICS_BYTES         \
    (sizeof(struct diff_metrics) + \
     (METRIC_PAIR_PEERS_MAX + 2) * (JOB_METRICS_MAX * sizeof(struct job_metric)))

void diff_metrics_free(struct diff_metrics *diff)
{
    if (!diff)
        return;
    for (int i = 0; i < 2; i++) {
        job_context_done(&diff->contexts[i]);
        job_evidence_done(&diff->evidence[i]);
    }
    arena_done(&diff->arena);
    free(diff);
}

/* ---- a job ---- */

static struct job_metric metric_from_total(const struct node_samples_metric *metric,
                                           const struct metric_total *total)
{
    return (struct job_metric){ .metric = span_of(metric->name),
                                .unit = span_of(metric->unit),
                                .observed = total->observed,
                                .covered = total->covered,
                                .mean = total->mean,
                                .min = total->min,
                                .max = total->max,
                                .sum = total->sum };
}

/* A job that goes on, or has only just ended, has no footprint yet. */
static int metrics_of_samples(struct diff_metrics *diff, const struct job_context *c,
                              struct metric_run *ret)
{
    const struct node_samples *samples = &c->nodes.samples;
    struct job_metric *metrics =
        arena_alloc(&diff->arena, (samples->metric_count + 1) * sizeof *metrics);
    if (!metrics)
        return -ENOMEM;
    for (size_t i = 0; i < samples->metric_count; i++) {
        struct metric_total total;
        metric_total_make(samples, &samples->metrics[i], &total);
        metrics[i] = metric_from_total(&samples->metrics[i], &total);
    }
    ret->metrics = metrics;
    ret->count = samples->metric_count;
    ret->nodes = samples->host_count;
    return 0;
}

static double run_seconds(const struct job_identity *who)
{
    if (who->start_ns == JOB_TIME_NONE || who->end_ns == JOB_TIME_NONE)
        return NAN;
    return (double)(who->end_ns - who->start_ns) / NS_PER_S;
}

static int metric_run_read(struct diff_metrics *diff, int index,
                           const struct diff_metrics_job *job, struct metric_run *ret,
                           struct err *err)
{
    struct job_context *c = &diff->contexts[index];
    const struct job_inputs *inputs = &diff->evidence[index].inputs;
    int rc = inputs->stored(inputs->arg, job->id, c, err);
    if (rc < 0)
        return rc;
    *ret = (struct metric_run){ .name = job->name,
                                .run_s = run_seconds(&c->identity),
                                .metrics = c->nodes.stored,
                                .count = c->nodes.stored_count };
    if (ret->count > 0)
        ret->nodes = ret->metrics[0].nodes;
    if (ret->count <= 1) /* at most that nothing was observed */
        rc = job_build_nodes(inputs, c, err);
    if (rc == 0 && c->nodes.is_observed)
        rc = metrics_of_samples(diff, c, ret);
    if (rc == 0 && ret->count <= 1 && !c->nodes.is_observed)
        return err_set(err, ENOENT, "job %s: it has no log here, and no metrics: %s",
                       job->id,
                       c->nodes.refused ? c->nodes.refused : "none were observed");
    return rc;
}

/* ---- comparable runs ---- */

struct peer_runs {
    struct diff_metrics *diff;
    struct metric_run runs[METRIC_PAIR_PEERS_MAX];
    struct job found[METRIC_PAIR_PEERS_MAX];
    size_t count;
    struct job_metric *metrics; /* of the run that is read */
};

static bool is_of_pair(const struct peer_runs *peers, const struct job *run)
{
    for (int i = 0; i < 2; i++) {
        const struct job_identity *who = &peers->diff->contexts[i].identity;
        if (who->id && span_is(run->id, who->id) && run->start_ns == who->start_ns)
            return true;
    }
    return false;
}

static int on_other_run(void *arg, const struct job *run)
{
    struct peer_runs *peers = arg;
    const struct job_identity *who = &peers->diff->contexts[1].identity;
    struct arena *arena = &peers->diff->arena;
    if (peers->count == METRIC_PAIR_PEERS_MAX || !span_is(run->name, who->name) ||
        run->start_ns == JOB_TIME_NONE || run->end_ns == JOB_TIME_NONE ||
        is_of_pair(peers, run))
        return 0;
    const char *id = arena_dup(arena, run->id);
    const char *cluster = arena_dup(arena, run->cluster);
    if (!id || !cluster)
        return -ENOMEM;
    peers->found[peers->count++] = (struct job){ .id = span_of(id),
                                                 .cluster = span_of(cluster),
                                                 .start_ns = run->start_ns,
                                                 .end_ns = run->end_ns };
    return 0;
}

static int on_other_metric(void *arg, const struct job_metric *metric)
{
    struct peer_runs *peers = arg;
    struct metric_run *run = &peers->runs[peers->count];
    const char *name = arena_dup(&peers->diff->arena, metric->metric);
    if (!name)
        return -ENOMEM;
    if (run->count == JOB_METRICS_MAX)
        return 1;
    peers->metrics[run->count] = *metric;
    peers->metrics[run->count++].metric = span_of(name);
    return 0;
}

static int footprints_read(struct peer_runs *peers, struct records_reader *reader,
                           struct err *err)
{
    size_t found = peers->count;
    int rc = 0;
    peers->count = 0;
    for (size_t i = 0; i < found && rc == 0; i++) {
        const struct job *run = &peers->found[i];
        const struct job_metric_filter filter = { .cluster = run->cluster,
                                                  .id = run->id,
                                                  .from_ns = run->start_ns,
                                                  .to_ns = run->start_ns };
        peers->metrics =
            arena_alloc(&peers->diff->arena, JOB_METRICS_MAX * sizeof *peers->metrics);
        if (!peers->metrics)
            return -ENOMEM;
        peers->runs[peers->count] =
            (struct metric_run){ .metrics = peers->metrics,
                                 .run_s =
                                     (double)(run->end_ns - run->start_ns) / NS_PER_S };
        rc = records_find_job_metrics(reader, &filter, on_other_metric, peers, err);
        peers->count += rc == 0 && peers->runs[peers->count].count > 1;
    }
    return rc;
}

/* Those that the client may see; a job without a name is like no other. */
static int peers_find(struct peer_runs *peers, const struct api_readers *readers,
                      struct err *err)
{
    const struct job_identity *who = &peers->diff->contexts[1].identity;
    struct job_scope scope;
    bool has_more = false;
    if (!who->name || !*who->name || !who->user || !who->cluster)
        return 0;
    job_scope_init(&scope, readers->client);
    const struct job_filter filter = { .owners = job_scope_owners(&scope),
                                       .cluster = span_of(who->cluster),
                                       .user = span_of(who->user),
                                       .from_ns = JOB_TIME_NONE,
                                       .to_ns = JOB_TIME_NONE,
                                       .limit = PEERS_LOOKED_AT };
    int rc =
        records_find_jobs(readers->rows, &filter, on_other_run, peers, &has_more, err);
    return rc < 0 ? rc : footprints_read(peers, readers->rows, err);
}

int diff_metrics_find(const struct api_readers *readers,
                      const struct diff_metrics_job jobs[static 2], double floor,
                      struct budget_hold *hold, struct diff_metrics **ret,
                      struct err *err)
{
    int rc = budget_hold_add(hold, DIFF_METRICS_BYTES);
    if (rc < 0)
        return rc;
    AUTO(diff_metrics_free) struct diff_metrics *diff = calloc(1, sizeof *diff);
    AUTO_FREE struct peer_runs *peers = calloc(1, sizeof *peers);
    struct metric_run runs[2] = { 0 };
    if (!diff || !peers) {
        free(TAKE(diff)); /* nothing of it is there yet */
        return err_set(err, ENOMEM, "out of memory");
    }
    arena_init(&diff->arena, 0);
    for (int i = 0; i < 2; i++) {
        job_context_init(&diff->contexts[i]);
        job_evidence_init(&diff->evidence[i], readers, jobs[i].cluster, hold);
    }
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = metric_run_read(diff, i, &jobs[i], &runs[i], err);
    peers->diff = diff;
    if (rc == 0)
        rc = peers_find(peers, readers, err);
    if (rc < 0)
        return rc;
    metric_pair_find(&runs[0], &runs[1], peers->runs, peers->count,
                     floor > 0 ? floor : METRIC_PAIR_FLOOR_DEFAULT, &diff->pair);
    *ret = TAKE(diff);
    return 0;
}
