/* SPDX-License-Identifier: Apache-2.0 */
/* weather_route - GET /v1/weather. */
#include "api/weather_route.h"

#include "api/own_series.h"
#include "api/params.h"
#include "api/reading/reading.h"
#include "api/time_range.h"
#include "base/number.h"
#include "base/span.h"
#include "report/report.h"

#define DAY_NS (86400 * NS_PER_S)
#define LAST_DEFAULT_NS (12 * 3600 * NS_PER_S)
#define AGAINST_NS_MAX (WEATHER_DAYS_MAX * DAY_NS)
#define HEALTH_AGE_NS (3600 * NS_PER_S) /* a reading holds for so long */
#define FS_BYTES_MAX 256
#define TOP_DEFAULT 10
#define TOP_MAX 100000
#define GRIDS 3 /* that are held at a time, at most */

/* The text is the query's own: the request's end with its handler. */
struct weather_query {
    char fs[FS_BYTES_MAX + 1]; /* "": of all together */
    struct time_range range;
    int64_t against_ns;
    uint64_t top;
    bool is_text;
};

/* ---- the query ---- */

static int weather_against_read(struct weather_query *q, struct span value)
{
    int rc = number_parse_duration(value, &q->against_ns);
    return rc == 0 && (q->against_ns <= 0 || q->against_ns > AGAINST_NS_MAX) ? -EINVAL
                                                                             : rc;
}

static int weather_param_read(struct weather_query *q, struct span name,
                              struct span value)
{
    int is_range = time_range_param(&q->range, name, value);
    if (is_range != 0)
        return is_range;
    if (span_is(name, "fs"))
        return api_params_text(value, q->fs, sizeof q->fs);
    if (span_is(name, "against"))
        return weather_against_read(q, value);
    if (span_is(name, "format")) {
        q->is_text = span_is(value, "text");
        return q->is_text || span_is(value, "json") ? 0 : -EINVAL;
    }
    int rc = number_parse_u64(value, &q->top);
    return rc == 0 && (q->top < 1 || q->top > TOP_MAX) ? -EINVAL : rc;
}

int weather_query_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct weather_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    *q = (struct weather_query){ .range = time_range_of_last(LAST_DEFAULT_NS),
                                 .top = TOP_DEFAULT };
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (api_params_is_repeated(request, i, name))
            return err_set(err, EINVAL, SPAN_FMT ": it is given twice", SPAN_ARG(name));
        else if (weather_param_read(q, name, value) < 0)
            return api_params_refuse_value(PARAM_WEATHER, name, value, err);
    int rc = time_range_finish(&q->range, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

/* ---- series ---- */

static int own_window(void *arg, int64_t from_s, int64_t to_s, struct lmt_series ***ret,
                      size_t *ret_count, struct err *err)
{
    struct own_series *own = arg;
    (void)from_s, (void)to_s, (void)err;
    *ret = &own->series;
    *ret_count = 1;
    return 0;
}

/* From when to when it has anything, and its longest step. */
static int extent_read(struct lmt_series *series, struct weather_source *source,
                       int64_t *ret_step_s, struct err *err)
{
    *ret_step_s = 1;
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        int64_t from_s = 0, to_s = 0;
        int rc = lmt_series_times(series, m, &from_s, &to_s, err);
        if (rc == -ENOENT)
            continue;
        if (rc < 0)
            return rc;
        weather_source_add(source, from_s, to_s);
        int64_t step_s = lmt_series_step(series, m);
        *ret_step_s = step_s > *ret_step_s ? step_s : *ret_step_s;
    }
    return 0;
}

/* A grid has a column a target: the memory of grids of this length is charged before.
 */
static int grids_charge(const struct own_series *own, const struct weather_query *q,
                        int64_t step_s)
{
    AUTO(metric_levels_done) struct metric_levels targets = { 0 };
    struct metric_visit visit;
    struct metric_store *store = own->readers->api->opts.store;
    if (!store)
        return 0;
    metric_visit_begin(&visit, store);
    int rc = metric_match(store, SPAN("*/*/*:*"), &targets);
    metric_visit_end(&visit);
    if (rc < 0)
        return rc;
    uint64_t rows =
        (uint64_t)((q->range.to_ns - q->range.from_ns) / NS_PER_S / step_s + 2);
    uint64_t cells = rows * (targets.count + 1);
    if (cells > LMT_CELLS_MAX)
        return 0; /* the grid refuses it, with a reason */
    return budget_hold_add(own->hold, cells * GRIDS * sizeof(double));
}

static int window_series_fill(struct own_series *own, const struct weather_query *q,
                              struct window_context *window, struct err *err)
{
    struct weather_source source = {
        .get = own_window, .arg = own, .first_s = INT64_MAX, .end_s = INT64_MIN
    };
    int64_t from_s = q->range.from_ns / NS_PER_S;
    int64_t to_s = (q->range.to_ns + NS_PER_S - 1) / NS_PER_S;
    int64_t step_s;
    int rc = own_series_open(own, err);
    if (rc == 0 && q->fs[0])
        rc = lmt_series_choose(own->series, q->fs, err);
    if (rc == 0)
        rc = extent_read(own->series, &source, &step_s, err);
    if (rc == 0)
        rc = grids_charge(own, q, step_s);
    if (rc < 0)
        return rc == -ENODATA ? -ENOENT : rc;
    weather_source_against(&source, from_s, to_s, q->against_ns / NS_PER_S);
    window->has_series = true;
    return weather_read(&source, from_s, to_s, &window->weather, err);
}

/* ---- health ---- */

/* Of all file systems, as the command has it. */
static int window_health_fill(const struct api_readers *readers,
                              const struct weather_query *q, struct budget_hold *hold,
                              struct window_context *window, struct err *err)
{
    AUTO(table_done) struct table table;
    const struct target_health_opts opts = {
        .rows = readers->rows,
        .watch = readers->watch,
        .watch_arg = readers->watch_arg,
        .fs = "*",
        .from_ns = q->range.from_ns / NS_PER_S * NS_PER_S,
        .to_ns = (q->range.to_ns / NS_PER_S + 1) * NS_PER_S,
        .age_max_ns = HEALTH_AGE_NS,
        .hold = hold,
    };
    table_init(&table);
    int rc = target_health_read(&opts, &table, err);
    if (rc == -ENOENT)
        return 0; /* no recorder has sent anything */
    if (rc == 0)
        rc = budget_hold_add(hold, table_bytes(&table));
    if (rc == 0)
        rc = health_history_of_readings(&table, q->range.from_ns, q->range.to_ns,
                                        HEALTH_AGE_NS, &window->health);
    window->has_health = rc == 0 && window->health.readings > 0;
    return rc;
}

/* ---- the response ---- */

static int window_write(const struct window_context *window,
                        const struct weather_query *q, struct api_result *ret,
                        struct err *err)
{
    static const struct table_parts_args as_json = { .output = "json" };
    AUTO(weather_report_done) struct weather_report report;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct table_part parts[WEATHER_PARTS];
    const struct screen screen = { 0 };
    if (weather_report_make(window, q->top, &report) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (q->is_text) {
        ret->content_type = "text/plain; charset=utf-8";
        weather_text_print(&report, ret->body);
        return strbuf_error(ret->body);
    }
    weather_report_parts(&report, parts);
    return table_parts_form("weather", parts, WEATHER_PARTS, &as_json, &screen,
                            ret->body, &notes, err);
}

int weather_fetch(const struct api_readers *readers, const void *query,
                  struct api_result *ret, struct err *err)
{
    const struct weather_query *q = query;
    AUTO(own_series_done) struct own_series own;
    AUTO(window_context_done)
    struct window_context window = { .from_ns = q->range.from_ns,
                                     .to_ns = q->range.to_ns,
                                     .against_ns = q->against_ns };
    own_series_init(&own, readers, OWN_SERIES_TOTALS, ret->hold);
    int rc = window_series_fill(&own, q, &window, err);
    if (rc == 0)
        rc = window_health_fill(readers, q, ret->hold, &window, err);
    return rc == 0 ? window_write(&window, q, ret, err) : rc;
}
