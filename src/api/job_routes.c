/* SPDX-License-Identifier: Apache-2.0 */
/* job_routes - GET /v1/jobs and /v1/summaries: what was submitted, as a table, as the
 * lines that were posted, or as CSV.
 */
#include "api/job_routes.h"

#include "api/job_footprints.h"
#include "api/job_list_objects.h"
#include "api/params.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/timetext.h"
#include "base/utf8.h"
#include "query/query.h"
#include "report/report.h"

#include <assert.h>

#define LIMIT_DEFAULT 1000
#define LIMIT_MAX 100000
/* A response that is longer ends behind this, and says that there is more: with one
 * more line, whose every byte is escaped, it is within what baro takes, which is 64
 * MiB. */
#define ANSWER_BYTES_MAX ((size_t)56 << 20)
#define TEXT_BYTES_MAX 1024

enum form { FORM_TABLE, FORM_LINES, FORM_CSV, FORM_JSON, FORM_COUNT };

static const struct {
    const char *name, *content_type;
} forms[FORM_COUNT] = {
    [FORM_TABLE] = { "table", NULL },
    [FORM_LINES] = { "lines", "application/x-ndjson" },
    [FORM_CSV] = { "csv", "text/csv; charset=utf-8" },
    [FORM_JSON] = { "json", NULL },
};

/* ---- what is asked ---- */

/* Texts are the query's own: the request's end with its handler. */
struct text {
    bool is_asked;
    size_t size;
    char data[TEXT_BYTES_MAX + 1]; /* ends with a NUL */
};

enum word {
    WORD_CLUSTER,
    WORD_ID,
    WORD_ARRAY,
    WORD_JOB,
    WORD_USER,
    WORD_ACCOUNT,
    WORD_STATE,
    WORD_NODE,
    WORD_APP,
    WORD_FS,
    WORD_WORST,
    WORD_FOOTPRINT,
    WORD_COUNT,
};

static const char *const word_names[WORD_COUNT] = {
    [WORD_CLUSTER] = "cluster", [WORD_ID] = "id",       [WORD_JOB] = "job",
    [WORD_ARRAY] = "array",     [WORD_USER] = "user",   [WORD_NODE] = "node",
    [WORD_ACCOUNT] = "account", [WORD_STATE] = "state", [WORD_APP] = "app",
    [WORD_FS] = "fs",           [WORD_WORST] = "worst", [WORD_FOOTPRINT] = "footprint",
};

struct query {
    struct text words[WORD_COUNT];
    int64_t from_ns, to_ns; /* JOB_TIME_NONE: open */
    uint64_t limit;
    enum form form;
    bool is_of_summaries;
    bool is_worst; /* what jobs used of what they were given */
    enum job_usage_order order;
    bool are_tasks_apart;
    bool is_load, names_nodes; /* of format=json */
};

static struct span word_of(const struct query *q, enum word word)
{
    const struct text *text = &q->words[word];
    return text->is_asked ? (struct span){ text->data, text->size }
                          : (struct span){ 0 };
}

static int read_text(struct span name, struct span value, struct text *text,
                     struct err *err)
{
    if (value.size > TEXT_BYTES_MAX || memchr(value.data, 0, value.size) ||
        !utf8_is_valid(value))
        return err_set(err, EINVAL, SPAN_FMT ": too long, or no text", SPAN_ARG(name));
    memcpy(text->data, value.data, value.size);
    text->size = value.size;
    text->is_asked = true;
    return 0;
}

static int read_time(struct span name, struct span value, int64_t *ret_ns,
                     struct err *err)
{
    if (timetext_parse_user(value, clock_now_ns(), ret_ns) == 0)
        return 0;
    return err_set(err, EINVAL,
                   SPAN_FMT ": '" SPAN_FMT "' is not a time: RFC 3339, a date, -2h, "
                            "@seconds or now",
                   SPAN_ARG(name), SPAN_ARG(value));
}

static int read_form(struct span value, struct query *q, struct err *err)
{
    enum form own = q->is_of_summaries ? FORM_CSV : FORM_JSON;
    const enum form legal[] = { FORM_TABLE, FORM_LINES, own };
    for (size_t i = 0; i < COUNT_OF(legal); i++) {
        if (!span_is(value, forms[legal[i]].name))
            continue;
        q->form = legal[i];
        return 0;
    }
    return err_set(err, EINVAL,
                   "format: invalid value '" SPAN_FMT "' (choose table, lines, %s)",
                   SPAN_ARG(value), forms[own].name);
}

static int read_flag(struct span name, struct span value, bool *ret, struct err *err)
{
    if (!span_is(value, "true") && !span_is(value, "false"))
        return err_set(err, EINVAL,
                       SPAN_FMT ": invalid value '" SPAN_FMT "' (choose true, false)",
                       SPAN_ARG(name), SPAN_ARG(value));
    *ret = span_is(value, "true");
    return 0;
}

static int read_limit(struct span value, uint64_t *ret, struct err *err)
{
    if (number_parse_u64(value, ret) == 0 && *ret >= 1 && *ret <= LIMIT_MAX)
        return 0;
    return err_set(err, EINVAL, "limit: '" SPAN_FMT "' is not in 1..%d",
                   SPAN_ARG(value), LIMIT_MAX);
}

/* name is one of the route's parameters: api.c has looked. */
static int read_one(struct query *q, struct span name, struct span value,
                    struct err *err)
{
    if (span_is(name, "from"))
        return read_time(name, value, &q->from_ns, err);
    if (span_is(name, "to"))
        return read_time(name, value, &q->to_ns, err);
    if (span_is(name, "limit"))
        return read_limit(value, &q->limit, err);
    if (span_is(name, "format"))
        return read_form(value, q, err);
    if (span_is(name, "tasks"))
        return read_flag(name, value, &q->are_tasks_apart, err);
    if (span_is(name, "load"))
        return read_flag(name, value, &q->is_load, err);
    if (span_is(name, "nodes"))
        return read_flag(name, value, &q->names_nodes, err);
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (span_is(name, word_names[i]))
            return read_text(name, value, &q->words[i], err);
    return 0;
}

static int read_query(struct net_request *request, bool is_of_summaries, void **ret,
                      struct err *err)
{
    AUTO_FREE struct query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    q->from_ns = q->to_ns = JOB_TIME_NONE;
    q->is_of_summaries = is_of_summaries;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        if (api_params_is_repeated(request, i, name))
            return err_set(err, EINVAL, SPAN_FMT ": it is given twice", SPAN_ARG(name));
        int rc = read_one(q, name, value, err);
        if (rc < 0)
            return rc;
    }
    if (q->from_ns != JOB_TIME_NONE && q->to_ns != JOB_TIME_NONE &&
        q->from_ns >= q->to_ns)
        return err_set(err, EINVAL, "the window ends before it begins");
    if (q->limit == 0)
        q->limit = word_of(q, WORD_WORST).data ? USAGE_TABLE_LIMIT_DEFAULT
                   : q->form == FORM_JSON      ? LIMIT_MAX /* as the command has it */
                                               : LIMIT_DEFAULT;
    *ret = TAKE(q);
    return 0;
}

/* Of what jobs were given; of footprints job_footprints.c reads it. */
static int order_check(struct query *q, struct err *err)
{
    struct span worst = word_of(q, WORD_WORST);
    q->is_worst = worst.data && !word_of(q, WORD_FOOTPRINT).data;
    if (!q->is_worst || job_usage_order_parse(worst, &q->order) == 0)
        return 0;
    return err_set(err, EINVAL,
                   "worst: invalid value '" SPAN_FMT "' (choose " JOB_USAGE_ORDERS ")",
                   SPAN_ARG(worst));
}

/* What baro job list --load and --nodes print is rows of runs. */
static int list_flags_check(const struct query *q, struct err *err)
{
    const char *flag = q->is_load ? "load" : q->names_nodes ? "nodes" : NULL;
    bool has_rows = word_of(q, WORD_WORST).data || word_of(q, WORD_FOOTPRINT).data;
    bool is_of_one = word_of(q, WORD_ID).data || word_of(q, WORD_ARRAY).data;
    if (!flag)
        return 0;
    if (q->form != FORM_JSON || has_rows)
        return err_set(err, EINVAL,
                       "%s: it needs format=json, without worst or footprint", flag);
    if (q->is_load && (is_of_one || q->names_nodes))
        return err_set(err, EINVAL, "load: not with id, array or nodes");
    return 0;
}

static int jobs_check(struct query *q, struct err *err)
{
    bool is_wide = q->from_ns == JOB_TIME_NONE && !q->words[WORD_ID].is_asked;
    bool has_rows = word_of(q, WORD_WORST).data || word_of(q, WORD_FOOTPRINT).data;
    if (q->words[WORD_NODE].is_asked && is_wide)
        return err_set(err, EINVAL, "node: which jobs ran on it wants a window: from");
    if (has_rows && word_of(q, WORD_FS).data)
        return err_set(err, EINVAL, "fs: not with %s",
                       word_of(q, WORD_WORST).data ? "worst" : "footprint");
    if (has_rows && q->form == FORM_LINES)
        return err_set(err, EINVAL, "format: lines are of single jobs: not with %s",
                       word_of(q, WORD_WORST).data ? "worst" : "footprint");
    int rc = list_flags_check(q, err);
    if (rc == 0)
        rc = order_check(q, err);
    if (rc == 0 && q->are_tasks_apart && !q->is_worst)
        return err_set(err, EINVAL, "tasks: it needs worst, without footprint");
    return rc < 0 || !word_of(q, WORD_FOOTPRINT).data
               ? rc
               : run_metrics_check(word_of(q, WORD_FOOTPRINT).data,
                                   word_of(q, WORD_WORST).data, err);
}

int jobs_read(struct net_request *request, void **ret_query, struct err *err)
{
    int rc = read_query(request, false, ret_query, err);
    if (rc < 0)
        return rc;
    rc = jobs_check(*ret_query, err);
    if (rc < 0)
        free(TAKE(*ret_query));
    return rc;
}

int summaries_read(struct net_request *request, void **ret_query, struct err *err)
{
    return read_query(request, true, ret_query, err);
}

/* ---- responses ---- */

struct answer {
    const struct query *query;
    const struct site *site;
    struct table table;
    struct strbuf *out;
    bool is_cut; /* at ANSWER_BYTES_MAX, or at what a lone query may hold */
    struct job_scope scope;
    struct budget_meter meter;
};

static uint64_t held_bytes(const struct answer *a)
{
    return a->out->capacity + table_bytes(&a->table);
}

/* Both grow to twice their size at most, so that one more row of what is within half of
 * the budget is within the whole. */
static bool is_full(struct answer *a)
{
    a->is_cut = a->is_cut || a->out->size > ANSWER_BYTES_MAX ||
                a->table.arena.used_bytes > ANSWER_BYTES_MAX ||
                held_bytes(a) > budget_hold_most(a->meter.hold) / 2;
    return a->is_cut;
}

/* Both are charged until the response is complete. */
static int follow(struct answer *a)
{
    return budget_meter_follow(&a->meter, held_bytes(a));
}

/* rc: of the reading, which was ended where the answer was full.  *a is done with. */
static int finish(struct answer *a, int rc, bool has_more, struct api_result *result)
{
    AUTO(table_done) struct table table = a->table;
    if (rc < 0 && !(rc == -ECANCELED && a->is_cut))
        return rc;
    has_more = has_more || a->is_cut;
    result->content_type = forms[a->query->form].content_type;
    result->has_more = has_more;
    if (a->query->form != FORM_TABLE)
        return 0;
    if (a->is_cut)
        table_add_note(&table, "there are more than a response may hold: query less");
    else if (has_more)
        table_add_note(&table, "there are more: query with a higher limit, or less");
    table_to_json(&table, a->out);
    return 0;
}

/* ---- jobs ---- */

enum job_table_column {
    JOB_COLUMN_CLUSTER,
    JOB_COLUMN_ID,
    JOB_COLUMN_RAW_ID,
    JOB_COLUMN_USER,
    JOB_COLUMN_ACCOUNT,
    JOB_COLUMN_PARTITION,
    JOB_COLUMN_STATE,
    JOB_COLUMN_SUBMIT,
    JOB_COLUMN_START,
    JOB_COLUMN_END,
    JOB_COLUMN_NODE_COUNT,
    JOB_COLUMN_NODES,
    JOB_COLUMN_NAME,
    JOB_COLUMN_RESOURCE, /* the first of enum job_resource, in its order */
    JOB_COLUMN_COUNT = JOB_COLUMN_RESOURCE + JOB_RESOURCE_COUNT,
};

static void add_job_columns(struct table *table)
{
    static const struct {
        const char *name;
        enum table_type type;
    } columns[JOB_COLUMN_RESOURCE] = {
        [JOB_COLUMN_CLUSTER] = { "cluster", TABLE_TEXT },
        [JOB_COLUMN_ID] = { "job", TABLE_TEXT },
        [JOB_COLUMN_RAW_ID] = { "raw_id", TABLE_TEXT },
        [JOB_COLUMN_USER] = { "user", TABLE_TEXT },
        [JOB_COLUMN_ACCOUNT] = { "account", TABLE_TEXT },
        [JOB_COLUMN_PARTITION] = { "partition", TABLE_TEXT },
        [JOB_COLUMN_STATE] = { "state", TABLE_TEXT },
        [JOB_COLUMN_SUBMIT] = { "submit", TABLE_TIME },
        [JOB_COLUMN_START] = { "start", TABLE_TIME },
        [JOB_COLUMN_END] = { "end", TABLE_TIME },
        [JOB_COLUMN_NODE_COUNT] = { "node_count", TABLE_U64 },
        [JOB_COLUMN_NODES] = { "nodes", TABLE_TEXT },
        [JOB_COLUMN_NAME] = { "name", TABLE_TEXT },
    };
    for (size_t i = 0; i < JOB_COLUMN_RESOURCE; i++)
        table_add_column(table, columns[i].name, columns[i].type, "");
    for (size_t i = 0; i < JOB_RESOURCE_COUNT; i++)
        table_add_column(table, job_resource_names[i], TABLE_U64, "");
}

static bool job_uses_fs(const struct site *site, struct span fs, const struct job *job)
{
    return !fs.data || !site || site_fs_is_of(site, fs, job->cluster);
}

static int add_job(void *arg, const struct job *job)
{
    struct answer *a = arg;
    struct table *table = &a->table;
    if (is_full(a))
        return -ECANCELED;
    int rc = follow(a);
    if (rc < 0 || !job_scope_has(&a->scope, job) ||
        !job_uses_fs(a->site, word_of(a->query, WORD_FS), job))
        return rc;
    if (a->query->form == FORM_LINES) {
        job_line_print(job, a->out);
        return strbuf_error(a->out);
    }
    table_add_row(table);
    cell_set_bytes(table, JOB_COLUMN_CLUSTER, job->cluster);
    cell_set_bytes(table, JOB_COLUMN_ID, job->id);
    cell_set_bytes(table, JOB_COLUMN_RAW_ID, job->raw_id);
    cell_set_bytes(table, JOB_COLUMN_USER, job->user.size ? job->user : job->uid);
    cell_set_bytes(table, JOB_COLUMN_ACCOUNT, job->account);
    cell_set_bytes(table, JOB_COLUMN_PARTITION, job->partition);
    cell_set_bytes(table, JOB_COLUMN_STATE, job->state);
    cell_set_job_time(table, JOB_COLUMN_SUBMIT, job->submit_ns);
    cell_set_job_time(table, JOB_COLUMN_START, job->start_ns);
    cell_set_job_time(table, JOB_COLUMN_END, job->end_ns);
    if (job->node_count > 0)
        table_set_u64(table, JOB_COLUMN_NODE_COUNT, job->node_count);
    cell_set_bytes(table, JOB_COLUMN_NODES, job->nodes);
    cell_set_bytes(table, JOB_COLUMN_NAME, job->name);
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        if (job_resource_known(&job->resources, i))
            table_set_u64(table, JOB_COLUMN_RESOURCE + i,
                          (uint64_t)job->resources.value[i]);
    return table_error(table);
}

/* Some batch systems report a user's number alone. */
static void names_add(const struct api_readers *readers, int64_t to_ns,
                      struct table *table)
{
    if (to_ns == JOB_TIME_NONE)
        to_ns = clock_now_ns();
    if (readers->ctx)
        user_names_add(readers->ctx->history, to_ns / NS_PER_MS, table);
}

/* Of so many runs it is made; a table of more would be one of a part. */
#define JOB_USAGE_RUNS_MAX 1000000

struct job_usage_opts {
    enum job_usage_order order;
    bool are_tasks_apart; /* elements of an array */
    size_t limit;         /* rows; 0: all */
    bool is_objects;      /* an array of objects, in place of the server's form */
    const struct job_scope *scope; /* runs that the client may see */
};

struct usage_sum {
    struct job_usage_list list;
    struct budget_meter meter;
    int64_t now_ns;
    const struct job_scope *scope;
};

static int usage_add(void *arg, const struct job *job)
{
    struct usage_sum *sum = arg;
    int rc = budget_meter_follow(&sum->meter, job_usage_bytes(&sum->list));
    bool is_counted = job->start_ns != JOB_TIME_NONE && job_scope_has(sum->scope, job);
    return rc < 0 || !is_counted ? rc : job_usage_add(&sum->list, job, sum->now_ns);
}

static int job_usage_fetch(const struct api_readers *readers,
                           const struct job_filter *filter,
                           const struct job_usage_opts *opts, struct api_result *ret,
                           struct err *err)
{
    struct usage_sum sum = { .meter = { ret->hold },
                             .now_ns = clock_now_ns(),
                             .scope = opts->scope };
    AUTO(table_done) struct table table;
    struct job_filter runs = *filter;
    bool has_more = false;
    runs.limit = JOB_USAGE_RUNS_MAX;
    table_init(&table);
    job_usage_init(&sum.list);
    sum.list.are_tasks_apart = opts->are_tasks_apart;
    int rc = records_find_jobs(readers->rows, &runs, usage_add, &sum, &has_more, err);
    if (rc == 0 && has_more)
        rc = err_set(err, E2BIG, "there are over %d runs: name a window, or a user",
                     JOB_USAGE_RUNS_MAX);
    if (rc == 0) {
        job_usage_sort(&sum.list, opts->order);
        usage_table(&sum.list, opts->limit, &table);
        if (!opts->is_objects) /* which is what baro job list prints */
            names_add(readers, filter->to_ns, &table);
        rc = budget_meter_follow(&sum.meter,
                                 job_usage_bytes(&sum.list) + table_bytes(&table));
    }
    if (rc == 0)
        rc = table_error(&table);
    if (rc == 0)
        opts->is_objects ? table_print_objects(&table, ret->body)
                         : table_to_json(&table, ret->body);
    job_usage_done(&sum.list);
    budget_meter_done(&sum.meter);
    return rc;
}

int jobs_fetch(const struct api_readers *readers, const void *query,
               struct api_result *ret, struct err *err)
{
    const struct query *q = query;
    struct answer a = { .query = q,
                        .site = readers->api->opts.site,
                        .out = ret->body,
                        .meter = { ret->hold } };
    bool has_more = false;
    job_scope_init(&a.scope, readers->client);
    const struct job_filter filter = { .owners = job_scope_owners(&a.scope),
                                       .cluster = word_of(q, WORD_CLUSTER),
                                       .id = word_of(q, WORD_ID),
                                       .array = word_of(q, WORD_ARRAY),
                                       .user = word_of(q, WORD_USER),
                                       .account = word_of(q, WORD_ACCOUNT),
                                       .state = word_of(q, WORD_STATE),
                                       .node = word_of(q, WORD_NODE),
                                       .from_ns = q->from_ns,
                                       .to_ns = q->to_ns,
                                       .limit = q->limit };
    const struct job_usage_opts usage = { .order = q->order,
                                          .are_tasks_apart = q->are_tasks_apart,
                                          .limit = (size_t)q->limit,
                                          .scope = &a.scope,
                                          .is_objects = q->form == FORM_JSON };
    const struct job_footprints_opts footprints = {
        .columns = word_of(q, WORD_FOOTPRINT),
        .worst = word_of(q, WORD_WORST),
        .limit = (size_t)q->limit,
        .is_objects = q->form == FORM_JSON,
        .scope = &a.scope,
    };
    if (footprints.columns.data)
        return job_footprints_fetch(readers, &filter, &footprints, ret, err);
    if (q->is_worst)
        return job_usage_fetch(readers, &filter, &usage, ret, err);
    if (q->form == FORM_JSON) {
        const struct job_list_request request = {
            /* They end with a NUL. */
            .id = word_of(q, WORD_ID).data,
            .array = word_of(q, WORD_ARRAY).data,
            .user = word_of(q, WORD_USER).data,
            .fs = word_of(q, WORD_FS),
            .scope = a.scope,
            .is_load = q->is_load,
            .names_nodes = q->names_nodes,
        };
        return job_list_objects(readers, &filter, &request, ret, err);
    }
    table_init(&a.table);
    add_job_columns(&a.table);
    int rc = records_find_jobs(readers->rows, &filter, add_job, &a, &has_more, err);
    if (rc == 0 && q->form == FORM_TABLE)
        names_add(readers, q->to_ns, &a.table);
    return finish(&a, rc, has_more, ret);
}

/* ---- summaries ---- */

/* A table holds fewer columns than a summary has: what a person looks at first. */
static const char *const shown_columns[] = {
    "_jobid",
    "darshan_app",
    "jobsdb_user",
    "_file_system",
    "darshan_start_time",
    "darshan_end_time",
    "darshan_nprocs",
    "darshan_walltime",
    "darshan_agg_perf_by_slowest_posix",
    "darshan_total_gibs_posix",
    "coverage_factor_bw",
    "coverage_factor_opens",
    "coverage_factor_nodehrs",
    "fs_frac_missing",
    "fs_max_oss_cpu",
    "fs_max_mds_cpu",
    "fshealth_ost_most_full_pct",
    "fshealth_ost_overloaded_oss_count",
    "jobsdb_concurrent_jobs",
    "site_fraction_of_peak",
    "_log",
};

static void add_summary_columns(struct table *table)
{
    static const enum table_type types[] = { [SCALAR_TEXT] = TABLE_TEXT,
                                             [SCALAR_I64] = TABLE_I64,
                                             [SCALAR_DOUBLE] = TABLE_DOUBLE };
    table_add_column(table, "_cluster", TABLE_TEXT, "");
    for (size_t i = 0; i < COUNT_OF(shown_columns); i++) {
        size_t hint = 0;
        int place = summary_find_column(span_of(shown_columns[i]), &hint);
        assert(place >= 0);
        table_add_column(table, shown_columns[i], types[summary_columns[place].type],
                         "");
    }
}

static void add_summary_row(struct table *table, const struct summary *summary)
{
    table_add_row(table);
    cell_set_bytes(table, 0, summary->cluster);
    for (size_t i = 0; i < COUNT_OF(shown_columns); i++) {
        size_t hint = 0;
        int place = summary_find_column(span_of(shown_columns[i]), &hint);
        const struct scalar *scalar = &summary->scalars[place];
        if (!scalar->is_present)
            continue;
        if (summary_columns[place].type == SCALAR_TEXT)
            cell_set_bytes(table, i + 1, scalar->text);
        else if (summary_columns[place].type == SCALAR_I64)
            table_set_i64(table, i + 1, scalar->i64);
        else
            table_set_double(table, i + 1, scalar->dbl);
    }
}

static int add_summary(void *arg, const struct summary *summary)
{
    struct answer *a = arg;
    if (is_full(a))
        return -ECANCELED;
    int rc = follow(a);
    if (rc < 0)
        return rc;
    if (a->query->form == FORM_LINES)
        summary_print_line(summary, a->out);
    else if (a->query->form == FORM_CSV)
        summary_print_csv(summary, a->out);
    else
        add_summary_row(&a->table, summary);
    return strbuf_error(a->out) < 0 ? -ENOMEM : table_error(&a->table);
}

int summaries_fetch(const struct api_readers *readers, const void *query,
                    struct api_result *ret, struct err *err)
{
    const struct query *q = query;
    struct answer a = { .query = q, .out = ret->body, .meter = { ret->hold } };
    bool has_more = false;
    job_scope_init(&a.scope, readers->client);
    const struct summary_filter filter = { .owners = job_scope_owners(&a.scope),
                                           .cluster = word_of(q, WORD_CLUSTER),
                                           .job = word_of(q, WORD_JOB),
                                           .user = word_of(q, WORD_USER),
                                           .app = word_of(q, WORD_APP),
                                           .fs = word_of(q, WORD_FS),
                                           .from_ns = q->from_ns,
                                           .to_ns = q->to_ns,
                                           .limit = q->limit };
    table_init(&a.table);
    add_summary_columns(&a.table);
    if (q->form == FORM_CSV)
        summary_print_csv_header(a.out);
    int rc =
        records_find_summaries(readers->rows, &filter, add_summary, &a, &has_more, err);
    return finish(&a, rc, has_more, ret);
}
