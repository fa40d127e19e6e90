/* SPDX-License-Identifier: Apache-2.0 */
/* import_directory - samples straight into a store's directory. */
#include "base/number.h"
#include "cmd/import_target.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>

#define SAMPLES_AT_ONCE 8192

struct waiting {
    struct sample *samples;
    size_t count;
};

struct directory {
    struct metric_store *store;
    struct waiting shards[METRIC_SHARDS_MAX];
    struct import_counts counts;
};

static void directory_free(struct directory *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < METRIC_SHARDS_MAX; i++)
        free(d->shards[i].samples);
    metric_store_close(d->store);
    free(d);
}
DEFINE_AUTO(struct directory, directory_free);

static int flush(struct directory *d, size_t shard, struct err *err)
{
    struct waiting *w = &d->shards[shard];
    struct sample_counts taken = { 0 };
    const struct metric_batch batch = { shard, w->samples, w->count, METRIC_STORED };
    if (w->count == 0)
        return 0;
    int rc = metric_store_put(d->store, &batch, &taken);
    w->count = 0;
    d->counts.samples += taken.accepted;
    d->counts.refused += taken.too_old;
    return rc < 0 ? err_set(err, -rc, "the store: %s", strerror(-rc)) : 0;
}

/* The step of a metric is that of the first file which knows it; a later one holds for
 * the series that come with it.  A log (current.wal) knows none. */
static int find_metric(struct directory *d, const struct import_series *s,
                       const struct metric **ret)
{
    struct metric_table *table = metric_store_metrics(d->store);
    const struct metric *known = metric_find(table, s->metric);
    struct metric wanted = {
        .name = s->metric,
        .aggregation = AGGREGATE_NONE,
        /* A log says none: it is found as for samples that are sent. */
        .step_ns = s->step_ns ? s->step_ns : STEP_SOUGHT,
    };
    if (known && (s->step_ns == 0 || known->step_ns == s->step_ns)) {
        *ret = known;
        return 0;
    }
    if (known) {
        wanted = *known;
        wanted.step_ns = s->step_ns;
    }
    return metric_declare(table, &wanted, ret);
}

static int put(void *state, const struct import_series *s, const double *values,
               size_t count, struct err *err)
{
    struct directory *d = state;
    const struct metric *metric = NULL;
    struct level_series *series = NULL;
    int rc = find_metric(d, s, &metric);
    if (rc == 0)
        rc = metric_store_series(d->store, s->path, metric, &series);
    if (rc == -EINVAL) {
        d->counts.unsaid_series++;
        return 0;
    }
    if (rc < 0)
        return err_set(err, -rc, "series '" SPAN_FMT "': %s", SPAN_ARG(s->path),
                       strerror(-rc));
    size_t shard = metric_store_shard(d->store, s->path);
    struct waiting *w = &d->shards[shard];
    if (!w->samples)
        w->samples = calloc(SAMPLES_AT_ONCE, sizeof *w->samples);
    if (!w->samples)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (isnan(values[i]))
            continue;
        w->samples[w->count++] =
            (struct sample){ series, s->start_ns + (int64_t)i * s->step_ns, values[i] };
        rc = w->count == SAMPLES_AT_ONCE ? flush(d, shard, err) : 0;
    }
    return rc;
}

static int end(void *state, struct import_counts *counts, struct err *err)
{
    AUTO(directory_free) struct directory *d = state;
    struct metric_store_status status;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(d->store); i++)
        rc = flush(d, i, err);
    if (rc == 0)
        rc = metric_store_shutdown(d->store, err);
    metric_store_status(d->store, &status);
    *counts = d->counts;
    counts->overwritten = status.memory.samples.overwritten;
    return rc;
}

static void say(void *arg, enum metric_store_notice notice, const char *text)
{
    (void)arg;
    if (notice != STORE_INFO)
        fprintf(stderr, "\nbaro store import: %s\n", text);
}

int import_into_directory(const char *dir, struct import_target *ret, struct err *err)
{
    AUTO(directory_free) struct directory *d = calloc(1, sizeof *d);
    /* No retention: whatever its age, history stays; barod's own lets it go from memory
     * later, and files keep it. */
    const struct metric_store_options options = { .dir = dir, .report = say };
    if (!d)
        return err_set(err, ENOMEM, "out of memory");
    int rc = metric_store_open(&options, &d->store, err);
    if (rc == 0)
        *ret = (struct import_target){ .put = put, .end = end, .state = TAKE(d) };
    return rc;
}
