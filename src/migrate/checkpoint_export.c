/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint_export - JSON checkpoints as cc-metric-store loads them: the way back. */
#include "migrate/checkpoint_export.h"

#include "base/decimal_text.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "migrate/name_patterns.h"
#include "model/model.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#define WINDOW_S (12 * 3600)
#define NAME_MAX_BYTES 255

/* One series of one file. */
struct grid {
    struct checkpoint_export_counts *counts;
    int64_t step_s;
    int64_t first_s; /* of slot 0 */
    double values[WINDOW_S + 1];
    size_t count;
    bool is_set[WINDOW_S + 1];
};

struct host {
    struct metric_store *store;
    const struct export_selection *selection;
    const char *dir;
    struct checkpoint_export_counts *counts;
    struct grid *grid;
    struct strbuf text, name;
    int64_t from_s, to_s; /* of the file */
    bool has_data;        /* something was written into the file */
};

static int place_samples(void *arg, const int64_t *times, const double *values,
                         size_t count)
{
    struct grid *g = arg;
    for (size_t i = 0; i < count; i++) {
        int64_t t_s = times[i] / NS_PER_S;
        if (isnan(values[i]) || isinf(values[i]))
            continue;
        if (g->count == 0)
            g->first_s = t_s;
        int64_t slot = (t_s - g->first_s + g->step_s / 2) / g->step_s;
        if (slot < 0 || slot > WINDOW_S)
            continue;
        for (; g->count <= (size_t)slot; g->count++) {
            g->is_set[g->count] = false;
            g->values[g->count] = NAN;
        }
        g->counts->overwritten += g->is_set[slot];
        g->is_set[slot] = true;
        g->values[slot] = values[i];
        g->counts->samples++;
    }
    return 0;
}

static int64_t clamp_time(int64_t t_ns, int64_t low_ns, int64_t high_ns)
{
    return t_ns < low_ns ? low_ns : t_ns > high_ns ? high_ns : t_ns;
}

static int read_grid(struct host *h, const struct level_series *s)
{
    const struct time_window *window = &h->selection->window;
    struct grid *g = h->grid;
    struct metric_read read;
    const struct metric_range range = {
        .from_ns = clamp_time(h->from_s * NS_PER_S, window->from_ns, window->to_ns),
        .to_ns = clamp_time(h->to_s * NS_PER_S, window->from_ns, window->to_ns),
        .fn = place_samples,
        .arg = g,
    };
    g->counts = h->counts;
    g->count = 0;
    g->step_s = series_grid_ns(&s->series) / NS_PER_S;
    return metric_store_read(h->store, s, &range, &read);
}

static void write_grid(struct host *h, struct json_writer *w, struct span metric)
{
    char digits[DECIMAL_TEXT_MAX];
    const struct grid *g = h->grid;
    json_key_span(w, metric);
    json_object(w);
    json_key(w, "frequency");
    json_i64(w, g->step_s);
    json_key(w, "start");
    json_i64(w, g->first_s - g->step_s / 2);
    json_key(w, "data");
    json_array(w);
    for (size_t i = 0; i < g->count; i++) {
        size_t size = decimal_print_shortest(digits, g->values[i]);
        if (g->is_set[i])
            json_raw(w, (struct span){ digits, size });
        else
            json_null(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static bool is_wanted(const struct host *h, const struct level *level,
                      const struct metric *metric)
{
    return component_path_matches((struct span){ level->path, level->path_size },
                                  span_of(h->selection->component)) &&
           name_patterns_match(metric->name, h->selection->metric);
}

static bool has_grid(const struct level_series *s)
{
    int64_t step_ns = series_grid_ns(&s->series);
    return step_ns > 0 && step_ns % NS_PER_S == 0 && step_ns / NS_PER_S <= WINDOW_S;
}

static int write_metrics(struct host *h, struct json_writer *w, struct level *level)
{
    const struct metric_table *metrics = metric_store_metrics(h->store);
    const struct level_series *s =
        atomic_load_explicit(&level->series, memory_order_acquire);
    int rc = 0;
    for (; rc == 0 && s; s = s->next) {
        const struct metric *metric = metric_at(metrics, s->metric);
        if (!metric || !is_wanted(h, level, metric) || !has_grid(s))
            continue;
        rc = read_grid(h, s);
        if (rc == 0 && h->grid->count > 0) {
            write_grid(h, w, metric->name);
            h->has_data = true;
        }
    }
    return rc;
}

/* A level and what is below it; JSON nests as levels do, LEVEL_DEPTH_MAX deep. */
static int write_level(struct host *h, struct json_writer *w, struct level *level)
{
    json_key(w, "metrics");
    json_object(w);
    int rc = write_metrics(h, w, level);
    json_object_end(w);
    json_key(w, "children");
    json_object(w);
    struct level *child = atomic_load_explicit(&level->child, memory_order_acquire);
    for (; rc == 0 && child; child = child->next) {
        struct span name;
        rc = component_last_name((struct span){ child->path, child->path_size },
                                 &h->name, &name);
        if (rc < 0)
            break;
        json_key_span(w, name);
        json_object(w);
        rc = write_level(h, w, child);
        json_object_end(w);
    }
    json_object_end(w);
    return rc;
}

static int write_text(const struct host *h, const char *dir, struct err *err)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%" PRId64 ".json", dir, h->from_s);
    if (n < 0 || (size_t)n >= sizeof path)
        return err_set(err, ENAMETOOLONG, "'%s': too long", dir);
    int rc = file_make_dirs(dir, 0755, err);
    if (rc < 0)
        return rc;
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_set(err, errno, "create '%s': %s", path, strerror(errno));
    rc = file_write_all(fd, h->text.data, h->text.size);
    return rc < 0 ? err_set(err, -rc, "write '%s': %s", path, strerror(-rc)) : 0;
}

static int write_file(struct host *h, struct level *level, const char *dir,
                      struct err *err)
{
    struct json_writer w;
    strbuf_clear(&h->text);
    h->has_data = false;
    json_writer_init(&w, &h->text);
    json_object(&w);
    json_key(&w, "from");
    json_i64(&w, h->from_s);
    json_key(&w, "to");
    json_i64(&w, h->to_s - 1);
    int rc = write_level(h, &w, level);
    json_object_end(&w);
    strbuf_addc(&h->text, '\n');
    if (rc == 0)
        rc = strbuf_error(&h->text);
    if (rc < 0 || !h->has_data)
        return rc;
    h->counts->files++;
    return write_text(h, dir, err);
}

/* ---- what there is of a host ---- */

struct reach {
    int64_t first_ns, last_ns;
};

static int extend_reach(void *arg, const int64_t *times, const double *values,
                        size_t count)
{
    struct reach *r = arg;
    (void)values;
    if (count > 0 && times[0] < r->first_ns)
        r->first_ns = times[0];
    if (count > 0 && times[count - 1] > r->last_ns)
        r->last_ns = times[count - 1];
    return 0;
}

static int find_reach(const struct host *h, struct level *top, struct reach *reach)
{
    const struct metric_table *metrics = metric_store_metrics(h->store);
    const struct metric_range range = { h->selection->window.from_ns,
                                        h->selection->window.to_ns, extend_reach,
                                        reach };
    int rc = 0;
    for (struct level *level = top; rc == 0 && level; level = level_next(level, top)) {
        const struct level_series *s =
            atomic_load_explicit(&level->series, memory_order_acquire);
        for (; rc == 0 && s; s = s->next) {
            struct metric_read read;
            const struct metric *metric = metric_at(metrics, s->metric);
            if (!metric || !is_wanted(h, level, metric))
                continue;
            h->counts->series += has_grid(s);
            h->counts->skipped_series += !has_grid(s);
            if (has_grid(s))
                rc = metric_store_read(h->store, s, &range, &read);
        }
    }
    return rc;
}

/* A name that a directory can have, and that leads nowhere else. */
static bool is_file_name(struct span name)
{
    return name.size > 0 && name.size <= NAME_MAX_BYTES && name.data[0] != '.' &&
           !memchr(name.data, '/', name.size) && !memchr(name.data, '\0', name.size);
}

static int host_dir(struct host *h, const struct level *level,
                    char dir[static PATH_MAX])
{
    AUTO(strbuf_done) struct strbuf cluster = STRBUF_INIT;
    struct span host, name;
    int rc = component_last_name(
        (struct span){ level->parent->path, level->parent->path_size }, &cluster,
        &name);
    if (rc == 0)
        rc = component_last_name((struct span){ level->path, level->path_size },
                                 &h->name, &host);
    if (rc < 0)
        return rc;
    if (!is_file_name(name) || !is_file_name(host))
        return -EINVAL;
    int n = snprintf(dir, PATH_MAX, "%s/" SPAN_FMT "/" SPAN_FMT, h->dir, SPAN_ARG(name),
                     SPAN_ARG(host));
    return n > 0 && n < PATH_MAX ? 0 : -EINVAL;
}

static int write_host(struct host *h, struct level *level, struct err *err)
{
    char dir[PATH_MAX];
    struct reach reach = { INT64_MAX, INT64_MIN };
    uint64_t before = h->counts->series;
    int rc = find_reach(h, level, &reach);
    if (rc < 0 || reach.first_ns > reach.last_ns)
        return rc;
    rc = host_dir(h, level, dir);
    if (rc == -EINVAL) {
        h->counts->skipped_series += h->counts->series - before;
        h->counts->series = before;
        return 0;
    }
    int64_t first_s = reach.first_ns / NS_PER_S / WINDOW_S * WINDOW_S;
    for (h->from_s = first_s; rc == 0 && h->from_s * NS_PER_S <= reach.last_ns;
         h->from_s += WINDOW_S) {
        h->to_s = h->from_s + WINDOW_S;
        rc = write_file(h, level, dir, err);
    }
    return rc;
}

static int write_hosts(struct host *h, size_t shard, struct err *err)
{
    struct level *root = metric_store_tree(h->store, shard)->root;
    struct level *cluster = atomic_load_explicit(&root->child, memory_order_acquire);
    int rc = 0;
    for (; rc == 0 && cluster; cluster = cluster->next) {
        struct level *level =
            atomic_load_explicit(&cluster->child, memory_order_acquire);
        const struct level_series *s =
            atomic_load_explicit(&cluster->series, memory_order_acquire);
        /* It stores nothing that is a cluster's own. */
        for (; s; s = s->next)
            h->counts->skipped_series++;
        for (; rc == 0 && level; level = level->next)
            rc = write_host(h, level, err);
    }
    return rc;
}

int checkpoint_export(struct metric_store *store,
                      const struct export_selection *selection, const char *dir,
                      struct checkpoint_export_counts *ret, struct err *err)
{
    struct host h = {
        .store = store, .selection = selection, .dir = dir, .counts = ret
    };
    *ret = (struct checkpoint_export_counts){ 0 };
    h.grid = calloc(1, sizeof *h.grid);
    int rc = h.grid ? 0 : err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(store); i++) {
        unsigned reader = metric_store_enter(store);
        rc = write_hosts(&h, i, err);
        metric_store_leave(store, reader);
    }
    free(h.grid);
    strbuf_done(&h.text);
    strbuf_done(&h.name);
    return rc;
}
