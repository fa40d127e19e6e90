/* SPDX-License-Identifier: Apache-2.0 */
/* series_walk - the series of the metric store that fit matchers. */
#include "api/prometheus/series_walk.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <stdlib.h>

struct walking {
    const struct series_walk *walk;
    const struct metric_table *metrics;
    bool *fits; /* by the metric's id */
    uint32_t metric_count;
    struct component_labels labels;
};

/* ---- which metrics, which levels ---- */

static bool fits_label(const struct walking *w, struct span name, struct span value)
{
    for (size_t i = 0; i < w->walk->matcher_count; i++) {
        const struct matcher *m = &w->walk->matchers[i];
        if (span_eq(m->name, name) && !matcher_fits_text(m, value))
            return false;
    }
    return true;
}

/* Whether all labels but the metric's name fit. */
static bool fits_component(const struct walking *w)
{
    for (size_t i = 0; i < w->walk->matcher_count; i++) {
        const struct matcher *m = &w->walk->matchers[i];
        if (!span_is(m->name, LABEL_METRIC_NAME) &&
            !matcher_fits_text(m, labels_get(&w->labels.labels, m->name)))
            return false;
    }
    return true;
}

/* The text that a label must have; Data NULL: there is no such. */
static struct span wanted_text(const struct series_walk *walk, const char *name)
{
    for (size_t i = 0; i < walk->matcher_count; i++)
        if (walk->matchers[i].kind == MATCHER_EQ &&
            span_is(walk->matchers[i].name, name) && walk->matchers[i].value.size > 0)
            return walk->matchers[i].value;
    return (struct span){ NULL, 0 };
}

/* Also where no label would fit: below it are series that only lie there
 * (model/label_path.h). */
static bool level_fits(struct walking *w, const struct level *level, const char *name)
{
    component_labels_init(&w->labels, (struct span){ level->path, level->path_size });
    return fits_label(w, span_of(name), labels_get(&w->labels.labels, span_of(name))) ||
           fits_label(w, span_of(name), SPAN(""));
}

static int find_metrics(struct walking *w)
{
    bool has_any = false;
    w->metric_count = metric_count(w->metrics);
    w->fits = calloc(w->metric_count + 1, sizeof *w->fits);
    if (!w->fits)
        return -ENOMEM;
    for (uint32_t id = 0; id < w->metric_count; id++) {
        w->fits[id] =
            fits_label(w, SPAN(LABEL_METRIC_NAME), metric_at(w->metrics, id)->name);
        has_any |= w->fits[id];
    }
    return has_any;
}

/* ---- the walk ---- */

static int visit_series(struct walking *w, struct level_series *series)
{
    const struct series_walk *walk = w->walk;
    metric_visit_step(walk->visit);
    int rc = walk->watch ? walk->watch(walk->watch_arg) : 0;
    if (rc < 0)
        return rc;
    component_labels_set_metric(&w->labels,
                                metric_at(w->metrics, series->metric)->name);
    return walk->fn(walk->arg, &w->labels, series);
}

static int visit_level(struct walking *w, struct level *level)
{
    struct level_series *s = atomic_load_explicit(&level->series, memory_order_acquire);
    int rc = 0;
    if (!s)
        return 0;
    component_labels_init(&w->labels, (struct span){ level->path, level->path_size });
    if (!fits_component(w))
        return 0;
    /* A metric that came since is the next query's. */
    for (; s && rc == 0; s = s->next)
        if (s->metric < w->metric_count && w->fits[s->metric])
            rc = visit_series(w, s);
    return rc;
}

static int visit_below(struct walking *w, struct level *top)
{
    int rc = 0;
    for (struct level *l = top; l && rc == 0; l = level_next(l, top)) {
        metric_visit_step(w->walk->visit);
        rc = visit_level(w, l);
        if (rc == 0 && w->walk->watch)
            rc = w->walk->watch(w->walk->watch_arg);
    }
    return rc;
}

/* Of a cluster: its own series, then its hosts. */
static int visit_cluster(struct walking *w, struct level *cluster)
{
    if (!level_fits(w, cluster, "cluster"))
        return 0;
    int rc = visit_level(w, cluster);
    struct level *host = atomic_load_explicit(&cluster->child, memory_order_acquire);
    for (; host && rc == 0; host = host->next)
        if (level_fits(w, host, "hostname"))
            rc = visit_below(w, host);
    return rc;
}

static int visit_all(struct walking *w)
{
    const struct metric_store *store = w->walk->visit->store;
    int rc = 0;
    for (size_t i = 0; i < metric_store_shard_count(store); i++) {
        struct level *root = metric_store_tree(store, i)->root;
        struct level *cluster =
            atomic_load_explicit(&root->child, memory_order_acquire);
        for (; cluster && rc == 0; cluster = cluster->next)
            rc = visit_cluster(w, cluster);
    }
    return rc;
}

/* The one host that can fit, where both of its names are given. */
static int visit_host(struct walking *w, struct span cluster, struct span host)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    const struct component c = { .cluster = cluster, .host = host };
    component_print(&path, &c);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    struct level *level = metric_store_level(w->walk->visit->store, strbuf_span(&path));
    return level ? visit_below(w, level) : 0;
}

int series_walk_run(const struct series_walk *walk)
{
    AUTO_FREE struct walking *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->walk = walk;
    w->metrics = metric_store_metrics(walk->visit->store);
    struct span cluster = wanted_text(walk, "cluster");
    struct span host = wanted_text(walk, "hostname");
    int rc = find_metrics(w);
    if (rc > 0 && cluster.data && host.data)
        rc = visit_host(w, cluster, host);
    else if (rc > 0)
        rc = visit_all(w);
    free(w->fits);
    return rc;
}
