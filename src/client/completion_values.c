/* SPDX-License-Identifier: Apache-2.0 */
/* completion_values - what values of options and operands may be, as a barod has them.
 */
#include "client/completion_values.h"

#include "base/span.h"
#include "client/http.h"
#include "model/model.h"

#define ROWS_MAX 1000
#define SERIES_MAX 20000
#define PATH_LEVELS_MIN 2 /* "alex/a0903": the first level alone is no component */

static int fetch(struct completion *completion, const struct net_url *url,
                 struct table *ret)
{
    const struct client_endpoint endpoint = {
        .server = completion_given(completion, "server"),
        .token_file = completion_given(completion, "token-file"),
        .ca_file = completion_given(completion, "ca-file"),
    };
    return client_http_fetch_table(&endpoint, url, ret, NULL);
}

static bool add_column(struct completion *completion, const struct net_url *url,
                       const char *name)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    if (fetch(completion, url, &table) < 0)
        return false;
    int column = table_find_column(&table, name);
    for (size_t row = 0; column >= 0 && row < table.row_count; row++) {
        const struct table_cell *cell = table_at(&table, row, (size_t)column);
        if (!cell->is_null && table.columns[column].type == TABLE_TEXT)
            completion_add(completion, span_of(cell->text));
    }
    return true;
}

static void add_metrics(struct completion *completion)
{
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/metrics");
    net_url_add(&url, "format", "table");
    (void)add_column(completion, &url, "metric");
}

/* Who and what there was in jobstats of late; else, of jobs, those one may see. */
static void add_jobstats(struct completion *completion, const char *by)
{
    AUTO(net_url_done) struct net_url url;
    AUTO(net_url_done) struct net_url jobs;
    net_url_init(&url, "/v1/jobstats/top");
    net_url_add(&url, "by", by);
    net_url_add(&url, "last", "1d");
    net_url_add_u64(&url, "limit", ROWS_MAX);
    net_url_init(&jobs, "/v1/jobs");
    net_url_add_u64(&jobs, "limit", ROWS_MAX);
    if (!add_column(completion, &url, by) && strcmp(by, "job") == 0)
        (void)add_column(completion, &jobs, by);
}

static void add_operations(struct completion *completion)
{
    static const char *const more[] = { "all", "iops", "metadata" };
    for (size_t i = 0; i < COUNT_OF(more); i++)
        completion_add(completion, span_of(more[i]));
    for (int op = 0; op < OP_COUNT; op++)
        completion_add(completion, span_of(op_name((enum op)op)));
}

/* The first levels of path: those that are typed, and the one being typed. */
static struct span path_cut(struct span path, const char *typed)
{
    size_t levels = 1, at = 0;
    for (const char *c = typed; *c; c++)
        levels += *c == '/';
    if (levels < PATH_LEVELS_MIN)
        levels = PATH_LEVELS_MIN;
    while (at < path.size && (path.data[at] != '/' || --levels > 0))
        at++;
    return (struct span){ path.data, at };
}

/* component: a pattern.  Of paths the level that is typed, or with is_host that alone.
 */
static void add_series(struct completion *completion, const char *component,
                       const char *metric, bool is_host)
{
    AUTO(table_done) struct table table;
    AUTO(net_url_done) struct net_url url;
    struct span last = { NULL, 0 }, host;
    net_url_init(&url, "/v1/series");
    net_url_add(&url, "component", component);
    net_url_add(&url, "metric", metric);
    net_url_add_u64(&url, "limit", SERIES_MAX);
    net_url_add(&url, "format", "table");
    table_init(&table);
    if (fetch(completion, &url, &table) < 0)
        return;
    for (size_t row = 0; row < table.row_count; row++) {
        struct span path = span_of(table_at(&table, row, 0)->text);
        path = path_cut(path, is_host ? "" : completion_typed(completion));
        if (span_eq(path, last))
            continue;
        last = host = path;
        if (is_host)
            (void)span_cut(&host, '/', &path);
        completion_add(completion, is_host ? host : path);
    }
}

/* Behind a metric only components that have it. */
static void add_components(struct completion *completion, const struct option *option)
{
    AUTO(strbuf_done) struct strbuf pattern = STRBUF_INIT;
    const char *metric =
        option || span_starts(span_of(completion->command->operands), "[COMPONENT")
            ? completion_given(completion, "metric")
            : completion_operand(completion, 0);
    strbuf_addf(&pattern, "%s*", completion_typed(completion));
    if (strbuf_error(&pattern) == 0)
        add_series(completion, strbuf_text(&pattern), metric, false);
}

static void add_hosts(struct completion *completion)
{
    add_series(completion, "*/*", NULL, true);
}

static bool is_named_in(struct span name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(name, names[i]))
            return true;
    return false;
}

/* The group of jobstats whose names the value is one of; NULL: it is another thing. */
static const char *jobstats_group(struct span name, struct span kind)
{
    static const struct {
        const char *name, *by;
    } options[] = {
        { "fs", "fs" },         { "filesystem", "fs" },
        { "target", "target" }, { "targets", "target" },
        { "job", "job" },       { "user", "user" },
        { "group", "group" },   { "node", "node" },
        { "ssh", "server" },    { "executable", "executable" },
        { "array", "job" },     { "lustre-server", "server" },
    };
    static const char *const jobs[] = { "JOB", "JOBID", "JOBID_A", "JOBID_B", "ID" };
    if (name.size == 0 && is_named_in(kind, jobs, COUNT_OF(jobs)))
        return "job";
    if (name.size == 0 && span_is(kind, "FS"))
        return "fs";
    for (size_t i = 0; i < COUNT_OF(options); i++)
        if (span_is(name, options[i].name))
            return options[i].by;
    return NULL;
}

void completion_values_find(struct completion *completion, const struct option *option,
                            struct span kind)
{
    struct span name = span_of(option ? option->name : NULL);
    const char *by = jobstats_group(name, kind);
    if (span_is(kind, "METRIC") || span_is(name, "metric"))
        add_metrics(completion);
    else if (span_is(kind, "COMPONENT") || span_is(name, "component"))
        add_components(completion, option);
    else if (span_is(kind, "HOST"))
        add_hosts(completion);
    else if (span_is(name, "op"))
        add_operations(completion);
    else if (by)
        add_jobstats(completion, by);
}
