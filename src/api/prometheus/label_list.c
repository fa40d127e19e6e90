/* SPDX-License-Identifier: Apache-2.0 */
/* label_list - which labels, values of a label, and series there are. */
#include "api/prometheus/label_list.h"

#include "base/hashmap.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

struct listing {
    const struct label_list_request *wanted;
    struct hashmap seen; /* texts; of series the address of each */
    struct arena arena;  /* labels of series */
    struct labels *items;
    size_t count, capacity;
    struct budget_meter meter;
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

static int add_series(struct listing *l, const struct labels *labels,
                      const struct level_series *series)
{
    bool is_new = false;
    const struct span key = { (const char *)&series, sizeof(series) };
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

static int list_series(void *arg, const struct component_labels *c,
                       struct level_series *series)
{
    struct listing *l = arg;
    int64_t last_ns = series_last_ns(&series->series);
    if (last_ns != INT64_MIN && last_ns / NS_PER_MS < l->wanted->from_ms)
        return 0;
    if (l->wanted->what == LIST_SERIES)
        return add_series(l, &c->labels, series);
    if (l->wanted->what == LIST_VALUES)
        return add_text(l, labels_get(&c->labels, l->wanted->label));
    int rc = 0;
    for (size_t i = 0; i < c->labels.count && rc == 0; i++)
        rc = add_text(l, c->labels.pairs[i].name);
    return rc;
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
    metric_visit_begin(&visit, wanted->source->store);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct series_walk walk = { .visit = &visit,
                                          .watch = wanted->source->watch,
                                          .watch_arg = wanted->source->watch_arg,
                                          .matchers = list[i].matchers,
                                          .matcher_count = list[i].count,
                                          .fn = list_series,
                                          .arg = l };
        rc = series_walk_run(&walk);
    }
    metric_visit_end(&visit);
    return rc;
}

/* ---- printing ---- */

static int compare_texts(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);
    return order ? order : (x->size > y->size) - (x->size < y->size);
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

int label_list_write(const struct label_list_request *wanted, struct strbuf *out)
{
    struct listing l = { .wanted = wanted, .meter = { .hold = wanted->source->hold } };
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
