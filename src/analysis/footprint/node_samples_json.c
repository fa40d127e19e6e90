/* SPDX-License-Identifier: Apache-2.0 */
/* node_samples_json - samples of nodes as JSON. */
#include "analysis/footprint/node_samples_json.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX (NODE_SAMPLES_HOSTS_MAX * 64)
#define DEPTH_MAX 7

/* ---- printing ---- */

static void row_print(const struct node_samples *samples,
                      const struct node_samples_row *row, struct json_writer *w)
{
    json_object(w);
    json_key(w, "host");
    json_u64(w, row->host);
    json_key(w, "device");
    json_text(w, row->device);
    json_key(w, "samples");
    json_u64(w, row->samples);
    json_key(w, "min");
    json_double(w, row->min);
    json_key(w, "max");
    json_double(w, row->max);
    json_key(w, "values");
    json_array(w);
    for (size_t i = 0; i < samples->window_count; i++)
        json_double(w, row->values[i]);
    json_array_end(w);
    json_object_end(w);
}

static void metric_print(const struct node_samples *samples,
                         const struct node_samples_metric *metric,
                         struct json_writer *w)
{
    json_object(w);
    json_key(w, "name");
    json_text(w, metric->name);
    json_key(w, "unit");
    json_text(w, metric->unit);
    json_key(w, "is_counter");
    json_bool(w, metric->is_counter);
    json_key(w, "rows");
    json_array(w);
    for (size_t i = 0; i < metric->row_count; i++)
        row_print(samples, &metric->rows[i], w);
    json_array_end(w);
    json_object_end(w);
}

static void peaks_print(const struct node_samples *samples, struct json_writer *w)
{
    if (samples->peak_flops > 0) {
        json_key(w, "peak_flops");
        json_double(w, samples->peak_flops);
        json_key(w, "peak_bytes");
        json_double(w, samples->peak_bytes);
    }
    if (samples->peakless) {
        json_key(w, "peakless");
        json_text(w, samples->peakless);
    }
}

void node_samples_print(const struct node_samples *samples, struct json_writer *w)
{
    json_object(w);
    json_key(w, "cluster");
    json_text(w, samples->cluster);
    json_key(w, "from_s");
    json_i64(w, samples->from_ns / NS_PER_S);
    json_key(w, "to_s");
    json_i64(w, samples->to_ns / NS_PER_S);
    json_key(w, "window_s");
    json_i64(w, samples->window_ns / NS_PER_S);
    peaks_print(samples, w);
    json_key(w, "hosts");
    json_array(w);
    for (size_t i = 0; i < samples->host_count; i++)
        json_text(w, samples->hosts[i]);
    json_array_end(w);
    json_key(w, "metrics");
    json_array(w);
    for (size_t i = 0; i < samples->metric_count; i++)
        metric_print(samples, &samples->metrics[i], w);
    json_array_end(w);
    json_object_end(w);
}

/* ---- reading ---- */

/* An array that grows; its elements lie in the arena. */
struct growing {
    void *items;
    size_t count, capacity;
};

struct reading {
    struct arena *arena;
    struct node_samples samples;
    int64_t window_s;
    struct growing hosts, metrics, rows, values;
    struct node_samples_metric metric;
    struct node_samples_row row;
    char keys[DEPTH_MAX][16]; /* of the objects that are open */
};

/* Space for one more. */
static void *growing_next(struct reading *r, struct growing *g, size_t size, size_t max)
{
    if (g->count == max)
        return NULL;
    if (g->count == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 16;
        void *grown = arena_alloc(r->arena, capacity * size);
        if (!grown)
            return NULL;
        if (g->count > 0)
            memcpy(grown, g->items, g->count * size);
        g->items = grown;
        g->capacity = capacity;
    }
    return (char *)g->items + size * g->count++;
}

static bool is_key(const struct reading *r, unsigned depth, const char *key)
{
    return strcmp(r->keys[depth], key) == 0;
}

static int windows_settle(struct reading *r)
{
    struct node_samples *s = &r->samples;
    if (s->window_count > 0)
        return 0;
    if (r->window_s <= 0 || r->window_s > INT64_MAX / NS_PER_S ||
        s->to_ns <= s->from_ns)
        return -EBADMSG;
    s->window_ns = r->window_s * NS_PER_S;
    s->window_count = (size_t)((s->to_ns - s->from_ns - 1) / s->window_ns + 1);
    return s->window_count > NODE_SAMPLES_WINDOWS_MAX ? -E2BIG : 0;
}

static int metric_finish(struct reading *r)
{
    struct node_samples_metric *at =
        growing_next(r, &r->metrics, sizeof r->metric, NODE_SAMPLES_METRICS_MAX);
    if (!at)
        return r->metrics.count == NODE_SAMPLES_METRICS_MAX ? -E2BIG : -ENOMEM;
    if (!r->metric.name || !r->metric.unit)
        return -EBADMSG;
    *at = r->metric;
    at->rows = r->rows.items;
    at->row_count = r->rows.count;
    r->metric = (struct node_samples_metric){ 0 };
    r->rows = (struct growing){ 0 };
    return 0;
}

static int row_finish(struct reading *r)
{
    int rc = windows_settle(r);
    if (rc < 0)
        return rc;
    if (!r->row.device || r->row.host >= r->hosts.count ||
        r->values.count != r->samples.window_count)
        return -EBADMSG;
    struct node_samples_row *at = growing_next(r, &r->rows, sizeof r->row, ROWS_MAX);
    if (!at)
        return r->rows.count == ROWS_MAX ? -E2BIG : -ENOMEM;
    r->row.values = r->values.items;
    *at = r->row;
    r->row = (struct node_samples_row){ .host = SIZE_MAX, .min = NAN, .max = NAN };
    r->values = (struct growing){ 0 };
    return 0;
}

static int value_add(struct reading *r, double value)
{
    double *at = growing_next(r, &r->values, sizeof value, NODE_SAMPLES_WINDOWS_MAX);
    if (!at)
        return r->values.count == NODE_SAMPLES_WINDOWS_MAX ? -E2BIG : -ENOMEM;
    *at = value;
    return 0;
}

static int seconds_set(struct span text, int64_t *ret_ns)
{
    int64_t s = 0;
    if (number_parse_i64(text, &s) < 0 || s < 0 || s > INT64_MAX / NS_PER_S)
        return -EBADMSG;
    *ret_ns = s * NS_PER_S;
    return 0;
}

static int peak_set(struct span text, double *ret)
{
    double peak = 0;
    if (number_parse_double(text, &peak) < 0 || !isfinite(peak) || peak <= 0)
        return -EBADMSG;
    *ret = peak;
    return 0;
}

static int row_number(struct reading *r, struct span text)
{
    uint64_t whole = 0;
    if (is_key(r, 4, "min"))
        return number_parse_double(text, &r->row.min) < 0 ? -EBADMSG : 0;
    if (is_key(r, 4, "max"))
        return number_parse_double(text, &r->row.max) < 0 ? -EBADMSG : 0;
    if (number_parse_u64(text, &whole) < 0)
        return -EBADMSG;
    if (is_key(r, 4, "host"))
        r->row.host = whole;
    else if (is_key(r, 4, "samples"))
        r->row.samples = whole;
    return 0;
}

static int on_number(struct reading *r, struct span text, unsigned depth)
{
    double value = NAN;
    if (depth == 1 && is_key(r, 0, "from_s"))
        return seconds_set(text, &r->samples.from_ns);
    if (depth == 1 && is_key(r, 0, "to_s"))
        return seconds_set(text, &r->samples.to_ns);
    if (depth == 1 && is_key(r, 0, "window_s"))
        return number_parse_i64(text, &r->window_s) < 0 ? -EBADMSG : 0;
    if (depth == 1 && is_key(r, 0, "peak_flops"))
        return peak_set(text, &r->samples.peak_flops);
    if (depth == 1 && is_key(r, 0, "peak_bytes"))
        return peak_set(text, &r->samples.peak_bytes);
    if (depth == 5)
        return row_number(r, text);
    if (depth != 6)
        return 0;
    return number_parse_double(text, &value) < 0 ? -EBADMSG : value_add(r, value);
}

static int on_string(struct reading *r, struct span text, unsigned depth)
{
    const char *copy = arena_dup(r->arena, text);
    if (!copy)
        return -ENOMEM;
    if (depth == 1 && is_key(r, 0, "cluster"))
        r->samples.cluster = copy;
    if (depth == 1 && is_key(r, 0, "peakless"))
        r->samples.peakless = copy;
    if (depth == 3 && is_key(r, 2, "name"))
        r->metric.name = copy;
    if (depth == 3 && is_key(r, 2, "unit"))
        r->metric.unit = copy;
    if (depth == 5 && is_key(r, 4, "device"))
        r->row.device = copy;
    if (depth != 2 || !is_key(r, 0, "hosts"))
        return 0;
    const char **at =
        growing_next(r, &r->hosts, sizeof(char *), NODE_SAMPLES_HOSTS_MAX);
    if (!at)
        return r->hosts.count == NODE_SAMPLES_HOSTS_MAX ? -E2BIG : -ENOMEM;
    *at = copy;
    return 0;
}

static int samples_event(void *arg, enum json_event event, struct span text,
                         unsigned depth)
{
    struct reading *r = arg;
    if (event == JSON_KEY && depth < DEPTH_MAX)
        (void)snprintf(r->keys[depth], sizeof r->keys[depth], SPAN_FMT, SPAN_ARG(text));
    if (event == JSON_NUMBER)
        return on_number(r, text, depth);
    if (event == JSON_STRING)
        return on_string(r, text, depth);
    if (event == JSON_NULL && depth == 6)
        return value_add(r, NAN);
    if (event == JSON_TRUE && depth == 3 && is_key(r, 2, "is_counter"))
        r->metric.is_counter = true;
    if (event == JSON_OBJECT_END && depth == 4)
        return row_finish(r);
    if (event == JSON_OBJECT_END && depth == 2)
        return metric_finish(r);
    return 0;
}

int node_samples_read(struct span text, struct arena *arena, struct node_samples *ret,
                      struct err *err)
{
    struct reading r = { .arena = arena,
                         .row = { .host = SIZE_MAX, .min = NAN, .max = NAN } };
    int rc = json_read(text, samples_event, &r, err);
    if (rc == 0)
        rc = windows_settle(&r);
    if (rc < 0)
        return err_set(err, -rc, "samples of nodes: %s",
                       rc == -E2BIG    ? "too many"
                       : rc == -ENOMEM ? "out of memory"
                                       : "not such a response");
    r.samples.hosts = r.hosts.items;
    r.samples.host_count = r.hosts.count;
    r.samples.metrics = r.metrics.items;
    r.samples.metric_count = r.metrics.count;
    *ret = r.samples;
    return 0;
}
