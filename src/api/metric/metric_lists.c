/* SPDX-License-Identifier: Apache-2.0 */
/* metric_lists - /v1/metrics, /v1/series, the store's part of
 * /v1/status: what there is. */
#include "api/metric/metric_call.h"
#include "api/metric/metric_routes.h"
#include "api/metric/metric_samples.h"
#include "api/metric/metric_text.h"
#include "api/metric/metric_v1.h"
#include "api/params.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/timetext.h"

#include <stdlib.h>

#define METRICS_BYTES_MAX 4096 /* of patterns */

/* ---- /v1/metrics ---- */

static void add_metric(const struct metric *m, struct table *table)
{
    static const char *const kinds[] = { "gauge", "counter" };
    static const char *const aggregations[] = { "sum", "avg", "none" };
    table_add_row(table);
    table_set_text(table, 0, m->name);
    table_set_text(table, 1, m->unit);
    table_set_text(table, 2, span_of(kinds[m->kind]));
    if (step_of_grid(m->step_ns))
        table_set_double(table, 3, (double)m->step_ns / (double)NS_PER_S);
    table_set_text(table, 4, span_of(aggregations[m->aggregation]));
}

/* A table, csv, or json: what the command prints with --output json. */
static int list_form_read(struct span value, enum metric_form *ret)
{
    static const struct {
        const char *name;
        enum metric_form form;
    } forms[] = { { "table", METRIC_FORM_TABLE },
                  { "csv", METRIC_FORM_CSV },
                  { "json", METRIC_FORM_OBJECTS } };
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        if (!span_is(value, forms[i].name))
            continue;
        *ret = forms[i].form;
        return 0;
    }
    return -EINVAL;
}

static int list_params_read(struct net_request *request, enum metric_form *ret,
                            struct err *err)
{
    struct span name, value;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        if (!span_is(name, "format"))
            return api_params_refuse_name(PARAM_METRICS, name, "/v1/metrics", err);
        if (list_form_read(value, ret) < 0)
            return api_params_refuse_value(PARAM_METRICS, name, value, err);
    }
    return 0;
}

void metric_list_handle(void *arg, struct net_request *request)
{
    const struct metric_api *api = arg;
    const struct metric_table *metrics = metric_store_metrics(api->store);
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    enum metric_form form = METRIC_FORM_TABLE;
    int rc = list_params_read(request, &form, &err);
    table_init(&table);
    if (rc < 0) {
        net_reply_error(request, rc, &err);
        return;
    }
    table_add_column(&table, "metric", TABLE_TEXT, "");
    table_add_column(&table, "unit", TABLE_TEXT, "");
    table_add_column(&table, "kind", TABLE_TEXT, "");
    table_add_column(&table, "step", TABLE_DOUBLE, "s");
    table_add_column(&table, "aggregation", TABLE_TEXT, "");
    for (uint32_t id = 0; id < metric_count(metrics); id++)
        add_metric(metric_at(metrics, id), &table);
    if (form == METRIC_FORM_OBJECTS) {
        table_print_objects(&table, &out);
        net_reply_json(request, 200, &out);
    } else if (form == METRIC_FORM_CSV) {
        const struct table_print_opts plain = { .raw_units = true };
        table_print(&table, TABLE_FORM_CSV, &plain, &out);
        net_reply(request, 200, v1_content_type(METRIC_FORM_CSV), &out);
    } else {
        table_to_json(&table, &out);
        net_reply_json(request, 200, &out);
    }
}

/* ---- /v1/series ---- */

static int parse_listing(struct net_request *request, struct metric_listing_query *q,
                         struct err *err)
{
    struct span name, value;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        int rc = 0;
        if (span_is(name, "component") && q->component_count < V1_COMPONENTS_MAX)
            q->components[q->component_count++] = value;
        else if (span_is(name, "metric") && value.size <= METRICS_BYTES_MAX)
            q->metric = value;
        else if (span_is(name, "limit"))
            rc = number_parse_u64(value, &q->limit);
        else
            rc = span_is(name, "format") ? list_form_read(value, &q->form) : -EINVAL;
        if (rc < 0)
            return api_params_have(PARAM_SERIES, name)
                       ? api_params_refuse_value(PARAM_SERIES, name, value, err)
                       : api_params_refuse_name(PARAM_SERIES, name, "/v1/series", err);
    }
    return 0;
}

void metric_series_handle(void *arg, struct net_request *request)
{
    const struct metric_api *api = arg;
    const struct metric_reading reading = { .store = api->store,
                                            .watch = metric_call_watch,
                                            .watch_arg = api->call,
                                            .hold = metric_call_hold(api->call) };
    struct metric_listing_query query = { .form = METRIC_FORM_TABLE,
                                          .limit = UINT64_MAX,
                                          .metric = SPAN("*") };
    struct metric_listing *listing = NULL;
    struct err err = { 0 };
    int rc = parse_listing(request, &query, &err);
    if (rc == 0)
        rc = metric_listing_new(&reading, &query, &listing, &err);
    if (rc < 0) {
        metric_call_error(arg, request, rc, &err);
        return;
    }
    const struct net_stream stream = { .next = metric_listing_next,
                                       .free = metric_listing_free,
                                       .state = listing,
                                       .coding = NET_STREAM_NEGOTIATED };
    metric_call_stream(arg, request, v1_content_type(query.form), &stream);
}

/* ---- /v1/status ---- */

static void write_worker(struct json_writer *w, enum metric_worker which,
                         const struct metric_worker_status *s)
{
    char key[64];
    int64_t age_ns = s->last_t_ns ? clock_now_ns() - s->last_t_ns : 0;
    const struct {
        const char *key;
        uint64_t value;
    } members[] = {
        { "runs", s->runs },
        { "failures", s->failures },
        { "done", s->done },
        { "last_ms", (uint64_t)(s->last_duration_ns / NS_PER_MS) },
        { "age_s", age_ns > 0 ? (uint64_t)(age_ns / NS_PER_S) : 0 },
    };
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        (void)snprintf(key, sizeof key, "%s_%s", metric_worker_name(which),
                       members[i].key);
        json_key(w, key);
        json_u64(w, members[i].value);
    }
    if (!s->error.text[0])
        return;
    (void)snprintf(key, sizeof key, "%s_error", metric_worker_name(which));
    json_key(w, key);
    json_text(w, s->error.text);
}

void metric_write_status(struct metric_store *store, struct json_writer *w)
{
    struct metric_store_status s;
    metric_store_status(store, &s);
    const struct {
        const char *key;
        uint64_t value;
    } members[] = {
        { "shards", s.shard_count },
        { "metrics", s.metric_count },
        { "hosts_exempt", metric_store_exempt_count(store) },
        { "series", s.memory.series_count },
        { "levels", s.memory.level_count },
        { "used_bytes", s.memory.used_bytes },
        { "slab_bytes", s.memory.slab_bytes },
        { "samples_accepted", s.memory.samples.accepted },
        { "samples_late", s.memory.samples.late },
        { "samples_overwritten", s.memory.samples.overwritten },
        { "samples_repeated", s.memory.samples.repeated },
        { "samples_too_old", s.memory.samples.too_old },
        { "phases_moved", s.memory.samples.phase_moved },
        { "blocks_sealed", s.memory.samples.sealed },
        { "slots_released", s.memory.released_slots },
        { "pieces_reused", s.memory.reused_count },
        { "batches", s.batches },
        { "batches_refused", s.refused_batches },
        { "steps_doubted", s.memory.samples.steps_doubted },
        { "steps_found", s.memory.samples.steps_found },
        { "steps_none", s.memory.samples.steps_none },
        { "checkpoint", s.checkpoint },
        { "log_bytes", s.log_bytes },
        { "log_failures", s.log_failures },
        { "block_files", s.block_files },
        { "block_file_bytes", s.block_file_bytes },
        { "archives", s.archives },
        { "archive_bytes", s.archive_bytes },
        { "blocks_damaged", s.damaged_blocks },
        { "blocks_unreadable", s.unreadable_blocks },
        { "log_samples_lost", s.lost_samples },
        { "memory_warnings", s.memory_warnings },
        { "memory_overruns", s.memory_overruns },
    };
    json_key(w, "store");
    json_object(w);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        json_key(w, members[i].key);
        json_u64(w, members[i].value);
    }
    for (size_t i = 0; i < METRIC_WORKER_COUNT; i++)
        write_worker(w, (enum metric_worker)i, &s.workers[i]);
    json_object_end(w);
}
