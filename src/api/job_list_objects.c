/* SPDX-License-Identifier: Apache-2.0 */
/* job_list_objects - runs as baro job list prints them with --output json. */
#include "api/job_list_objects.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "report/report.h"

#define MOVED_LIMIT "100000" /* jobs of a user in a window */

struct run_list {
    const struct job_list_request *request;
    const struct site *site;
    struct job_list list;
    struct budget_meter meter;
    uint64_t bytes;
    uint64_t most; /* half of what a lone query may hold: the table has it all again */
    bool is_cut;
};

static uint64_t run_bytes(const struct job *job)
{
    return sizeof *job + job->cluster.size + job->id.size + job->raw_id.size +
           job->name.size + job->user.size + job->account.size + job->partition.size +
           job->state.size + job->nodes.size;
}

static int run_collect(void *arg, const struct job *job)
{
    struct run_list *runs = arg;
    const struct span fs = runs->request->fs;
    if (!job_scope_has(&runs->request->scope, job) ||
        (fs.data && runs->site && !site_fs_is_of(runs->site, fs, job->cluster)))
        return 0;
    runs->bytes += run_bytes(job);
    runs->is_cut = runs->bytes > runs->most;
    int rc = runs->is_cut ? -ECANCELED : budget_meter_follow(&runs->meter, runs->bytes);
    return rc < 0 ? rc : job_list_add(&runs->list, job);
}

static int moved_time_set(struct selection *sel, const char *name, int64_t t_ns,
                          struct err *err)
{
    char text[TIMETEXT_SIZE];
    size_t size = timetext_print(text, t_ns);
    return selection_set(sel, span_of(name), (struct span){ text, size }, err);
}

/* What the jobs of a user moved in a window, by the counters of file systems.  A list
 * is without it where the client may not read that, or it cannot be read. */
static void moved_read(const struct api_readers *readers,
                       const struct job_filter *filter, const char *user,
                       struct budget_hold *hold, struct table *ret)
{
    static const char *const fixed[][2] = { { "by", "job" },
                                            { "op", "read_bytes,write_bytes" },
                                            { "limit", MOVED_LIMIT } };
    AUTO(selection_done) struct selection sel;
    struct err why = { 0 };
    selection_init(&sel, clock_now_ms());
    sel.hold = hold;
    if (!user || filter->from_ns == JOB_TIME_NONE || !readers->ctx)
        return;
    int64_t to_ns = filter->to_ns == JOB_TIME_NONE ? clock_now_ns() : filter->to_ns;
    int rc = selection_set(&sel, SPAN("user"), span_of(user), &why);
    for (size_t i = 0; i < COUNT_OF(fixed) && rc == 0; i++)
        rc = selection_set(&sel, span_of(fixed[i][0]), span_of(fixed[i][1]), &why);
    if (rc == 0)
        rc = moved_time_set(&sel, "from", filter->from_ns, &why);
    if (rc == 0)
        rc = moved_time_set(&sel, "to", to_ns, &why);
    if (rc == 0)
        rc = row_scope_check(ROW_SCOPE_TOP, readers->client, &sel, &why);
    if (rc == 0)
        rc =
            row_scope_narrow(ROW_SCOPE_TOP, readers->client, readers->rows, &sel, &why);
    if (rc == 0)
        rc = query_top(readers->ctx, &sel, ret, &why);
    if (rc < 0) {
        table_done(ret);
        table_init(ret);
    }
}

static int run_list_print(const struct api_readers *readers,
                          const struct job_filter *filter, const struct run_list *runs,
                          struct api_result *ret)
{
    AUTO(table_done) struct table table;
    AUTO(table_done) struct table moved;
    const struct job_list_request *request = runs->request;
    bool has_from = filter->from_ns != JOB_TIME_NONE;
    bool has_to = filter->to_ns != JOB_TIME_NONE;
    table_init(&table);
    table_init(&moved);
    if (!request->is_load)
        moved_read(readers, filter, request->user, ret->hold, &moved);
    const struct job_list_table_opts opts = {
        .query = { .cluster = filter->cluster.data ? filter->cluster : SPAN(""),
                   .node = filter->node.data ? filter->node : SPAN(""),
                   .user = filter->user,
                   .from_ns = has_from ? filter->from_ns : INT64_MIN,
                   .to_ns = has_to ? filter->to_ns : INT64_MAX },
        .id = request->id,
        .array = request->array,
        .has_window = has_from || has_to || filter->node.data,
        .has_to = has_to,
        .io = moved.column_count ? &moved : NULL,
        .names_nodes = request->names_nodes,
    };
    if (request->is_load)
        job_load_table(&runs->list, &opts.query, &table);
    else
        job_list_table(&runs->list, &opts, &table);
    int rc = table_error(&table);
    if (rc == 0)
        rc = budget_hold_add(ret->hold, table_bytes(&table));
    if (rc == 0)
        table_print_objects(&table, ret->body);
    return rc < 0 ? rc : strbuf_error(ret->body);
}

int job_list_objects(const struct api_readers *readers, const struct job_filter *filter,
                     const struct job_list_request *request, struct api_result *ret,
                     struct err *err)
{
    struct run_list runs = { .request = request,
                             .site = readers->api->opts.site,
                             .meter = { ret->hold },
                             .most = budget_hold_most(ret->hold) / 2 };
    bool has_more = false;
    job_list_init(&runs.list);
    int rc =
        records_find_jobs(readers->rows, filter, run_collect, &runs, &has_more, err);
    if (rc == -ECANCELED && runs.is_cut)
        rc = 0;
    ret->has_more = has_more || runs.is_cut;
    if (rc == 0 && request->is_load && ret->has_more)
        rc = err_set(err, E2BIG,
                     "there are more jobs than are counted at once: name a "
                     "window, or a user");
    if (rc == 0 && job_list_name_users(&runs.list) < 0)
        rc = -ENOMEM;
    if (rc == 0)
        rc = run_list_print(readers, filter, &runs, ret);
    job_list_done(&runs.list);
    budget_meter_done(&runs.meter);
    return rc;
}
