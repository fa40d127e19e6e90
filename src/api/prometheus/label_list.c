/* SPDX-License-Identifier: Apache-2.0 */
/* label_list - which labels, values of a label, and series there are. */
#include "api/prometheus/label_list.h"

#include "base/hashmap.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

/* Where no time is given. */
#define JOBS_LISTED_MS INT64_C(86400000)

struct listing {
    const struct label_list_request *wanted;
    struct hashmap seen; /* texts; of series the address of each */
    struct arena arena;  /* labels of series */
    struct labels *items;
    size_t count, capacity;
    struct budget_meter meter;
    struct err *err;
};

/* ---- what is there ---- */

static int follow_memory(struct listing *l)
{
    return budget_meter_follow(&l->meter, hashmap_bytes(&l->seen) +
                                              l->arena.used_bytes +
                                              l->capacity * sizeof *l->items);
}

static int add_text(struct listing *l, struct span text)
{
    bool is_new = false;
    if (text.size == 0)
        return 0;
    if (!hashmap_put(&l->seen, text, &is_new))
        return -ENOMEM;
    return is_new ? follow_memory(l) : 0;
}

/* key: what series of the same labels have in common. */
static int add_series(struct listing *l, const struct labels *labels, struct span key)
{
    bool is_new = false;
    if (!hashmap_put(&l->seen, key, &is_new))
        return -ENOMEM;
    if (!is_new)
        return 0;
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 64;
        struct labels *items = reallocarray(l->items, capacity, sizeof *items);
        if (!items)
            return -ENOMEM;
        l->items = items;
        l->capacity = capacity;
    }
    int rc = labels_copy(&l->arena, labels, &l->items[l->count]);
    if (rc < 0)
        return rc;
    l->count++;
    return follow_memory(l);
}

static int list_labels(struct listing *l, const struct labels *labels, struct span key)
{
    if (l->wanted->what == LIST_SERIES)
        return add_series(l, labels, key);
    if (l->wanted->what == LIST_VALUES)
        return add_text(l, labels_get(labels, l->wanted->label));
    int rc = 0;
    for (size_t i = 0; i < labels->count && rc == 0; i++)
        rc = add_text(l, labels->pairs[i].name);
    return rc;
}

static int list_series(void *arg, const struct component_labels *c,
                       struct level_series *series)
{
    struct listing *l = arg;
    int64_t last_ns = series_last_ns(&series->series);
    if (last_ns != INT64_MIN && last_ns / NS_PER_MS < l->wanted->from_ms)
        return 0;
    return list_labels(l, &c->labels,
                       (struct span){ (const char *)&series, sizeof(series) });
}

/* ---- counters of jobs ---- */

static int list_job_series(void *arg, const struct labels *labels,
                           const struct promql_samples *samples)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    struct listing *l = arg;
    (void)samples;
    if (l->wanted->what == LIST_SERIES)
        labels_add_key(&key, labels);
    return strbuf_error(&key) < 0 ? -ENOMEM : list_labels(l, labels, strbuf_span(&key));
}

static int list_selected(struct listing *l, const struct matcher *matchers,
                         size_t count)
{
    const struct job_series *jobs = &l->wanted->source->jobs;
    struct promql_selection selection = { .matchers = matchers,
                                          .matcher_count = count,
                                          .to_ms = l->wanted->to_ms };
    if (!job_series_may_fit(matchers, count))
        return 0;
    if (selection.to_ms > jobs->now_ms)
        selection.to_ms = jobs->now_ms;
    selection.from_ms = l->wanted->from_ms;
    if (selection.from_ms < 0)
        selection.from_ms = selection.to_ms - JOBS_LISTED_MS;
    if (selection.from_ms >= selection.to_ms)
        return 0;
    selection.first_ms = selection.to_ms;
    selection.step_ms = selection.to_ms - selection.from_ms;
    return job_series_select(jobs, &selection, list_job_series, l, l->err);
}

/* Values of a label that groups have: those of the level of its name. */
static int list_of_level(struct listing *l, enum series_level level)
{
    char name[SERIES_NAME_MAX];
    static const char *const moved[] = { "iops", "metadata" };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(moved); i++) {
        struct measure measure;
        (void)measure_parse(span_of(moved[i]), &measure, NULL);
        const struct matcher only = { .name = SPAN(LABEL_METRIC_NAME),
                                      .kind = MATCHER_EQ,
                                      .value =
                                          series_name_print(name, level, &measure) };
        rc = list_selected(l, &only, 1);
    }
    return rc;
}

static int list_names_of_series(struct listing *l, const struct matcher *matchers,
                                size_t count)
{
    char name[SERIES_NAME_MAX];
    struct measure measure;
    int rc = 0;
    for (enum series_level level = 0; level < SERIES_LEVEL_COUNT; level++)
        for (size_t i = 0; rc == 0 && series_measure_at(level, i, &measure); i++) {
            struct span text = series_name_print(name, level, &measure);
            const struct label pair = { SPAN(LABEL_METRIC_NAME), text };
            const struct labels labels = { 1, &pair };
            if (matchers_fit(matchers, count, &labels))
                rc = add_text(l, text);
        }
    return rc;
}

static int list_names_of_labels(struct listing *l)
{
    int rc = add_text(l, SPAN(LABEL_METRIC_NAME));
    for (enum series_level level = 0; level < SERIES_LEVEL_COUNT; level++)
        for (size_t i = 0; rc == 0 && i < series_levels[level].label_count; i++)
            rc =
                add_text(l, span_of(series_label_name(series_levels[level].labels[i])));
    return rc;
}

static bool is_of_names(const struct label_selector *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!span_is(s->matchers[i].name, LABEL_METRIC_NAME))
            return false;
    return true;
}

/* Without rows there is nothing; a database that is away costs what is in it, where
 * nothing of it was named. */
static int list_jobs(struct listing *l, const struct label_selector *s)
{
    const struct label_list_request *wanted = l->wanted;
    bool is_named = s->count > 0;
    if (is_named && !job_series_may_fit(s->matchers, s->count))
        return 0;
    int has_rows = job_series_has_rows(&wanted->source->jobs, wanted->from_ms, l->err);
    if (has_rows <= 0)
        return is_named ? has_rows : 0;
    if (wanted->what == LIST_VALUES && span_is(wanted->label, LABEL_METRIC_NAME) &&
        is_of_names(s))
        return list_names_of_series(l, s->matchers, s->count);
    if (is_named)
        return list_selected(l, s->matchers, s->count);
    if (wanted->what == LIST_NAMES)
        return list_names_of_labels(l);
    for (enum series_level level = LEVEL_FS; level < SERIES_LEVEL_COUNT; level++)
        if (span_is(wanted->label, series_levels[level].name))
            return list_of_level(l, level);
    return 0;
}

static int find_series(struct listing *l)
{
    static const struct label_selector every = { NULL, 0 };
    const struct label_list_request *wanted = l->wanted;
    const struct label_selector *list = wanted->selectors;
    size_t count = wanted->selector_count;
    struct metric_visit visit;
    int rc = 0;
    if (count == 0) {
        list = &every;
        count = 1;
    }
    metric_visit_begin(&visit, wanted->source->store.store);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct series_walk walk = { .visit = &visit,
                                          .watch = wanted->source->store.watch,
                                          .watch_arg = wanted->source->store.watch_arg,
                                          .matchers = list[i].matchers,
                                          .matcher_count = list[i].count,
                                          .fn = list_series,
                                          .arg = l };
        rc = series_walk_run(&walk);
    }
    metric_visit_end(&visit);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = list_jobs(l, &list[i]);
    return rc;
}

/* ---- printing ---- */

static int compare_texts(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return span_compare(*x, *y);
}

static int write_texts(struct listing *l, struct strbuf *out)
{
    AUTO_FREE struct span *texts = calloc(l->seen.count + 1, sizeof *texts);
    size_t cursor = 0, count = 0;
    uintptr_t *value;
    if (!texts)
        return -ENOMEM;
    while (hashmap_next(&l->seen, &cursor, &texts[count], &value))
        count++;
    qsort(texts, count, sizeof *texts, compare_texts);
    strbuf_addc(out, '[');
    for (size_t i = 0; i < count; i++) {
        strbuf_adds(out, i ? "," : "");
        json_add_html_safe(out, texts[i]);
    }
    strbuf_addc(out, ']');
    return strbuf_error(out);
}

static int compare_labels(const void *a, const void *b)
{
    return labels_compare(a, b);
}

static int write_series(struct listing *l, struct strbuf *out)
{
    if (l->count > 0)
        qsort(l->items, l->count, sizeof *l->items, compare_labels);
    strbuf_addc(out, '[');
    for (size_t i = 0; i < l->count; i++) {
        strbuf_adds(out, i ? ",{" : "{");
        for (size_t k = 0; k < l->items[i].count; k++) {
            strbuf_adds(out, k ? "," : "");
            json_add_html_safe(out, l->items[i].pairs[k].name);
            strbuf_addc(out, ':');
            json_add_html_safe(out, l->items[i].pairs[k].value);
        }
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
    return strbuf_error(out);
}

int label_list_write(const struct label_list_request *wanted, struct strbuf *out,
                     struct err *err)
{
    struct listing l = { .wanted = wanted,
                         .meter = { .hold = wanted->source->store.hold },
                         .err = err };
    arena_init(&l.arena, 0);
    int rc = find_series(&l);
    if (rc == 0)
        rc = wanted->what == LIST_SERIES ? write_series(&l, out) : write_texts(&l, out);
    budget_meter_done(&l.meter);
    hashmap_done(&l.seen);
    arena_done(&l.arena);
    free(l.items);
    return rc;
}
