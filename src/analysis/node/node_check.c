/* SPDX-License-Identifier: Apache-2.0 */
/* node_check - which nodes differ from comparable ones, in what, and since when. */
#include "analysis/node/node_check.h"

#include "analysis/node/node_groups.h"
#include "analysis/node/node_peers.h"
#include "analysis/node/node_run.h"
#include "analysis/stats/stats.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node is silent when it has missed so many samples and so much time, which others
 * have not. */
#define SILENT_SAMPLES 3
#define SILENT_NS (60 * NS_PER_S)
/* Where more nodes than this share have stopped, they are meant to. */
#define STOPPED_SHARE_MAX 0.05
#define STUCK_SAMPLES_MIN 10
#define STUCK_SHARE_MAX 0.01

struct host_state {
    int64_t last_ns; /* of any metric; INT64_MIN: none */
    bool is_compared, is_silent, is_found;
};

struct node_check {
    struct node_check_opts opts;
    struct node_groups groups;
    bool is_sorted;
    struct host_state *states;
    struct node_peers peers;
    struct node_score *scores; /* [host * window_count + window], of one metric */
    double *numbers;           /* a host each, and more */
    int64_t interval_ns;       /* the least of any metric; 0: none known */
    size_t capacity;
    struct node_results results;
};

static const char *const problem_names[_NODE_PROBLEM_COUNT] = {
    [NODE_SILENT] = "silent", [NODE_STOPPED] = "stopped", [NODE_LOW] = "low",
    [NODE_HIGH] = "high",     [NODE_STUCK] = "stuck",
};

const char *node_problem_name(enum node_problem problem)
{
    return problem_names[problem];
}

void node_check_free(struct node_check *check)
{
    if (!check)
        return;
    node_groups_done(&check->groups);
    node_peers_done(&check->peers);
    free(check->states);
    free(check->scores);
    free(check->numbers);
    free(check->results.findings);
    free(check);
}

static void selected_count(struct node_check *check)
{
    const struct node_check_opts *opts = &check->opts;
    struct node_results *results = &check->results;
    for (size_t i = 0; i < opts->host_count; i++) {
        results->selected += opts->hosts[i].is_selected;
        check->states[i].last_ns = INT64_MIN;
    }
    double most =
        (double)results->selected * (double)(opts->metric_count * opts->window_count);
    results->chance_each = NODE_CHANCE_MAX / fmax(most, 1);
}

int node_check_new(const struct node_check_opts *opts, struct node_check **ret)
{
    AUTO(node_check_free) struct node_check *check = calloc(1, sizeof *check);
    if (!check)
        return -ENOMEM;
    if (opts->host_count == 0 || opts->window_ns <= 0 || opts->window_count == 0 ||
        opts->window_count > NODE_WINDOWS_MAX)
        return -EINVAL;
    check->opts = *opts;
    check->states = calloc(opts->host_count, sizeof *check->states);
    check->scores =
        calloc(opts->host_count * opts->window_count, sizeof *check->scores);
    check->numbers = calloc(opts->host_count, sizeof *check->numbers);
    if (!check->states || !check->scores || !check->numbers)
        return -ENOMEM;
    int rc = node_groups_init(&check->groups, &check->opts);
    if (rc < 0)
        return rc;
    selected_count(check);
    *ret = TAKE(check);
    return 0;
}

void node_check_add_job(struct node_check *check, size_t job, size_t host,
                        int64_t start_ns, int64_t end_ns)
{
    node_groups_add_job(&check->groups, job, host, start_ns, end_ns);
}

static int finding_add(struct node_check *check, const struct node_finding *finding)
{
    struct node_results *results = &check->results;
    if (results->count == check->capacity) {
        size_t capacity = check->capacity ? check->capacity * 2 : 64;
        void *grown = realloc(results->findings, capacity * sizeof *results->findings);
        if (!grown)
            return -ENOMEM;
        results->findings = grown;
        check->capacity = capacity;
    }
    results->findings[results->count++] = *finding;
    return 0;
}

/* ---- outliers ---- */

static bool is_integral(const struct node_metric *metric, size_t host_count)
{
    for (size_t i = 0; i < host_count; i++)
        if (metric->series[i].count > 0 && !metric->series[i].is_integral)
            return false;
    return !metric->is_counter;
}

static int group_score(struct node_check *check, const struct node_metric *metric,
                       const struct node_group *group, size_t window, bool integral)
{
    size_t windows = check->opts.window_count;
    for (size_t i = 0; i < group->count; i++)
        check->numbers[i] = metric->values[group->hosts[i] * windows + window];
    int rc = node_peers_set(&check->peers, check->numbers, group->count, integral);
    for (size_t i = 0; rc == 0 && i < group->count; i++) {
        size_t host = group->hosts[i];
        double value = metric->values[host * windows + window];
        if (!check->opts.hosts[host].is_selected || !isfinite(value))
            continue;
        struct node_score score = node_peers_score(&check->peers, value);
        check->scores[host * windows + window] = score;
        check->results.comparisons += score.others > 0;
        check->states[host].is_compared |= score.others > 0;
    }
    return rc;
}

static int run_report(struct node_check *check, const struct node_metric *metric,
                      size_t host, const struct node_run *run)
{
    const struct node_check_opts *opts = &check->opts;
    size_t cell = host * opts->window_count + run->last;
    const struct node_score *score = &check->scores[cell];
    int64_t since_ns = opts->from_ns + (int64_t)run->first * opts->window_ns;
    int64_t until_ns = opts->from_ns + (int64_t)(run->last + 1) * opts->window_ns;
    const struct node_finding finding = {
        .host = host,
        .problem = score->deviations < 0 ? NODE_LOW : NODE_HIGH,
        .metric = metric->name,
        .unit = metric->unit,
        .value = metric->values[cell],
        .median = score->median,
        .deviations = score->deviations,
        .chance = score->chance,
        .others = score->others,
        .job = check->groups.jobs[cell],
        .since_ns = since_ns,
        .until_ns = until_ns,
        .is_longer = run->is_longer,
        .is_over = run->is_over,
        .out = run->out,
        .windows = run->windows,
    };
    return finding_add(check, &finding);
}

static int outliers_report(struct node_check *check, const struct node_metric *metric)
{
    const struct node_check_opts *opts = &check->opts;
    size_t run_min =
        opts->window_count < NODE_RUN_MIN ? opts->window_count : NODE_RUN_MIN;
    int rc = 0;
    for (size_t host = 0; rc == 0 && host < opts->host_count; host++) {
        struct node_run run = { 0 };
        if (opts->hosts[host].is_selected &&
            node_run_find(&check->scores[host * opts->window_count], opts->window_count,
                          check->results.chance_each, run_min, &run))
            rc = run_report(check, metric, host, &run);
    }
    return rc;
}

static int outliers_find(struct node_check *check, const struct node_metric *metric)
{
    const struct node_check_opts *opts = &check->opts;
    uint64_t before = check->results.comparisons;
    bool integral = is_integral(metric, opts->host_count);
    int rc = 0;
    memset(check->scores, 0,
           opts->host_count * opts->window_count * sizeof *check->scores);
    for (size_t w = 0; rc == 0 && w < opts->window_count; w++) {
        struct node_group group;
        size_t at = 0;
        while (rc == 0 && node_groups_next(&check->groups, w, &at, &group))
            if (group.job != NODE_JOBS_MIXED && group.count > NODE_OTHERS_MIN)
                rc = group_score(check, metric, &group, w, integral);
    }
    check->results.metrics += check->results.comparisons > before;
    return rc == 0 ? outliers_report(check, metric) : rc;
}

/* ---- series that do not change, or have ended ---- */

/* At 0 it may be idle. */
static bool is_stuck(const struct node_series *series)
{
    return series->count >= STUCK_SAMPLES_MIN && series->min == series->max &&
           series->min != 0;
}

/* Of a class: how many have samples enough, and how many of these never change. */
static void stuck_count(const struct node_check *check,
                        const struct node_metric *metric, size_t class, size_t *ret_all,
                        size_t *ret_stuck)
{
    *ret_all = *ret_stuck = 0;
    for (size_t i = 0; i < check->opts.host_count; i++) {
        if (check->opts.hosts[i].class != class)
            continue;
        *ret_all += metric->series[i].count >= STUCK_SAMPLES_MIN;
        *ret_stuck += is_stuck(&metric->series[i]);
    }
}

static bool is_found_already(const struct node_check *check, size_t from, size_t host)
{
    for (size_t i = from; i < check->results.count; i++)
        if (check->results.findings[i].host == host)
            return true;
    return false;
}

/* from: where findings of this metric begin. */
static int stuck_find(struct node_check *check, const struct node_metric *metric,
                      size_t from)
{
    size_t class = SIZE_MAX, all = 0, stuck = 0;
    int rc = 0;
    for (size_t host = 0; rc == 0 && host < check->opts.host_count; host++) {
        const struct node_series *series = &metric->series[host];
        if (!check->opts.hosts[host].is_selected || !is_stuck(series) ||
            is_found_already(check, from, host))
            continue;
        if (check->opts.hosts[host].class != class) {
            class = check->opts.hosts[host].class;
            stuck_count(check, metric, class, &all, &stuck);
        }
        if (all <= NODE_OTHERS_MIN ||
            (stuck > 1 && (double)stuck > STUCK_SHARE_MAX * (double)all))
            continue;
        const struct node_finding finding = { .host = host,
                                              .problem = NODE_STUCK,
                                              .metric = metric->name,
                                              .unit = metric->unit,
                                              .value = series->min,
                                              .median = NAN,
                                              .deviations = NAN,
                                              .chance = NAN,
                                              .others = all - 1,
                                              .job = NODE_JOB_NONE,
                                              .since_ns = series->first_ns,
                                              .until_ns = series->last_ns,
                                              .is_longer = true };
        rc = finding_add(check, &finding);
    }
    return rc;
}

/* The median of what hosts have; INT64_MIN: none has. */
static int64_t median_of(double *numbers, size_t count)
{
    return count == 0 ? INT64_MIN
                      : (int64_t)quantile(numbers, numbers_sort(numbers, count), 0.5);
}

/* Between samples of the metric; 0: not known. */
static int64_t interval_of(struct node_check *check, const struct node_metric *metric)
{
    size_t count = 0;
    for (size_t i = 0; i < check->opts.host_count; i++) {
        const struct node_series *s = &metric->series[i];
        if (s->count > 1)
            check->numbers[count++] =
                (double)(s->last_ns - s->first_ns) / (double)(s->count - 1);
    }
    return count == 0 ? 0 : median_of(check->numbers, count);
}

static int64_t grace_of(int64_t interval_ns)
{
    return SILENT_SAMPLES * interval_ns + SILENT_NS;
}

struct stopping {
    int64_t before_ns; /* what ended before it has stopped */
    size_t all, stopped;
};

static struct stopping stopping_of(struct node_check *check,
                                   const struct node_metric *metric, size_t class,
                                   int64_t grace_ns)
{
    struct stopping s = { 0 };
    const struct node_host *hosts = check->opts.hosts;
    for (size_t i = 0; i < check->opts.host_count; i++)
        if (hosts[i].class == class && metric->series[i].is_there &&
            metric->series[i].last_ns != INT64_MIN)
            check->numbers[s.all++] = (double)metric->series[i].last_ns;
    if (s.all > 0)
        s.before_ns = median_of(check->numbers, s.all) - grace_ns;
    for (size_t i = 0; i < s.all; i++)
        s.stopped += check->numbers[i] < (double)s.before_ns;
    return s;
}

static int stopped_find(struct node_check *check, const struct node_metric *metric,
                        int64_t interval_ns)
{
    const struct node_host *hosts = check->opts.hosts;
    struct stopping s = { 0 };
    size_t class = SIZE_MAX;
    int rc = 0;
    for (size_t host = 0; rc == 0 && host < check->opts.host_count; host++) {
        const struct node_series *series = &metric->series[host];
        if (!hosts[host].is_selected || !series->is_there ||
            series->last_ns == INT64_MIN)
            continue;
        if (hosts[host].class != class) {
            class = hosts[host].class;
            s = stopping_of(check, metric, class, grace_of(interval_ns));
        }
        if (series->last_ns >= s.before_ns || s.all <= NODE_OTHERS_MIN ||
            (s.stopped > 1 && (double)s.stopped > STOPPED_SHARE_MAX * (double)s.all))
            continue;
        const struct node_finding finding = { .host = host,
                                              .problem = NODE_STOPPED,
                                              .metric = metric->name,
                                              .unit = metric->unit,
                                              .value = NAN,
                                              .median = NAN,
                                              .deviations = NAN,
                                              .chance = NAN,
                                              .others = s.all - 1,
                                              .job = NODE_JOB_NONE,
                                              .since_ns = series->last_ns,
                                              .until_ns = series->last_ns };
        rc = finding_add(check, &finding);
    }
    return rc;
}

int node_check_add_metric(struct node_check *check, const struct node_metric *metric)
{
    size_t from = check->results.count;
    if (!check->is_sorted)
        node_groups_sort(&check->groups);
    check->is_sorted = true;
    for (size_t i = 0; i < check->opts.host_count; i++) {
        struct host_state *state = &check->states[i];
        if (metric->series[i].is_there && metric->series[i].last_ns > state->last_ns)
            state->last_ns = metric->series[i].last_ns;
    }
    int64_t interval_ns = interval_of(check, metric);
    if (interval_ns > 0 &&
        (check->interval_ns == 0 || interval_ns < check->interval_ns))
        check->interval_ns = interval_ns;
    int rc = outliers_find(check, metric);
    if (rc == 0 && !metric->is_counter)
        rc = stuck_find(check, metric, from);
    return rc == 0 ? stopped_find(check, metric, interval_ns) : rc;
}

/* ---- nodes that send nothing any more ---- */

static int64_t newest_of_cluster(struct node_check *check, size_t cluster)
{
    size_t count = 0;
    for (size_t i = 0; i < check->opts.host_count; i++)
        if (check->opts.hosts[i].cluster == cluster &&
            check->states[i].last_ns != INT64_MIN)
            check->numbers[count++] = (double)check->states[i].last_ns;
    return median_of(check->numbers, count);
}

static int silent_add(struct node_check *check, size_t host)
{
    const struct node_finding finding = { .host = host,
                                          .problem = NODE_SILENT,
                                          .value = NAN,
                                          .median = NAN,
                                          .deviations = NAN,
                                          .chance = NAN,
                                          .job = NODE_JOB_NONE,
                                          .since_ns = check->states[host].last_ns,
                                          .until_ns = check->states[host].last_ns };
    check->states[host].is_silent = true;
    check->results.silent++;
    return finding_add(check, &finding);
}

static int silent_find(struct node_check *check)
{
    size_t cluster = SIZE_MAX;
    int64_t newest_ns = INT64_MIN;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < check->opts.host_count; i++) {
        const struct node_host *host = &check->opts.hosts[i];
        struct host_state *state = &check->states[i];
        if (host->cluster != cluster)
            newest_ns = newest_of_cluster(check, cluster = host->cluster);
        if (state->last_ns > check->results.newest_ns)
            check->results.newest_ns = state->last_ns;
        if (!host->is_selected)
            continue;
        check->results.compared += state->is_compared;
        check->results.unknown += state->last_ns == INT64_MIN;
        if (state->last_ns != INT64_MIN &&
            state->last_ns < newest_ns - grace_of(check->interval_ns))
            rc = silent_add(check, i);
    }
    return rc;
}

/* Of a silent node each metric has stopped. */
static void stopped_drop(struct node_check *check)
{
    struct node_results *results = &check->results;
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++)
        if (results->findings[i].problem != NODE_STOPPED ||
            !check->states[results->findings[i].host].is_silent)
            results->findings[count++] = results->findings[i];
    results->count = count;
    for (size_t i = 0; i < count; i++)
        check->states[results->findings[i].host].is_found = true;
    for (size_t i = 0; i < check->opts.host_count; i++)
        results->found += check->states[i].is_found;
}

/* The silent, then what is so now, then what has a chance, the least first. */
static int finding_rank(const struct node_finding *f)
{
    if (f->problem == NODE_SILENT)
        return 0;
    int rank = f->problem == NODE_STOPPED ? 3 : isnan(f->chance) ? 2 : 1;
    return rank + 3 * f->is_over;
}

static int by_rank(const void *a, const void *b)
{
    const struct node_finding *x = a, *y = b;
    if (finding_rank(x) != finding_rank(y))
        return finding_rank(x) < finding_rank(y) ? -1 : 1;
    if (x->chance < y->chance || x->chance > y->chance)
        return x->chance < y->chance ? -1 : 1;
    if (x->problem == NODE_SILENT && x->since_ns != y->since_ns)
        return x->since_ns > y->since_ns ? -1 : 1;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->metric && y->metric ? strcmp(x->metric, y->metric) : 0;
}

int node_check_finish(struct node_check *check, const struct node_results **ret)
{
    check->results.newest_ns = INT64_MIN;
    int rc = silent_find(check);
    if (rc < 0)
        return rc;
    stopped_drop(check);
    if (check->results.count > 1)
        qsort(check->results.findings, check->results.count,
              sizeof *check->results.findings, by_rank);
    *ret = &check->results;
    return 0;
}
