/* SPDX-License-Identifier: Apache-2.0 */
/* metric_selector - the components that a request names: which there are, and what it
 * names that is not there. */
#include "query/metric/metric_selector.h"

#include "base/span.h"
#include "model/model.h"

#include <errno.h>
#include <stdlib.h>

#define NEAR_BYTES_MAX 100
#define NEAR_NAMES_MAX 1000

void metric_missing_init(struct metric_missing *missing)
{
    *missing = (struct metric_missing){ 0 };
    arena_init(&missing->arena, 0);
}

void metric_missing_done(struct metric_missing *missing)
{
    arena_done(&missing->arena);
    missing->count = 0;
}

void metric_missing_print(const struct metric_missing_item *item, struct strbuf *out)
{
    strbuf_addf(out, "%s: there is no %s %s", item->component, item->level, item->name);
    if (item->near[0])
        strbuf_addf(out, "; there %s %s", strpbrk(item->near, ",[") ? "are" : "is",
                    item->near);
}

/* ---- the names of one level ---- */

/* Each once, in their order; they stand in the store. */
struct names {
    struct span *items;
    size_t count, capacity;
};

static void names_done(struct names *names)
{
    free(names->items);
    *names = (struct names){ 0 };
}
DEFINE_AUTO_DONE(struct names, names_done);

static int name_add(struct names *names, struct span name)
{
    if (names->count > 0 && span_eq(names->items[names->count - 1], name))
        return 0;
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 64;
        struct span *grown = reallocarray(names->items, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        names->items = grown;
        names->capacity = capacity;
    }
    names->items[names->count++] = name;
    return 0;
}

static int name_compare(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    size_t size = x->size < y->size ? x->size : y->size;
    int order = size ? memcmp(x->data, y->data, size) : 0;
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

static void names_sort(struct names *names)
{
    size_t unique = 0;
    if (names->count > 1)
        qsort(names->items, names->count, sizeof *names->items, name_compare);
    for (size_t i = 0; i < names->count; i++)
        if (unique == 0 || !span_eq(names->items[unique - 1], names->items[i]))
            names->items[unique++] = names->items[i];
    names->count = unique;
}

static bool names_have(const struct names *names, struct span name)
{
    return names->count > 0 && bsearch(&name, names->items, names->count, sizeof name,
                                       name_compare) != NULL;
}

/* The first levels of a pattern, and the rest of it behind them. */
static struct span pattern_head(struct span pattern, size_t levels)
{
    struct span rest = pattern, level;
    for (size_t i = 0; i < levels; i++)
        (void)span_cut(&rest, '/', &level);
    size_t size = pattern.size - rest.size;
    return (struct span){ pattern.data, size && rest.size ? size - 1 : size };
}

/* The names right below what the first levels of a pattern match. */
static int names_find(const struct metric_store *store, struct span pattern,
                      size_t levels, struct names *ret)
{
    struct span head = pattern_head(pattern, levels);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(store); i++) {
        struct level *root = metric_store_tree(store, i)->root;
        for (struct level *level = root; rc == 0 && level;
             level = level_next(level, root)) {
            struct span path = { level->path, level->path_size }, name = path, above;
            size_t depth = 0;
            while (span_cut(&name, '/', &above))
                depth++;
            if (path.size == 0 || depth != levels)
                continue;
            above = (struct span){ path.data, depth ? path.size - above.size - 1 : 0 };
            if (depth == 0 || component_path_matches(above, head))
                rc = name_add(ret, depth ? span_skip(path, above.size + 1) : path);
        }
    }
    names_sort(ret);
    return rc;
}

/* ---- what is not there ---- */

static const char *level_word(size_t level)
{
    return level == 0 ? "cluster" : level == 1 ? "host" : "part";
}

static size_t same_bytes(struct span a, struct span b)
{
    size_t count = 0;
    while (count < a.size && count < b.size && a.data[count] == b.data[count])
        count++;
    return count;
}

/* Names as a set where they fold, else with commas. */
static void names_print(struct strbuf *text, struct strbuf *out)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    if (hostset_parse(strbuf_span(text), &set, NULL) == 0)
        hostset_print(set, out);
    else
        strbuf_add_span(out, strbuf_span(text));
    if (out->size <= NEAR_BYTES_MAX)
        return;
    out->size = NEAR_BYTES_MAX; /* and no name by half */
    while (out->size > 0 && out->data[out->size - 1] != ',')
        out->size--;
    strbuf_adds(out, "...");
}

/* Those that share the longest beginning with a name. */
static void near_print(const struct names *names, struct span name, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < names->count; i++) {
        size_t same = same_bytes(names->items[i], name);
        most = same > most ? same : most;
    }
    for (size_t i = 0; i < names->count && count < NEAR_NAMES_MAX; i++) {
        if (same_bytes(names->items[i], name) < most)
            continue;
        strbuf_adds(&text, count++ ? "," : "");
        strbuf_add_span(&text, names->items[i]);
    }
    if (count > 0)
        names_print(&text, out);
}

struct search {
    const struct metric_store *store;
    struct metric_missing *missing;
    struct span pattern;
    size_t level; /* of the pattern */
    struct names names;
};

static int missing_add(struct search *s, struct span name)
{
    AUTO(strbuf_done) struct strbuf near = STRBUF_INIT;
    struct metric_missing *missing = s->missing;
    if (missing->count == METRIC_MISSING_MAX)
        return 0;
    near_print(&s->names, name, &near);
    const char *component = arena_dup(&missing->arena, s->pattern);
    const char *copy = arena_dup(&missing->arena, name);
    const char *near_copy = arena_dup(&missing->arena, strbuf_span(&near));
    if (!component || !copy || !near_copy || strbuf_error(&near))
        return -ENOMEM;
    missing->items[missing->count++] =
        (struct metric_missing_item){ component, level_word(s->level), copy,
                                      near_copy };
    return 0;
}

static bool is_set(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if (strchr("*?", name.data[i]))
            return false;
    return name.size > 0 && memchr(name.data, '[', name.size) != NULL;
}

/* Those of a set that are not there, as a set. */
static int set_check(struct search *s, struct span name)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    AUTO(hostset_free) struct hostset *absent = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    int rc = hostset_parse(name, &set, NULL);
    if (rc < 0) /* a class of characters, or too many to be listed */
        return rc == -ENOMEM ? rc : 0;
    for (size_t i = 0; i < hostset_count(set); i++) {
        struct span host = span_of(hostset_at(set, i));
        if (names_have(&s->names, host))
            continue;
        strbuf_adds(&text, text.size ? "," : "");
        strbuf_add_span(&text, host);
    }
    if (text.size == 0)
        return 0;
    rc = hostset_parse(strbuf_span(&text), &absent, NULL);
    if (rc == 0)
        hostset_print(absent, &shown);
    return rc < 0 ? rc : missing_add(s, strbuf_span(&shown));
}

static int name_check(struct search *s, struct span name)
{
    for (size_t i = 0; i < s->names.count; i++)
        if (component_name_matches(s->names.items[i], name))
            return is_set(name) ? set_check(s, name) : 0;
    return missing_add(s, name);
}

/* Level by level, and none below one of which something is missing. */
static int missing_find(const struct metric_store *store, struct span pattern,
                        struct metric_missing *missing)
{
    struct search s = { .store = store, .missing = missing, .pattern = pattern };
    struct span rest = pattern;
    size_t before = missing->count;
    int rc = 0;
    for (; rc == 0 && rest.size > 0 && missing->count == before; s.level++) {
        AUTO(names_done) struct names names = { 0 };
        struct span level, name;
        (void)span_cut(&rest, '/', &level);
        rc = names_find(store, pattern, s.level, &names);
        s.names = names;
        while (rc == 0 && component_pattern_next(&level, &name))
            rc = name_check(&s, name);
    }
    return rc;
}

/* ---- the whole ---- */

static bool names_several(struct span pattern)
{
    for (size_t i = 0; i < pattern.size; i++)
        if (strchr(",[", pattern.data[i]))
            return true;
    return false;
}

static int match_one(const struct metric_store *store, struct span pattern,
                     struct metric_levels *found, struct metric_missing *missing)
{
    AUTO(strbuf_done) struct strbuf host = STRBUF_INIT;
    int rc = metric_match(store, pattern, found);
    if (rc == 0 && found->count == 0 && !memchr(pattern.data, '/', pattern.size)) {
        strbuf_adds(&host, "*/");
        strbuf_add_span(&host, pattern);
        rc = strbuf_error(&host);
        if (rc == 0)
            rc = metric_match(store, strbuf_span(&host), found);
        if (found->count > 0)
            pattern = strbuf_span(&host);
    }
    if (rc == 0 && (found->count == 0 || names_several(pattern)))
        rc = missing_find(store, pattern, missing);
    return rc;
}

static int level_compare(const void *a, const void *b)
{
    const struct level *x = *(struct level *const *)a, *y = *(struct level *const *)b;
    struct span p = { x->path, x->path_size }, q = { y->path, y->path_size };
    int order = name_compare(&p, &q);
    return order ? order : (x > y) - (x < y);
}

static void levels_sort(struct metric_levels *levels)
{
    size_t unique = 0;
    if (levels->count > 1)
        qsort(levels->items, levels->count, sizeof *levels->items, level_compare);
    for (size_t i = 0; i < levels->count; i++)
        if (unique == 0 || levels->items[unique - 1] != levels->items[i])
            levels->items[unique++] = levels->items[i];
    levels->count = unique;
}

static int nothing_found(const struct metric_missing *missing, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (missing->count == 0)
        return err_set(err, ENOENT, "component: none of them is there");
    metric_missing_print(&missing->items[0], &text);
    return err_set(err, ENOENT, "component %s", strbuf_text(&text));
}

int metric_selector_find(const struct metric_store *store, const struct span *patterns,
                         size_t pattern_count, struct metric_levels *ret,
                         struct metric_missing *missing, struct err *err)
{
    AUTO(metric_levels_done) struct metric_levels found = { 0 };
    int rc = 0;
    ret->count = 0;
    for (size_t i = 0; rc == 0 && i < pattern_count; i++) {
        rc = component_pattern_check(patterns[i], err);
        rc = err_prefix(err, rc, "component");
        if (rc == 0)
            rc = match_one(store, patterns[i], &found, missing);
        for (size_t j = 0; rc == 0 && j < found.count; j++)
            rc = metric_levels_add(ret, found.items[j]);
    }
    if (rc < 0)
        return rc;
    levels_sort(ret);
    return ret->count == 0 ? nothing_found(missing, err) : 0;
}
