/* SPDX-License-Identifier: Apache-2.0 */
/* node_groups - which nodes are compared with each other in each window. */
#include "analysis/node/node_groups.h"

#include "analysis/node/node_peers.h"

#include <errno.h>
#include <stdlib.h>

int node_groups_init(struct node_groups *groups, const struct node_check_opts *opts)
{
    size_t count = opts->host_count * opts->window_count;
    *groups = (struct node_groups){ .opts = opts };
    groups->jobs = calloc(count, sizeof *groups->jobs);
    groups->order = calloc(count, sizeof *groups->order);
    if (!groups->jobs || !groups->order) {
        node_groups_done(groups);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        groups->jobs[i] = NODE_JOB_NONE;
    return 0;
}

void node_groups_done(struct node_groups *groups)
{
    free(groups->jobs);
    free(groups->order);
    *groups = (struct node_groups){ 0 };
}

void node_groups_add_job(struct node_groups *groups, size_t job, size_t host,
                         int64_t start_ns, int64_t end_ns)
{
    const struct node_check_opts *opts = groups->opts;
    for (size_t w = 0; w < opts->window_count; w++) {
        int64_t from_ns = opts->from_ns + (int64_t)w * opts->window_ns;
        int64_t to_ns = from_ns + opts->window_ns;
        size_t *now = &groups->jobs[host * opts->window_count + w];
        if (start_ns >= to_ns || end_ns <= from_ns)
            continue;
        if (start_ns > from_ns || end_ns < to_ns)
            *now = NODE_JOBS_MIXED;
        else if (*now == NODE_JOB_NONE)
            *now = job;
        else if (*now != NODE_JOBS_MIXED && *now != job)
            *now = NODE_JOBS_SMALL; /* several share the node */
    }
}

struct sorting {
    const struct node_groups *groups;
    size_t window;
};

static size_t job_of(const struct node_groups *groups, size_t window, size_t host)
{
    return groups->jobs[host * groups->opts->window_count + window];
}

static int by_group(const void *a, const void *b, void *arg)
{
    const struct sorting *s = arg;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const struct node_host *hosts = s->groups->opts->hosts;
    if (hosts[x].class != hosts[y].class)
        return hosts[x].class < hosts[y].class ? -1 : 1;
    size_t job_x = job_of(s->groups, s->window, x);
    size_t job_y = job_of(s->groups, s->window, y);
    if (job_x != job_y)
        return job_x < job_y ? -1 : 1;
    return (x > y) - (x < y);
}

bool node_groups_next(const struct node_groups *groups, size_t window, size_t *at,
                      struct node_group *ret)
{
    const struct node_check_opts *opts = groups->opts;
    const size_t *order = &groups->order[window * opts->host_count];
    size_t first = *at, end = first + 1;
    if (first >= opts->host_count)
        return false;
    ret->hosts = &order[first];
    ret->job = job_of(groups, window, order[first]);
    while (end < opts->host_count &&
           opts->hosts[order[end]].class == opts->hosts[order[first]].class &&
           job_of(groups, window, order[end]) == ret->job)
        end++;
    ret->count = end - first;
    *at = end;
    return true;
}

/* Nodes of jobs that have too few are compared with each other. */
static bool small_jobs_join(struct node_groups *groups, size_t window)
{
    bool is_changed = false;
    size_t at = 0;
    struct node_group group;
    while (node_groups_next(groups, window, &at, &group)) {
        if (group.count > NODE_OTHERS_MIN || group.job >= NODE_JOBS_MIXED)
            continue;
        for (size_t i = 0; i < group.count; i++)
            groups->jobs[group.hosts[i] * groups->opts->window_count + window] =
                NODE_JOBS_SMALL;
        is_changed = true;
    }
    return is_changed;
}

void node_groups_sort(struct node_groups *groups)
{
    size_t count = groups->opts->host_count;
    for (size_t w = 0; w < groups->opts->window_count; w++) {
        struct sorting sorting = { groups, w };
        size_t *order = &groups->order[w * count];
        for (size_t i = 0; i < count; i++)
            order[i] = i;
        qsort_r(order, count, sizeof *order, by_group, &sorting);
        if (small_jobs_join(groups, w))
            qsort_r(order, count, sizeof *order, by_group, &sorting);
    }
}
