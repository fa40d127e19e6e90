/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers_query - barod, or its database, asked what the servers counted of a run.
 */
#include "client/job/servers.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>

#define ROWS_MAX 100000 /* targets of a file system */
#define HOUR_NS (INT64_C(3600) * NS_PER_S)

/* What all questions about one run share. */
struct asked {
    const struct client_endpoint *endpoint;
    char job[NUMBER_DIGITS_MAX + 1];
    char fs[128];
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
};

/* ---- when ---- */

static int summary_request(const struct client_args *args, struct asked *a,
                           struct job_servers *ret, struct err *err)
{
    AUTO(client_close) struct client *client = NULL;
    AUTO(selection_done) struct selection sel;
    struct table parts[QUERY_JOB_PART_COUNT];
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    selection_init(&sel, clock_now_ms());
    int rc = client_args_select(args, &sel, err);
    if (rc == 0)
        rc = client_open(a->endpoint, &client, err);
    if (rc == 0)
        rc = client_job(client, &sel, parts, err);
    const struct table *t = &parts[QUERY_JOB_SUMMARY];
    int from = table_find_column(t, "from");
    int to = table_find_column(t, "to");
    int fs = table_find_column(t, "fs");
    bool is_whole = rc == 0 && from >= 0 && to >= 0 && fs >= 0 &&
                    t->columns[from].type == TABLE_TIME &&
                    t->columns[to].type == TABLE_TIME &&
                    t->columns[fs].type == TABLE_TEXT && t->row_count == 1;
    if (rc == 0 && !is_whole)
        rc = err_set(err, EBADMSG, "the answer has other columns than were asked for");
    if (is_whole) {
        ret->from_ms = table_at(t, 0, (size_t)from)->i64;
        ret->to_ms = table_at(t, 0, (size_t)to)->i64;
        const struct table_cell *name = table_at(t, 0, (size_t)fs);
        (void)snprintf(a->fs, sizeof a->fs, "%s", name->is_null ? "" : name->text);
    }
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
    return rc;
}

/* From the first reading before the job's rows to its last row.  Where an id stands for
 * more than this run (they come again after years), rows near the run are taken. */
static int window_find(struct asked *a, const struct profile *run,
                       struct job_servers *ret, struct err *err)
{
    struct client_args args = { 0 };
    const int64_t start_ns = run->start_s * NS_PER_S;
    const int64_t end_ns = start_ns + (int64_t)(run->run_s * (double)NS_PER_S);
    args.job = a->job;
    int rc = summary_request(&args, a, ret, err);
    bool is_near = rc == 0 && ret->from_ms * NS_PER_MS >= start_ns - HOUR_NS &&
                   ret->to_ms * NS_PER_MS <= end_ns + HOUR_NS;
    if (rc == 0 && !is_near) {
        (void)timetext_print(a->from, start_ns);
        (void)timetext_print(a->to, end_ns + HOUR_NS / 6);
        args.from = a->from;
        args.to = a->to;
        rc = summary_request(&args, a, ret, err);
    }
    if (rc < 0)
        return rc;
    (void)timetext_print(a->from, ret->from_ms * NS_PER_MS);
    (void)timetext_print(a->to, ret->to_ms * NS_PER_MS);
    return 0;
}

/* ---- who ---- */

/* The biggest rows by target, or by job where a target is named. */
static int top_ask(const struct asked *a, const char *job, const char *target,
                   struct table *ret, struct err *err)
{
    AUTO(client_close) struct client *client = NULL;
    AUTO(selection_done) struct selection sel;
    const char *by = target ? "job" : "target";
    const char *ops[8];
    struct client_args args = { 0 };
    for (size_t i = 0; i < job_servers_op_count; i++)
        ops[i] = job_servers_ops[i];
    args.fs = *a->fs ? a->fs : NULL;
    args.job = job;
    args.target = target;
    args.from = a->from;
    args.to = a->to;
    args.by = (struct option_list){ &by, 1 };
    args.ops = (struct option_list){ ops, job_servers_op_count };
    args.limit = ROWS_MAX;
    selection_init(&sel, clock_now_ms());
    int rc = client_args_select(&args, &sel, err);
    if (rc == 0)
        rc = client_open(a->endpoint, &client, err);
    return rc < 0 ? rc : client_table(client, CLIENT_TOP, &sel, ret, err);
}

static int neighbours_ask(const struct asked *a, struct job_servers *servers,
                          struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < servers->target_count && i < JOB_SERVERS_QUERIED;
         i++) {
        AUTO(table_done) struct table by_job;
        struct server_target *t = &servers->targets[i];
        table_init(&by_job);
        rc = top_ask(a, NULL, t->name, &by_job, err);
        if (rc == 0)
            rc = job_servers_add_neighbours(servers, t, a->job, &by_job, err);
    }
    return rc;
}

static int texts_keep(struct job_servers *s, const struct asked *a,
                      const struct table *own, struct err *err)
{
    int user = table_find_column(own, "user");
    s->fs = *a->fs ? arena_dup(&s->arena, span_of(a->fs)) : NULL;
    s->user = NULL;
    if (user >= 0 && own->row_count > 0 && !table_at(own, 0, (size_t)user)->is_null)
        s->user = arena_dup(&s->arena, span_of(table_at(own, 0, (size_t)user)->text));
    return *a->fs && !s->fs ? err_set(err, ENOMEM, "out of memory") : 0;
}

int job_servers_query(const struct client_endpoint *endpoint, const struct profile *run,
                      struct job_servers *ret, struct err *err)
{
    AUTO(table_done) struct table own;
    AUTO(table_done) struct table all;
    AUTO(job_servers_done) struct job_servers s = { 0 };
    struct job_servers window = { 0 };
    struct asked a = { .endpoint = endpoint };
    table_init(&own);
    table_init(&all);
    if (run->jobid <= 0)
        return err_set(err, ENOENT, "the log names no job");
    (void)snprintf(a.job, sizeof a.job, "%lld", (long long)run->jobid);
    int rc = window_find(&a, run, &window, err);
    if (rc == 0)
        rc = top_ask(&a, a.job, NULL, &own, err);
    if (rc == 0)
        rc = top_ask(&a, NULL, NULL, &all, err);
    if (rc == 0)
        rc = job_servers_make(run, &own, &all, &s, err);
    if (rc < 0)
        return rc;
    s.from_ms = window.from_ms;
    s.to_ms = window.to_ms;
    rc = texts_keep(&s, &a, &own, err);
    if (rc == 0)
        rc = neighbours_ask(&a, &s, err);
    if (rc < 0)
        return rc;
    *ret = s;
    s = (struct job_servers){ 0 };
    return 0;
}
