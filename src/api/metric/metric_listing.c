/* SPDX-License-Identifier: Apache-2.0 */
/* metric_listing - what /v1/series responds with, piece by piece. */
#include "api/metric/metric_objects.h"
#include "api/metric/metric_samples.h"
#include "api/metric/metric_text.h"
#include "api/reading/reading.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <stdlib.h>

#define LIST_PIECE_BYTES (64 * 1024)

struct metric_listing {
    struct metric_reading of;
    struct metric_listing_query wanted;
    struct metric_levels levels; /* that they match: each with what is below it */
    struct metric_missing missing;
    uint64_t left; /* rows that may still be written */
    uint64_t rows;
    size_t root;         /* of the levels, or the shard */
    struct level *level; /* next; NULL: the root's first */
    enum {
        LISTING_BEGIN,
        LISTING_ROWS,
        LISTING_OVER,
    } phase;
};

static void begin_rows(const struct metric_listing *l, struct strbuf *out)
{
    if (l->wanted.form == METRIC_FORM_OBJECTS) {
        metric_objects_begin(out);
        return;
    }
    strbuf_adds(out, l->wanted.form == METRIC_FORM_CSV
                         ? "component,metric,step\n"
                         : "{\"columns\":["
                           "{\"name\":\"component\",\"type\":\"text\",\"unit\":\"\"},"
                           "{\"name\":\"metric\",\"type\":\"text\",\"unit\":\"\"},"
                           "{\"name\":\"step\",\"type\":\"double\",\"unit\":\"s\"}],"
                           "\"rows\":[");
}

static void listing_object_write(struct metric_listing *l, struct span path,
                                 const struct metric *metric, int64_t step_ns,
                                 struct strbuf *out)
{
    struct json_writer w;
    strbuf_adds(out, l->rows ? ",\n " : "\n ");
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "component");
    json_span(&w, path);
    json_key(&w, "metric");
    json_span(&w, metric->name);
    json_key(&w, "step");
    if (step_ns == 0)
        json_null(&w);
    else
        json_double(&w, (double)step_ns / NS_PER_S);
    json_object_end(&w);
}

static void write_row(struct metric_listing *l, const struct level *level,
                      const struct metric *metric, int64_t step_ns, struct strbuf *out)
{
    char step[TIMETEXT_SIZE];
    struct span path = { level->path, level->path_size };
    struct span text = { step, timetext_print_seconds(step, step_ns) };
    if (step_ns == 0)
        text = l->wanted.form == METRIC_FORM_CSV ? SPAN("") : SPAN("null");
    if (l->wanted.form == METRIC_FORM_OBJECTS) {
        listing_object_write(l, path, metric, step_ns, out);
    } else if (l->wanted.form == METRIC_FORM_CSV) {
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

static void write_level(struct metric_listing *l, const struct level *level,
                        struct strbuf *out)
{
    const struct metric_table *metrics = metric_store_metrics(l->of.store);
    const struct level_series *s =
        atomic_load_explicit(&level->series, memory_order_acquire);
    for (; s && l->left > 0; s = s->next) {
        const struct metric *metric = metric_at(metrics, s->metric);
        if (metric && component_name_matches(metric->name, l->wanted.metric))
            write_row(l, level, metric, series_grid_ns(&s->series), out);
    }
}

/* The next whose levels are listed; NULL: there is none. */
static struct level *next_root(const struct metric_listing *l)
{
    const struct metric_store *store = l->of.store;
    if (l->wanted.component_count > 0)
        return l->root < l->levels.count ? l->levels.items[l->root] : NULL;
    return l->root < metric_store_shard_count(store)
               ? metric_store_tree(store, l->root)->root
               : NULL;
}

static void write_notes(struct metric_listing *l, struct strbuf *out)
{
    const char *comma = "", *end = l->wanted.form == METRIC_FORM_CSV ? "\n" : "";
    for (size_t i = 0; i < l->missing.count; i++) {
        AUTO(strbuf_done) struct strbuf note = STRBUF_INIT;
        metric_missing_print(&l->missing.items[i], &note);
        if (l->wanted.form == METRIC_FORM_CSV) {
            strbuf_adds(out, "# ");
            strbuf_add_span(out, strbuf_span(&note));
        } else {
            strbuf_adds(out, comma);
            metric_text_json(out, strbuf_span(&note));
        }
        strbuf_adds(out, end);
        comma = ",";
    }
    if (l->left == 0 && l->wanted.form != METRIC_FORM_CSV)
        strbuf_addf(out, "%s\"limit reached\"", comma);
}

static void write_levels(struct metric_listing *l, struct metric_visit *visit,
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
            if (l->of.watch(l->of.watch_arg) < 0)
                return; /* the piece is thrown away */
            metric_visit_step(visit);
            write_level(l, level, out);
        }
        l->level = NULL;
        l->root++;
    }
    l->phase = LISTING_OVER;
    if (l->wanted.form == METRIC_FORM_OBJECTS) {
        metric_objects_end(out);
        return;
    }
    strbuf_adds(out, l->wanted.form == METRIC_FORM_CSV ? "" : "],\"notes\":[");
    write_notes(l, out);
    strbuf_adds(out, l->wanted.form == METRIC_FORM_CSV ? "" : "]}\n");
}

int metric_listing_next(void *arg, struct strbuf *out)
{
    struct metric_listing *l = arg;
    struct metric_visit visit;
    metric_visit_begin(&visit, l->of.store);
    if (l->phase == LISTING_BEGIN) {
        begin_rows(l, out);
        l->phase = LISTING_ROWS;
    }
    int rc = 0;
    while (rc == 0 && l->phase == LISTING_ROWS && out->size < LIST_PIECE_BYTES) {
        write_levels(l, &visit, out);
        rc = l->of.watch(l->of.watch_arg);
    }
    metric_visit_end(&visit);
    return rc < 0 ? rc : strbuf_error(out);
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
static int find_listing(struct metric_listing *l, struct err *err)
{
    const struct metric_table *metrics = metric_store_metrics(l->of.store);
    bool has_metric = span_is(l->wanted.metric, "*");
    for (uint32_t id = 0; !has_metric && id < metric_count(metrics); id++)
        has_metric =
            component_name_matches(metric_at(metrics, id)->name, l->wanted.metric);
    if (!has_metric)
        return metric_picks_refuse(metrics, l->wanted.metric, err);
    if (l->wanted.component_count == 0)
        return 0;
    unsigned reader = metric_store_enter(l->of.store);
    int rc =
        metric_selector_find(l->of.store, l->wanted.components,
                             l->wanted.component_count, &l->levels, &l->missing, err);
    metric_store_leave(l->of.store, reader);
    nested_drop(&l->levels);
    return rc;
}

void metric_listing_free(void *arg)
{
    struct metric_listing *l = arg;
    if (!l)
        return;
    metric_levels_done(&l->levels);
    metric_missing_done(&l->missing);
    free(l);
}

int metric_listing_new(const struct metric_reading *reading,
                       const struct metric_listing_query *query,
                       struct metric_listing **ret, struct err *err)
{
    AUTO(metric_listing_free) struct metric_listing *l = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    l->of = *reading;
    l->wanted = *query;
    l->left = query->limit;
    metric_missing_init(&l->missing);
    int rc = find_listing(l, err);
    if (rc == 0)
        *ret = TAKE(l);
    return rc;
}
