/* SPDX-License-Identifier: Apache-2.0 */
/* metric_lists - /v1/metrics, /v1/series, the store's part of
 * /v1/status: what there is. */
#include "api/metric_call.h"
#include "api/metric_routes.h"
#include "api/metric_text.h"
#include "api/metric_v1.h"
#include "api/params.h"
#include "api/reading/reading.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/timetext.h"

#include <stdlib.h>

#define LIST_PIECE_BYTES (64 * 1024)
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

static int list_params_read(struct net_request *request, bool *ret_is_csv,
                            struct err *err)
{
    struct span name, value;
    bool is_csv = false;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        if (!span_is(name, "format"))
            return api_params_refuse_name(PARAM_METRICS, name, "/v1/metrics", err);
        is_csv = span_is(value, "csv");
        if (!is_csv && !span_is(value, "table"))
            return api_params_refuse_value(PARAM_METRICS, name, value, err);
    }
    *ret_is_csv = is_csv;
    return 0;
}

void metric_list_handle(void *arg, struct net_request *request)
{
    const struct metric_api *api = arg;
    const struct metric_table *metrics = metric_store_metrics(api->store);
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    bool is_csv = false;
    int rc = list_params_read(request, &is_csv, &err);
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
    if (is_csv) {
        const struct table_print_opts plain = { .raw_units = true };
        table_print(&table, TABLE_FORM_CSV, &plain, &out);
        net_reply(request, 200, v1_content_type(METRIC_FORM_CSV), &out);
    } else {
        table_to_json(&table, &out);
        net_reply_json(request, 200, &out);
    }
}

/* ---- /v1/series ---- */

struct listing {
    struct metric_api *api;
    enum metric_form form;
    struct span components[V1_COMPONENTS_MAX]; /* none: all */
    size_t component_count;
    struct metric_levels levels; /* that they match: each with what is below it */
    struct metric_missing missing;
    char metric[METRICS_BYTES_MAX + 1]; /* patterns, comma-separated */
    uint64_t left;                      /* rows that may still be written */
    uint64_t rows;
    size_t root;         /* of the levels, or the shard */
    struct level *level; /* next; NULL: the root's first */
    enum {
        LISTING_BEGIN,
        LISTING_ROWS,
        LISTING_OVER,
    } phase;
};

static void begin_rows(const struct listing *l, struct strbuf *out)
{
    strbuf_adds(out, l->form == METRIC_FORM_CSV
                         ? "component,metric,step\n"
                         : "{\"columns\":["
                           "{\"name\":\"component\",\"type\":\"text\",\"unit\":\"\"},"
                           "{\"name\":\"metric\",\"type\":\"text\",\"unit\":\"\"},"
                           "{\"name\":\"step\",\"type\":\"double\",\"unit\":\"s\"}],"
                           "\"rows\":[");
}

static void write_row(struct listing *l, const struct level *level,
                      const struct metric *metric, int64_t step_ns, struct strbuf *out)
{
    char step[TIMETEXT_SIZE];
    struct span path = { level->path, level->path_size };
    struct span text = { step, timetext_print_seconds(step, step_ns) };
    if (step_ns == 0)
        text = l->form == METRIC_FORM_CSV ? SPAN("") : SPAN("null");
    if (l->form == METRIC_FORM_CSV) {
        metric_text_csv(out, path);
        strbuf_addc(out, ',');
        metric_text_csv(out, metric->name);
        strbuf_addf(out, "," SPAN_FMT "\n", SPAN_ARG(text));
    } else {
        strbuf_adds(out, l->rows ? ",\n[" : "\n[");
        metric_text_json(out, path);
        strbuf_addc(out, ',');
        metric_text_json(out, metric->name);
        strbuf_addf(out, "," SPAN_FMT "]", SPAN_ARG(text));
    }
    l->rows++;
    l->left--;
}

static void write_level(struct listing *l, const struct level *level,
                        struct strbuf *out)
{
    const struct metric_table *metrics = metric_store_metrics(l->api->store);
    const struct level_series *s =
        atomic_load_explicit(&level->series, memory_order_acquire);
    for (; s && l->left > 0; s = s->next) {
        const struct metric *metric = metric_at(metrics, s->metric);
        if (metric && component_name_matches(metric->name, span_of(l->metric)))
            write_row(l, level, metric, series_grid_ns(&s->series), out);
    }
}

/* The next whose levels are listed; NULL: there is none. */
static struct level *next_root(const struct listing *l)
{
    const struct metric_store *store = l->api->store;
    if (l->component_count > 0)
        return l->root < l->levels.count ? l->levels.items[l->root] : NULL;
    return l->root < metric_store_shard_count(store)
               ? metric_store_tree(store, l->root)->root
               : NULL;
}

static void write_notes(struct listing *l, struct strbuf *out)
{
    const char *comma = "", *end = l->form == METRIC_FORM_CSV ? "\n" : "";
    for (size_t i = 0; i < l->missing.count; i++) {
        AUTO(strbuf_done) struct strbuf note = STRBUF_INIT;
        metric_missing_print(&l->missing.items[i], &note);
        if (l->form == METRIC_FORM_CSV) {
            strbuf_adds(out, "# ");
            strbuf_add_span(out, strbuf_span(&note));
        } else {
            strbuf_adds(out, comma);
            metric_text_json(out, strbuf_span(&note));
        }
        strbuf_adds(out, end);
        comma = ",";
    }
    if (l->left == 0 && l->form != METRIC_FORM_CSV)
        strbuf_addf(out, "%s\"limit reached\"", comma);
}

static void write_levels(struct listing *l, struct metric_visit *visit,
                         struct strbuf *out)
{
    struct level *root;
    while (l->left > 0 && (root = next_root(l)) != NULL) {
        struct level *level = l->level ? l->level : root;
        for (; level && l->left > 0; level = level_next(level, root)) {
            if (out->size >= LIST_PIECE_BYTES) {
                l->level = level;
                return;
            }
            if (metric_call_watch(l->api->call) < 0)
                return; /* the piece is thrown away */
            metric_visit_step(visit);
            write_level(l, level, out);
        }
        l->level = NULL;
        l->root++;
    }
    l->phase = LISTING_OVER;
    strbuf_adds(out, l->form == METRIC_FORM_CSV ? "" : "],\"notes\":[");
    write_notes(l, out);
    strbuf_adds(out, l->form == METRIC_FORM_CSV ? "" : "]}\n");
}

static int next_rows(void *arg, struct strbuf *out)
{
    struct listing *l = arg;
    struct metric_visit visit;
    metric_visit_begin(&visit, l->api->store);
    if (l->phase == LISTING_BEGIN) {
        begin_rows(l, out);
        l->phase = LISTING_ROWS;
    }
    int rc = 0;
    while (rc == 0 && l->phase == LISTING_ROWS && out->size < LIST_PIECE_BYTES) {
        write_levels(l, &visit, out);
        rc = metric_call_watch(l->api->call);
    }
    metric_visit_end(&visit);
    return rc < 0 ? rc : strbuf_error(out);
}

static int copy_text(char *to, size_t room, struct span value)
{
    if (value.size >= room)
        return -EINVAL;
    memcpy(to, value.data, value.size);
    to[value.size] = '\0';
    return 0;
}

static int parse_listing(struct net_request *request, struct listing *l,
                         struct err *err)
{
    struct span name, value;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        int rc = 0;
        if (span_is(name, "component") && l->component_count < V1_COMPONENTS_MAX)
            l->components[l->component_count++] = value;
        else if (span_is(name, "metric"))
            rc = copy_text(l->metric, sizeof l->metric, value);
        else if (span_is(name, "limit"))
            rc = number_parse_u64(value, &l->left);
        else if (span_is(name, "format") && span_is(value, "csv"))
            l->form = METRIC_FORM_CSV;
        else if (!span_is(name, "format") || !span_is(value, "table"))
            rc = -EINVAL;
        if (rc < 0)
            return api_params_have(PARAM_SERIES, name)
                       ? api_params_refuse_value(PARAM_SERIES, name, value, err)
                       : api_params_refuse_name(PARAM_SERIES, name, "/v1/series", err);
    }
    return 0;
}

/* A level below another that is listed is listed with it. */
static void nested_drop(struct metric_levels *levels)
{
    size_t top_count = 0;
    for (size_t i = 0; i < levels->count; i++) {
        const struct level *at = levels->items[i];
        const struct level *last = top_count ? levels->items[top_count - 1] : NULL;
        bool is_below = last && last->path_size < at->path_size &&
                        at->path[last->path_size] == '/' &&
                        memcmp(at->path, last->path, last->path_size) == 0;
        if (!is_below)
            levels->items[top_count++] = levels->items[i];
    }
    levels->count = top_count;
}

/* Errors: -ENOENT (there is no such metric, or component), those of
 * metric_selector_find(). */
static int find_listing(struct listing *l, struct err *err)
{
    const struct metric_table *metrics = metric_store_metrics(l->api->store);
    bool has_metric = strcmp(l->metric, "*") == 0;
    for (uint32_t id = 0; !has_metric && id < metric_count(metrics); id++)
        has_metric =
            component_name_matches(metric_at(metrics, id)->name, span_of(l->metric));
    if (!has_metric)
        return err_set(err, ENOENT, "metric: there is no %s", l->metric);
    if (l->component_count == 0)
        return 0;
    unsigned reader = metric_store_enter(l->api->store);
    int rc = metric_selector_find(l->api->store, l->components, l->component_count,
                                  &l->levels, &l->missing, err);
    metric_store_leave(l->api->store, reader);
    nested_drop(&l->levels);
    return rc;
}

static void listing_free(void *arg)
{
    struct listing *l = arg;
    if (!l)
        return;
    metric_levels_done(&l->levels);
    metric_missing_done(&l->missing);
    free(l);
}
DEFINE_AUTO(struct listing, listing_free);

void metric_series_handle(void *arg, struct net_request *request)
{
    AUTO(listing_free) struct listing *l = calloc(1, sizeof *l);
    struct err err = { 0 };
    int rc = l ? 0 : -ENOMEM;
    if (rc == 0) {
        l->api = arg;
        l->form = METRIC_FORM_TABLE;
        l->left = UINT64_MAX;
        l->metric[0] = '*';
        metric_missing_init(&l->missing);
        rc = parse_listing(request, l, &err);
    }
    if (rc == 0)
        rc = find_listing(l, &err);
    if (rc < 0) {
        metric_call_error(arg, request, rc, &err);
        return;
    }
    enum metric_form form = l->form;
    const struct net_stream stream = { .next = next_rows,
                                       .free = listing_free,
                                       .state = TAKE(l),
                                       .coding = NET_STREAM_NEGOTIATED };
    metric_call_stream(arg, request, v1_content_type(form), &stream);
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
