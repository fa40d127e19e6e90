/* SPDX-License-Identifier: Apache-2.0 */
/* climate_route - GET /v1/climate. */
#include "api/climate_route.h"

#include "api/params.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "report/report.h"

#define CLASS_BYTES_MAX 256
#define LAST_MAX 1000

/* The text is the query's own: the request's end with its handler. */
struct climate_query {
    char set[CLASS_BYTES_MAX + 1]; /* a pattern of classes; "": all */
    uint64_t last_count, window_runs;
    int64_t window_ns; /* 0: the mapping's */
};

/* ---- the query ---- */

static int climate_param_read(struct climate_query *q, struct span name,
                              struct span value)
{
    if (span_is(name, "class"))
        return api_params_text(value, q->set, sizeof q->set);
    if (span_is(name, "window")) {
        int rc = number_parse_duration(value, &q->window_ns);
        return rc == 0 && q->window_ns <= 0 ? -EINVAL : rc;
    }
    bool is_last = span_is(name, "last");
    uint64_t *number = is_last ? &q->last_count : &q->window_runs;
    int rc = number_parse_u64(value, number);
    uint64_t most = is_last ? LAST_MAX : ROLLING_CAPACITY_MAX;
    return rc == 0 && (*number < 1 || *number > most) ? -EINVAL : rc;
}

int climate_query_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct climate_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    *q = (struct climate_query){ .last_count = NORMAL_LAST_DEFAULT,
                                 .window_runs = NORMAL_WINDOW_RUNS_DEFAULT };
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (api_params_is_repeated(request, i, name))
            return err_set(err, EINVAL, SPAN_FMT ": it is given twice", SPAN_ARG(name));
        else if (climate_param_read(q, name, value) < 0)
            return api_params_refuse_value(PARAM_CLIMATE, name, value, err);
    *ret_query = TAKE(q);
    return 0;
}

/* ---- the runs ---- */

struct stored_runs {
    struct strbuf csv;
    struct budget_meter meter;
};

static void stored_runs_done(struct stored_runs *s)
{
    strbuf_done(&s->csv);
    budget_meter_done(&s->meter);
}
DEFINE_AUTO_DONE(struct stored_runs, stored_runs_done);

/* Runs made of rows take about as much as the rows. */
static int on_stored_run(void *arg, const struct summary *summary)
{
    struct stored_runs *s = arg;
    summary_print_csv(summary, &s->csv);
    int rc = strbuf_error(&s->csv);
    return rc == 0 ? budget_meter_follow(&s->meter, 2 * s->csv.capacity) : rc;
}

static int stored_runs_read(const struct api_readers *readers, struct stored_runs *s,
                            bool *ret_has_more, struct err *err)
{
    const struct summary_filter filter = { .from_ns = JOB_TIME_NONE,
                                           .to_ns = JOB_TIME_NONE,
                                           .limit = RUNS_STORED_MAX };
    summary_print_csv_header(&s->csv);
    return records_find_summaries(readers->rows, &filter, on_stored_run, s,
                                  ret_has_more, err);
}

/* By a file without a name, as commands have it. */
static int runs_make(const struct mapping *mapping, struct span csv, struct runs *ret,
                     struct err *err)
{
    AUTO_CLOSE int fd = -1;
    char path[FILE_OF_TEXT_PATH_SIZE];
    char *const paths[] = { path };
    int rc = file_of_text(csv, &fd, path, err);
    if (rc == 0)
        rc = runs_load(mapping, paths, COUNT_OF(paths), ret, err);
    return rc == 0 ? runs_require(mapping, ret, err) : rc;
}

static int climate_write(const struct climate_query *q, const struct mapping *mapping,
                         const struct runs *runs, struct strbuf *out, struct err *err)
{
    static const struct table_parts_args as_json = { .output = "json" };
    AUTO(table_done) struct table classes;
    AUTO(table_done) struct table last;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    const struct screen screen = { 0 };
    const struct normal_opts opts = {
        .set = q->set[0] ? q->set : NULL,
        .last_count = q->last_count,
        .window_ns = q->window_ns ? q->window_ns : mapping->long_ns,
        .window_runs = q->window_runs,
    };
    table_init(&classes);
    table_init(&last);
    int rc = normal_tables_make(mapping, runs, &opts, &classes, &last, err);
    const struct table_part parts[] = { { "classes", &classes }, { "last", &last } };
    return rc == 0 ? table_parts_form("climate", parts, COUNT_OF(parts), &as_json,
                                      &screen, out, &notes, err)
                   : rc;
}

int climate_fetch(const struct api_readers *readers, const void *query,
                  struct api_result *ret, struct err *err)
{
    AUTO(stored_runs_done)
    struct stored_runs stored = { .csv = STRBUF_INIT, .meter = { ret->hold } };
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    const char *map = readers->api->opts.climate_map;
    if (!map)
        return err_set(err, ENOENT, "this barod has no climate_map");
    int rc = stored_runs_read(readers, &stored, &ret->has_more, err);
    if (rc == 0)
        rc = mapping_load(map, &mapping, err);
    if (rc == 0)
        rc = runs_make(&mapping, strbuf_span(&stored.csv), &runs, err);
    if (rc == 0)
        rc = climate_write(query, &mapping, &runs, ret->body, err);
    return rc == -ENODATA ? -ENOENT : rc;
}
