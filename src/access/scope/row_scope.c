/* SPDX-License-Identifier: Apache-2.0 */
/* row_scope - which rows of counters a client sees, who sees some jobs only. */
#include "access/scope/row_scope.h"

#include "base/number.h"
#include "base/span.h"

/* Of one id: a number of arrays and requeues, or ids that came again. */
#define RUNS_MAX 1000

struct run {
    int64_t from_ms, to_ms;
    bool is_own;
};

struct run_list {
    const struct job_scope *scope;
    struct run *runs; /* the newest start first */
    size_t count;
};

/* ---- before ---- */

static bool is_total(const struct selection *sel)
{
    const struct series_filter *f = &sel->filter;
    bool is_narrow = f->user.data || f->group.data || f->node.data ||
                     f->executable.data || f->entry_id.data || f->id;
    for (size_t i = 0; i < sel->by_count; i++)
        is_narrow |= sel->by[i] != DIM_FS && sel->by[i] != DIM_TARGET &&
                     sel->by[i] != DIM_SERVER;
    return !is_narrow && !sel->density;
}

int row_scope_check(enum row_scope scope, const struct access_client *client,
                    const struct selection *sel, struct err *err)
{
    const struct access_object general = { 0 };
    enum access_verdict jobs = access_decide(client, ACCESS_READ_JOB, &general);
    enum access_verdict totals = access_decide(client, ACCESS_READ_TOTALS, &general);
    if (scope == ROW_SCOPE_NONE || jobs == ACCESS_PERMITTED)
        return 0;
    if (jobs == ACCESS_PARTLY && sel->filter.job.data)
        return 0;
    if (scope == ROW_SCOPE_RUN || scope == ROW_SCOPE_ID)
        return err_set(err, EACCES,
                       "the role %s sees its own jobs only: name one (job)",
                       access_roles_name(client->roles));
    bool lists_jobs = scope == ROW_SCOPE_TOP && !sel->has_by;
    if (totals == ACCESS_PERMITTED && !lists_jobs && is_total(sel))
        return 0;
    return err_set(err, EACCES,
                   "the role %s sees its own jobs (job), and totals by fs, target, "
                   "server and op (by), of fs, target and server",
                   access_roles_name(client->roles));
}

/* ---- runs of an id ---- */

static int on_run(void *arg, const struct job *job)
{
    struct run_list *list = arg;
    if (job->start_ns == JOB_TIME_NONE)
        return 0;
    list->runs[list->count++] = (struct run){
        .from_ms = job->start_ns / NS_PER_MS,
        .to_ms = job->end_ns == JOB_TIME_NONE ? INT64_MAX / 2 : job->end_ns / NS_PER_MS,
        .is_own = job_scope_has(list->scope, job),
    };
    return 0;
}

/* Everyone's: what is not the client's bounds what is. */
static int runs_find(struct run_list *list, struct records_reader *rows, struct span id,
                     struct err *err)
{
    const struct job_filter filter = {
        .id = id, .from_ns = JOB_TIME_NONE, .to_ns = JOB_TIME_NONE, .limit = RUNS_MAX
    };
    bool has_more = false;
    int rc = records_find_jobs(rows, &filter, on_run, list, &has_more, err);
    if (rc == 0 && has_more)
        list->count = 0; /* those that are not known might be another's */
    return rc;
}

static bool is_another_within(const struct run_list *list, int64_t from_ms,
                              int64_t to_ms)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct run *run = &list->runs[i];
        if (!run->is_own && run->from_ms <= to_ms && run->to_ms >= from_ms)
            return true;
    }
    return false;
}

/* The newest of the client's within [from, to], and those before it with no other's
 * between; false: there is none. */
static bool window_find(const struct run_list *list, int64_t from_ms, int64_t to_ms,
                        struct run *ret)
{
    bool has_one = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct run *run = &list->runs[i];
        if (!run->is_own || run->from_ms - ROW_SCOPE_SLACK_MS > to_ms ||
            run->to_ms + ROW_SCOPE_SLACK_MS < from_ms)
            continue;
        int64_t end_ms = has_one && ret->to_ms > run->to_ms ? ret->to_ms : run->to_ms;
        if (is_another_within(list, run->from_ms, end_ms))
            return has_one;
        *ret = (struct run){ run->from_ms, end_ms, true };
        has_one = true;
    }
    return has_one;
}

/* Up to the runs of others on both sides. */
static void window_widen(const struct run_list *list, struct run *window)
{
    int64_t from_ms = window->from_ms - ROW_SCOPE_SLACK_MS;
    int64_t to_ms = window->to_ms + ROW_SCOPE_SLACK_MS;
    for (size_t i = 0; i < list->count; i++) {
        const struct run *run = &list->runs[i];
        if (run->is_own)
            continue;
        if (run->to_ms < window->from_ms && run->to_ms > from_ms)
            from_ms = run->to_ms;
        if (run->from_ms > window->to_ms && run->from_ms < to_ms)
            to_ms = run->from_ms - 1;
    }
    window->from_ms = from_ms > 0 ? from_ms : 0;
    window->to_ms = to_ms;
}

/* ---- the window of a query ---- */

static void requested_window(const struct selection *sel, int64_t *ret_from_ms,
                             int64_t *ret_to_ms)
{
    *ret_to_ms = sel->to_ms == T_NONE ? INT64_MAX / 2 : sel->to_ms;
    *ret_from_ms = sel->from_ms;
    if (sel->from_ms == T_NONE)
        *ret_from_ms =
            sel->last_ms && sel->to_ms != T_NONE ? sel->to_ms - sel->last_ms : 0;
}

/* A run that goes on leaves the end open: then it is that of the newest row. */
static void window_set(const struct run *window, struct selection *sel)
{
    int64_t end_ms = sel->to_ms == T_NONE ? sel->now_ms : sel->to_ms;
    if (window->to_ms < end_ms)
        sel->to_ms = end_ms = window->to_ms;
    if (sel->last_ms)
        sel->from_ms = end_ms - sel->last_ms;
    sel->last_ms = 0;
    if (sel->from_ms != T_NONE && sel->from_ms < window->from_ms)
        sel->from_ms = window->from_ms;
    sel->not_before_ms = window->from_ms;
}

static int narrow(enum row_scope scope, const struct run_list *list,
                  struct selection *sel)
{
    int64_t from_ms, to_ms;
    struct run window;
    size_t own = 0;
    for (size_t i = 0; i < list->count; i++)
        own += list->runs[i].is_own;
    if (scope == ROW_SCOPE_ID)
        return own > 0 && own == list->count ? 0 : -ENOENT;
    requested_window(sel, &from_ms, &to_ms);
    if (!window_find(list, from_ms, to_ms, &window))
        return -ENOENT;
    window_widen(list, &window);
    window_set(&window, sel);
    return 0;
}

int row_scope_narrow(enum row_scope scope, const struct access_client *client,
                     struct records_reader *rows, struct selection *sel,
                     struct err *err)
{
    struct job_scope jobs;
    job_scope_init(&jobs, client);
    if (scope == ROW_SCOPE_NONE || !job_scope_is_partial(&jobs) ||
        !sel->filter.job.data)
        return 0;
    if (!rows)
        return err_set(err, EAGAIN,
                       "the database is away: whose the job is, is not "
                       "known");
    AUTO_FREE struct run *runs = calloc(RUNS_MAX, sizeof *runs);
    struct run_list list = { .scope = &jobs, .runs = runs };
    if (!runs)
        return -ENOMEM;
    int rc = runs_find(&list, rows, sel->filter.job, err);
    if (rc == 0)
        rc = narrow(scope, &list, sel);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "nothing is known of a job '" SPAN_FMT "'",
                       SPAN_ARG(sel->filter.job));
    return rc;
}
