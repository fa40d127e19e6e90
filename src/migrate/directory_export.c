/* SPDX-License-Identifier: Apache-2.0 */
/* directory_export - every sample of a store's directory, as text. */
#include "migrate/directory_export.h"

#include "base/span.h"

#include "migrate/name_patterns.h"
#include "model/model.h"

#include <string.h>

#define OPEN_TRIES 10

struct warning {
    migrate_warn_fn *fn;
    void *arg;
};

static void pass_on_notice(void *arg, enum metric_store_notice notice, const char *text)
{
    const struct warning *w = arg;
    if (w->fn && notice != STORE_INFO)
        w->fn(w->arg, text);
}

int directory_export_open(const char *dir, migrate_warn_fn *warn, void *warn_arg,
                          struct metric_store **ret, struct err *err)
{
    struct warning warning = { warn, warn_arg };
    /* A store that is read only has no workers: nothing is reported after this. */
    const struct metric_store_options options = {
        .dir = dir,
        .is_read_only = true,
        .report = pass_on_notice,
        .report_arg = &warning,
    };
    int rc = -EAGAIN;
    for (unsigned i = 0; rc == -EAGAIN && i < OPEN_TRIES; i++)
        rc = metric_store_open(&options, ret, err);
    return rc;
}

struct export
{
    struct metric_store *store;
    const struct export_selection *selection;
    struct sample_text *text;
    uint64_t damaged; /* blocks */
    size_t done;      /* series */
    struct err *err;
};

static int write_samples(void *arg, const int64_t *times, const double *values,
                         size_t count)
{
    struct export *e = arg;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = sample_text_add(e->text, times[i], values[i], e->err);
    return rc;
}

static int write_series(struct export *e, const struct level *level,
                        const struct level_series *s)
{
    const struct metric *metric = metric_at(metric_store_metrics(e->store), s->metric);
    struct span path = { level->path, level->path_size };
    const struct time_window *window = &e->selection->window;
    const struct metric_range range = { window->from_ns, window->to_ns, write_samples,
                                        e };
    struct metric_read read = { 0 };
    if (!metric || !name_patterns_match(metric->name, e->selection->metric))
        return 0;
    int rc = sample_text_series(e->text, path, metric->name);
    if (rc == -EINVAL)
        return 0; /* counted there */
    if (rc == 0)
        rc = metric_store_read(e->store, s, &range, &read);
    e->damaged += read.unreadable;
    return rc;
}

static int write_tree(struct export *e, size_t shard)
{
    struct span pattern = span_of(e->selection->component);
    struct level *root = metric_store_tree(e->store, shard)->root;
    int rc = 0;
    for (struct level *level = root; rc == 0 && level;
         level = level_next(level, root)) {
        struct span path = { level->path, level->path_size };
        const struct level_series *s =
            atomic_load_explicit(&level->series, memory_order_acquire);
        bool is_wanted = s && component_path_matches(path, pattern);
        for (; rc == 0 && s; s = s->next) {
            rc = is_wanted ? write_series(e, level, s) : 0;
            e->done++;
            if (e->selection->progress)
                e->selection->progress(e->selection->progress_arg, e->done,
                                       metric_store_series_count(e->store));
        }
    }
    return rc;
}

int directory_export(struct metric_store *store,
                     const struct export_selection *selection, struct sample_text *text,
                     uint64_t *ret_damaged, struct err *err)
{
    struct err why = { 0 };
    struct export e = { store, selection, text, 0, 0, &why };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(store); i++) {
        unsigned reader = metric_store_enter(store);
        rc = write_tree(&e, i);
        metric_store_leave(store, reader);
    }
    if (rc == 0)
        rc = sample_text_end(text, &why);
    *ret_damaged = e.damaged;
    return rc < 0 ? err_set(err, -rc, "%s", why.text[0] ? why.text : strerror(-rc)) : 0;
}
