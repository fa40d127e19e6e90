/* SPDX-License-Identifier: Apache-2.0 */
/* batch_series - the series of a batch's rows: in memory, in the database, or new. */
#include "records/batch_series.h"

#include "base/span.h"

#include "records/names.h"
#include "records/series_cache.h"

int batch_series_init(struct batch_series *b, struct records *records,
                      struct arena *arena, size_t count)
{
    size_t size = count * sizeof(struct series *) + 1;
    *b = (struct batch_series){ .records = records, .arena = arena };
    b->series = arena_alloc(arena, size);
    b->missing = arena_alloc(arena, size);
    return b->series && b->missing ? 0 : -ENOMEM;
}

static int span_order(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int series_order(const struct series *a, const struct series *b)
{
    int order = span_order(a->fs, b->fs);
    if (order == 0)
        order = span_order(a->target, b->target);
    return order ? order : span_order(a->entry_id, b->entry_id);
}

static int missing_order(const void *a, const void *b)
{
    return series_order(*(const struct series *const *)a,
                        *(const struct series *const *)b);
}

/* Sorted, so that the database's index is walked in one direction, and each once. */
static void missing_unite(struct batch_series *b)
{
    size_t kept = 0;
    if (b->missing_count)
        qsort(b->missing, b->missing_count, sizeof(struct series *), missing_order);
    for (size_t i = 0; i < b->missing_count; i++)
        if (kept == 0 || series_order(b->missing[kept - 1], b->missing[i]) != 0)
            b->missing[kept++] = b->missing[i];
    b->missing_count = kept;
}

static int missing_add(struct batch_series *b, const struct jobrow *row)
{
    struct series *s = arena_alloc(b->arena, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->fs = row->fs;
    s->target = row->target;
    s->entry_id = row->entry_id;
    s->kind = row->kind;
    /* Until it is described, flags remember whether a '?' may be another byte. */
    s->flags = row->id_exact;
    b->missing[b->missing_count++] = s;
    return 0;
}

/* A file system that was renamed in the configuration and kept its namespaces: its
 * series go on under the sid they have. */
static int series_find_renamed(struct batch_series *b, struct series *s,
                               const struct namespace_known *known, struct err *err)
{
    struct records *records = b->records;
    for (const struct fs_name *other = known->others; other; other = other->next) {
        struct series old = { .fs = other->name,
                              .target = s->target,
                              .entry_id = s->entry_id };
        struct series *wanted[] = { &old };
        int rc =
            records->engine->find_series(records->backend, wanted, 1, b->arena, err);
        if (rc < 0)
            return rc;
        if (old.sid && memcmp(&old.id, &s->id, sizeof s->id) == 0) {
            s->sid = old.sid;
            return 0;
        }
    }
    return 0;
}

static int series_describe(struct batch_series *b, struct series *s, struct err *err)
{
    struct records *records = b->records;
    struct series described = { 0 };
    int rc = site_describe(records->site, s->fs, s->target, s->kind, s->entry_id,
                           s->flags != 0, b->arena, &described);
    if (rc < 0)
        return rc;
    struct namespace_known known;
    rc = names_namespace(records, s->fs, described.format, &known, err);
    if (rc == 0)
        rc = series_id(&known.ns, s->target, s->entry_id, &described.id);
    if (rc == 0)
        rc = series_find_renamed(b, &described, &known, err);
    if (rc < 0)
        return rc;
    *s = described;
    return 0;
}

/* Those without a sid to the front of ret; returns how many they are. */
static size_t series_without_sid(struct series **series, size_t count,
                                 struct series **ret)
{
    size_t without = 0;
    for (size_t i = 0; i < count; i++)
        if (!series[i]->sid)
            ret[without++] = series[i];
    return without;
}

/* Two programs that meet the same new series: the second finds what the first stored
 * while it waited for it. */
static int series_add(struct batch_series *b, struct series **fresh, size_t count,
                      struct err *err)
{
    const struct records_engine *engine = b->records->engine;
    int rc = engine->add_series(b->records->backend, fresh, count, err);
    size_t lost = rc == 0 ? series_without_sid(fresh, count, fresh) : 0;
    if (lost == 0)
        return rc;
    rc = engine->find_series(b->records->backend, fresh, lost, b->arena, err);
    if (rc == 0 && series_without_sid(fresh, lost, fresh))
        rc = err_set(err, EAGAIN,
                     "records: series '" SPAN_FMT "' can be neither added "
                     "nor found",
                     SPAN_ARG(fresh[0]->target));
    return rc;
}

/* Those of the missing that the database does not have either. */
static int series_store(struct batch_series *b, struct err *err)
{
    struct records *records = b->records;
    int rc = records->engine->find_series(records->backend, b->missing,
                                          b->missing_count, b->arena, err);
    if (rc < 0)
        return rc;
    struct series **fresh =
        arena_alloc(b->arena, b->missing_count * sizeof(struct series *));
    if (!fresh)
        return -ENOMEM;
    size_t count = series_without_sid(b->missing, b->missing_count, fresh);
    for (size_t i = 0; i < count; i++) {
        rc = series_describe(b, fresh[i], err);
        if (rc < 0)
            return rc;
    }
    count = series_without_sid(fresh, count, fresh);
    return count ? series_add(b, fresh, count, err) : 0;
}

static const struct series *missing_get(const struct batch_series *b,
                                        const struct series *key)
{
    struct series **at = bsearch(&key, b->missing, b->missing_count,
                                 sizeof(struct series *), missing_order);
    return *at; /* batch_series_find put it there */
}

/* Every accepted row finds its series, in the cache, the database or fresh. */
int batch_series_find(struct batch_series *b, const struct keyed_row *rows,
                      size_t row_count, struct err *err)
{
    struct records *records = b->records;
    for (size_t i = 0; i < row_count; i++) {
        const struct jobrow *row = rows[i].row;
        const struct series *s =
            series_cache_get(records->cache, row->fs, row->target, row->entry_id);
        b->series[rows[i].index] = s;
        if (!s && missing_add(b, row) < 0)
            return -ENOMEM;
    }
    if (b->missing_count == 0)
        return 0;
    missing_unite(b);
    int rc = series_store(b, err);
    for (size_t i = 0; i < row_count && rc == 0; i++) {
        const struct jobrow *row = rows[i].row;
        if (b->series[rows[i].index])
            continue;
        struct series key = { .fs = row->fs,
                              .target = row->target,
                              .entry_id = row->entry_id };
        b->series[rows[i].index] = missing_get(b, &key);
    }
    return rc;
}

void batch_series_cache(struct batch_series *b)
{
    for (size_t i = 0; i < b->missing_count; i++)
        if (series_cache_put(b->records->cache, b->missing[i], b->missing[i]) < 0)
            return; /* they are looked up again */
}
