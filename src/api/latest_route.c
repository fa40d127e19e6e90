/* SPDX-License-Identifier: Apache-2.0 */
/* latest_route - GET /v1/nodes/latest: what nodes do now, a row a node. */
#include "api/latest_route.h"

#include "api/node_hosts.h"
#include "api/params.h"
#include "api/reading/reading.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

#define TEXT_BYTES_MAX 1024
#define COLUMNS_MAX 16
#define WINDOW_DEFAULT_NS (60 * NS_PER_S)
#define WINDOW_NS_MIN NS_PER_S
#define WINDOW_NS_MAX (86400 * NS_PER_S)
#define STEPS_MIN 3 /* of a metric: a rate wants two samples, and one may be late */
#define LIMIT_DEFAULT 50
#define LIMIT_MAX 100000
#define SILENT_SHOWN_MAX 400 /* bytes of their names */
/* Samples gather at agents for ten seconds and are on their way: a node is not silent
 * because a short window has none of them. */
#define SILENT_NS (60 * NS_PER_S)

/* Without a choice: of each line the first that there is; where none is, the first
 * metrics that there are. */
static const char *const usual_metrics[] = {
    "load_one",        "cpu_used,cpu_load",
    "mem_used",        "mem_bw",
    "flops_any",       "net_bytes_in",
    "net_bytes_out",   "ib_recv,ib_total",
    "acc_utilization", "node_total_power,cpu_power",
};

struct latest_query {
    struct node_components components;
    char metric[TEXT_BYTES_MAX + 1], sort[TEXT_BYTES_MAX + 1];
    int64_t window_ns;
    uint64_t limit;
};

/* ---- the query ---- */

static int window_parse(struct latest_query *q, struct span value)
{
    int rc = number_parse_duration(value, &q->window_ns);
    bool is_within = q->window_ns >= WINDOW_NS_MIN && q->window_ns <= WINDOW_NS_MAX;
    return rc == 0 && !is_within ? -EINVAL : rc;
}

static int param_parse(struct latest_query *q, struct span name, struct span value)
{
    if (span_is(name, "component"))
        return node_components_add(&q->components, value);
    if (span_is(name, "metric"))
        return api_params_text(value, q->metric, sizeof q->metric);
    if (span_is(name, "sort"))
        return api_params_text(value, q->sort, sizeof q->sort);
    if (span_is(name, "window"))
        return window_parse(q, value);
    int rc = number_parse_u64(value, &q->limit);
    return rc == 0 && (q->limit < 1 || q->limit > LIMIT_MAX) ? -EINVAL : rc;
}

int latest_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct latest_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    q->window_ns = WINDOW_DEFAULT_NS;
    q->limit = LIMIT_DEFAULT;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (!span_is(name, "format") && param_parse(q, name, value) < 0)
            return api_params_refuse_value(PARAM_LATEST, name, value, err);
    *ret_query = TAKE(q);
    return 0;
}

/* ---- the columns ---- */

struct latest_row {
    size_t host;     /* of hosts */
    int64_t last_ns; /* newest sample of any metric; INT64_MIN: none is known */
    bool is_silent;
    double sort;
};

struct latest_reading {
    const struct api_readers *readers;
    const struct latest_query *query;
    struct metric_store *store;
    struct budget_hold *hold;
    int64_t now_ns;
    struct node_hosts hosts;
    uint64_t *any; /* which metrics any of the hosts has, by id */
    const struct metric *metrics[COLUMNS_MAX];
    size_t metric_count;
    bool is_cut; /* more metrics match */
    size_t sort; /* of metrics */
    struct latest_row *rows;
    size_t row_count;
    double *values; /* [host * COLUMNS_MAX + metric] */
};

static int any_find(struct latest_reading *r)
{
    const struct node_hosts *hosts = &r->hosts;
    r->any = calloc(hosts->width + 1, sizeof *r->any);
    if (!r->any)
        return -ENOMEM;
    for (size_t i = 0; i < hosts->count; i++)
        for (size_t word = 0; word < hosts->width; word++)
            r->any[word] |= hosts->bits[i * hosts->width + word];
    return 0;
}

static bool any_has(const struct latest_reading *r, uint32_t metric)
{
    return metric / 64 < r->hosts.width &&
           (r->any[metric / 64] >> (metric % 64) & 1) != 0;
}

static bool is_column(const struct latest_reading *r, const struct metric *metric)
{
    for (size_t i = 0; i < r->metric_count; i++)
        if (r->metrics[i] == metric)
            return true;
    return false;
}

/* What the pattern matches, most of what there is at most. */
static size_t latest_columns_add(struct latest_reading *r, struct span pattern,
                                 size_t most)
{
    const struct metric_table *table = metric_store_metrics(r->store);
    size_t added = 0;
    for (uint32_t id = 0; id < metric_count(table) && added < most; id++) {
        const struct metric *metric = metric_at(table, id);
        if (!any_has(r, id) || !component_name_matches(metric->name, pattern) ||
            is_column(r, metric))
            continue;
        r->is_cut = r->metric_count == COLUMNS_MAX;
        if (r->is_cut)
            break;
        r->metrics[r->metric_count++] = metric;
        added++;
    }
    return added;
}

/* A pattern's commas are those between sets, too: r[1,2]. */
static struct span pattern_next(struct span *rest)
{
    unsigned depth = 0;
    size_t size = 0;
    for (; size < rest->size && (rest->data[size] != ',' || depth > 0); size++) {
        depth += rest->data[size] == '[';
        depth -= rest->data[size] == ']' && depth > 0;
    }
    struct span first = { rest->data, size };
    size_t skip = size < rest->size ? size + 1 : size;
    *rest = (struct span){ rest->data + skip, rest->size - skip };
    return first;
}

static void columns_add_usual(struct latest_reading *r)
{
    for (size_t i = 0; i < COUNT_OF(usual_metrics); i++) {
        struct span rest = span_of(usual_metrics[i]);
        while (rest.size > 0 && latest_columns_add(r, pattern_next(&rest), 1) == 0)
            continue;
    }
}

static int sort_find(struct latest_reading *r, struct err *err)
{
    if (r->query->sort[0] == '\0')
        return 0;
    for (r->sort = 0; r->sort < r->metric_count; r->sort++)
        if (span_is(r->metrics[r->sort]->name, r->query->sort))
            return 0;
    return err_set(err, EINVAL, "sort: '%s' is not a metric of the table",
                   r->query->sort);
}

/* A column each at least: there are no more patterns than columns. */
static int columns_add_wanted(struct latest_reading *r, struct err *err)
{
    struct span rest = span_of(r->query->metric);
    for (size_t count = 0; rest.size > 0; count++) {
        if (count == COLUMNS_MAX)
            return err_set(err, EINVAL, "metric: a table has %d columns", COLUMNS_MAX);
        latest_columns_add(r, pattern_next(&rest), SIZE_MAX);
    }
    return 0;
}

static int columns_find(struct latest_reading *r, struct err *err)
{
    int rc = any_find(r);
    if (rc == 0 && r->query->metric[0] == '\0')
        columns_add_usual(r);
    else if (rc == 0)
        rc = columns_add_wanted(r, err);
    if (rc < 0)
        return rc;
    if (r->query->metric[0] == '\0' && r->metric_count == 0)
        latest_columns_add(r, SPAN("*"), COUNT_OF(usual_metrics));
    if (r->metric_count == 0)
        return err_set(err, ENOENT, "metric: these nodes have no '%s'",
                       r->query->metric[0] ? r->query->metric : "load_one");
    return sort_find(r, err);
}

/* ---- the rows ---- */

static int latest_cell_read(struct latest_reading *r, size_t host, size_t column,
                            struct latest_row *row)
{
    const struct metric *metric = r->metrics[column];
    int64_t window_ns = r->query->window_ns;
    if (window_ns < STEPS_MIN * metric->step_ns)
        window_ns = STEPS_MIN * metric->step_ns;
    const struct metric_bins_opts opts = { .metric = metric,
                                           .from_ns = r->now_ns - window_ns,
                                           .bin_ns = window_ns,
                                           .count = 1 };
    double *value = &r->values[host * COLUMNS_MAX + column];
    struct metric_bins_summary summary = { .last_ns = INT64_MIN };
    *value = NAN;
    int rc = -ENOENT;
    if (node_hosts_has(&r->hosts, host, metric->id))
        rc = metric_bins_read(r->store, r->hosts.levels[host], &opts, value, &summary);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    if (summary.last_ns > row->last_ns)
        row->last_ns = summary.last_ns;
    return 0;
}

static bool is_fresh(const struct latest_reading *r, int64_t last_ns, int64_t step_ns)
{
    int64_t age_ns = r->query->window_ns > SILENT_NS ? r->query->window_ns : SILENT_NS;
    if (age_ns < STEPS_MIN * step_ns)
        age_ns = STEPS_MIN * step_ns;
    return last_ns != INT64_MIN && r->now_ns - last_ns < age_ns;
}

/* A node without the table's metrics, or with old values of them, may have others. */
static int silence_find(struct latest_reading *r, struct latest_row *row)
{
    const struct metric_table *table = metric_store_metrics(r->store);
    int rc = 0;
    row->is_silent = !is_fresh(r, row->last_ns, 0);
    for (uint32_t id = 0; rc == 0 && row->is_silent && id < metric_count(table); id++) {
        const struct metric *metric = metric_at(table, id);
        struct metric_bins_summary summary = { .last_ns = INT64_MIN };
        const struct metric_bins_opts opts = { .metric = metric,
                                               .from_ns = r->now_ns - SILENT_NS,
                                               .bin_ns = SILENT_NS,
                                               .count = 1 };
        double value;
        if (!node_hosts_has(&r->hosts, row->host, id))
            continue;
        rc = metric_bins_read(r->store, r->hosts.levels[row->host], &opts, &value,
                              &summary);
        rc = rc == -ENOENT ? 0 : rc;
        if (summary.last_ns > row->last_ns)
            row->last_ns = summary.last_ns;
        row->is_silent = !is_fresh(r, summary.last_ns, metric->step_ns);
    }
    return rc;
}

static int latest_row_read(struct latest_reading *r, size_t host)
{
    struct latest_row row = { .host = host, .last_ns = INT64_MIN };
    int rc = r->readers->watch ? r->readers->watch(r->readers->watch_arg) : 0;
    for (size_t i = 0; rc == 0 && i < r->metric_count; i++)
        rc = latest_cell_read(r, host, i, &row);
    if (rc == 0)
        rc = silence_find(r, &row);
    row.sort = r->values[host * COLUMNS_MAX + r->sort];
    r->rows[r->row_count++] = row;
    return rc;
}

/* The largest first; without a value last. */
static int by_sort(const void *a, const void *b, void *arg)
{
    const struct node_hosts *hosts = arg;
    const struct latest_row *x = a, *y = b;
    if (isnan(x->sort) != isnan(y->sort))
        return isnan(x->sort) ? 1 : -1;
    if (!isnan(x->sort) && x->sort != y->sort)
        return x->sort > y->sort ? -1 : 1;
    return strcmp(hosts->hosts[x->host].name, hosts->hosts[y->host].name);
}

static int latest_rows_read(struct latest_reading *r)
{
    size_t count = r->hosts.count;
    struct metric_visit visit;
    int rc = budget_hold_add(
        r->hold, count * (COLUMNS_MAX * sizeof *r->values + sizeof *r->rows));
    if (rc < 0)
        return rc;
    r->values = calloc(count * COLUMNS_MAX, sizeof *r->values);
    r->rows = calloc(count, sizeof *r->rows);
    if (!r->values || !r->rows)
        return -ENOMEM;
    metric_visit_begin(&visit, r->store);
    for (size_t host = 0; rc == 0 && host < count; host++) {
        metric_visit_step(&visit);
        if (r->hosts.hosts[host].is_selected)
            rc = latest_row_read(r, host);
    }
    metric_visit_end(&visit);
    qsort_r(r->rows, r->row_count, sizeof *r->rows, by_sort, &r->hosts);
    return rc;
}

/* ---- the table ---- */

enum { NODE, AGE, FIRST_METRIC };

/* A metric's unit as tables have it, and what its numbers are multiplied by: of
 * /proc/meminfo a kB has 1,024 bytes. */
static double unit_print(const struct metric *metric, char *ret, size_t size)
{
    static const struct {
        const char *name, *shown;
        double factor;
    } units[] = {
        { "kB", "bytes", 1024 },    { "KiB", "bytes", 1024 },
        { "MB", "bytes", 1e6 },     { "GB", "bytes", 1e9 },
        { "Bytes", "bytes", 1 },    { "B", "bytes", 1 },
        { "B/s", "bytes/s", 1 },    { "Percent", "%", 1 },
        { "MB/s", "bytes/s", 1e6 }, { "GB/s", "bytes/s", 1e9 },
        { "bytes", "bytes", 1 },
    };
    const char *per = metric->kind == METRIC_COUNTER ? "/s" : "";
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (span_is(metric->unit, units[i].name)) {
            (void)snprintf(ret, size, "%s%s", units[i].shown, per);
            return units[i].factor;
        }
    if (metric->unit.size == 0 && *per)
        (void)snprintf(ret, size, "1/s");
    else
        (void)snprintf(ret, size, SPAN_FMT "%s", SPAN_ARG(metric->unit), per);
    return 1;
}

static void columns_print(const struct latest_reading *r, double *factors,
                          struct table *t)
{
    table_add_column(t, "node", TABLE_TEXT, "");
    table_add_column(t, "age", TABLE_DOUBLE, "s");
    for (size_t i = 0; i < r->metric_count; i++) {
        AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
        char unit[64];
        strbuf_add_span(&name, r->metrics[i]->name);
        factors[i] = unit_print(r->metrics[i], unit, sizeof unit);
        table_add_column(t, strbuf_text(&name), TABLE_DOUBLE, unit);
    }
}

static void latest_row_print(const struct latest_reading *r,
                             const struct latest_row *row, const double *factors,
                             struct table *t)
{
    const double *values = &r->values[row->host * COLUMNS_MAX];
    table_add_row(t);
    table_set_text(t, NODE, span_of(r->hosts.hosts[row->host].name));
    if (row->last_ns != INT64_MIN)
        table_set_double(t, AGE, (double)(r->now_ns - row->last_ns) / NS_PER_S);
    for (size_t i = 0; i < r->metric_count; i++)
        if (isfinite(values[i]))
            table_set_double(t, FIRST_METRIC + i, values[i] * factors[i]);
}

/* Those that are silent stand at the end, where a limit cuts them off. */
static void silent_note(const struct latest_reading *r, struct table *t)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        /* Of some nothing is known: parts of them send what is not added up. */
        if (!r->rows[i].is_silent || r->rows[i].last_ns == INT64_MIN)
            continue;
        count++;
        if (names.size > SILENT_SHOWN_MAX)
            continue;
        strbuf_addf(&names, "%s%s", shown++ > 0 ? ", " : "",
                    r->hosts.hosts[r->rows[i].host].name);
    }
    if (count > shown)
        strbuf_addf(&names, " and %zu more", count - shown);
    if (count > 0)
        table_add_note(t, "%zu %s nothing any more: %s", count,
                       count == 1 ? "node sends" : "nodes send", strbuf_text(&names));
}

static void notes_print(const struct latest_reading *r, size_t shown, struct table *t)
{
    char window[FIGURE_SIZE];
    figure_print_duration(window, sizeof window, r->query->window_ns);
    table_add_note(t,
                   "%zu of %zu nodes, over the last %s, or %d steps of a metric that "
                   "comes less often; first the largest " SPAN_FMT,
                   shown, r->row_count, window, STEPS_MIN,
                   SPAN_ARG(r->metrics[r->sort]->name));
    silent_note(r, t);
    if (r->is_cut)
        table_add_note(t, "more metrics match: a table has %d columns", COLUMNS_MAX);
    for (size_t i = 0; i < r->hosts.missing.count; i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        metric_missing_print(&r->hosts.missing.items[i], &text);
        table_add_note(t, "%s", strbuf_text(&text));
    }
}

static int latest_print(const struct latest_reading *r, struct strbuf *out)
{
    AUTO(table_done) struct table table;
    double factors[COLUMNS_MAX];
    size_t shown = r->row_count < r->query->limit ? r->row_count : r->query->limit;
    table_init(&table);
    columns_print(r, factors, &table);
    for (size_t i = 0; i < shown; i++)
        latest_row_print(r, &r->rows[i], factors, &table);
    notes_print(r, shown, &table);
    int rc = table_error(&table);
    if (rc == 0)
        rc = budget_hold_add(r->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    api_table_print(r->readers, &table, out);
    return strbuf_error(out);
}

static int latest_run(struct latest_reading *r, struct strbuf *out, struct err *err)
{
    const struct node_hosts_opts opts = { .store = r->store,
                                          .readers = r->readers,
                                          .components = &r->query->components,
                                          .is_selected_alone = true,
                                          .hold = r->hold };
    int rc = node_hosts_find(&opts, &r->hosts, err);
    if (rc == 0)
        rc = columns_find(r, err);
    if (rc == 0)
        rc = latest_rows_read(r);
    return rc == 0 ? latest_print(r, out) : rc;
}

int latest_fetch(const struct api_readers *readers, const void *query,
                 struct api_result *ret, struct err *err)
{
    struct latest_reading r = { .readers = readers,
                                .query = query,
                                .store = readers->api->opts.store,
                                .hold = ret->hold,
                                .now_ns = clock_now_ns() };
    if (!r.store)
        return err_set(err, ENOENT, "this barod has no metric store");
    int rc = latest_run(&r, ret->body, err);
    node_hosts_done(&r.hosts);
    free(r.any);
    free(r.values);
    free(r.rows);
    return rc;
}
