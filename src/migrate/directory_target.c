/* SPDX-License-Identifier: Apache-2.0 */
/* directory_target - imported samples straight into a store's directory. */
#include "migrate/directory_target.h"

#include "base/span.h"

#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_AT_ONCE 8192

/* Samples of one shard that are not put yet. */
struct waiting {
    struct sample *samples;
    size_t count;
};

struct directory {
    struct metric_store *store;
    struct waiting shards[METRIC_SHARDS_MAX];
    struct import_target_counts counts;
    migrate_warn_fn *warn;
    void *warn_arg;
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

static int put_waiting(struct directory *d, size_t shard, struct err *err)
{
    struct waiting *w = &d->shards[shard];
    struct sample_counts counts = { 0 };
    const struct metric_batch batch = { shard, w->samples, w->count, METRIC_STORED };
    if (w->count == 0)
        return 0;
    int rc = metric_store_put(d->store, &batch, &counts);
    w->count = 0;
    d->counts.samples += counts.accepted;
    d->counts.refused += counts.too_old;
    return rc < 0 ? err_set(err, -rc, "the store: %s", strerror(-rc)) : 0;
}

/* The step of a metric is that of the first file which has one; another step of a later
 * file holds for the series that come with it.  A log (current.wal) has none. */
static int find_metric(struct directory *d, const struct import_series *s,
                       const struct metric **ret)
{
    struct metric_table *table = metric_store_metrics(d->store);
    const struct metric *known = metric_find(table, s->metric);
    struct metric wanted = {
        .name = s->metric,
        .aggregation = AGGREGATE_NONE,
        /* Without one it is found as for samples that are sent. */
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

static int put_in_directory(void *state, const struct import_series *s,
                            const double *values, size_t count, struct err *err)
{
    struct directory *d = state;
    const struct metric *metric = NULL;
    struct level_series *series = NULL;
    int rc = find_metric(d, s, &metric);
    if (rc == 0)
        rc = metric_store_series(d->store, s->path, metric, &series);
    if (rc == -EINVAL) {
        d->counts.skipped_series++;
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
        rc = w->count == SAMPLES_AT_ONCE ? put_waiting(d, shard, err) : 0;
    }
    return rc;
}

static int end_directory(void *state, struct import_target_counts *counts,
                         struct err *err)
{
    AUTO(directory_free) struct directory *d = state;
    struct metric_store_status status;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(d->store); i++)
        rc = put_waiting(d, i, err);
    if (rc == 0)
        rc = metric_store_shutdown(d->store, err);
    metric_store_status(d->store, &status);
    *counts = d->counts;
    counts->overwritten = status.memory.samples.overwritten;
    return rc;
}

static void pass_on_notice(void *arg, enum metric_store_notice notice, const char *text)
{
    const struct directory *d = arg;
    if (d->warn && notice != STORE_INFO)
        d->warn(d->warn_arg, text);
}

int directory_target_open(const char *dir, migrate_warn_fn *warn, void *warn_arg,
                          struct import_target *ret, struct err *err)
{
    AUTO(directory_free) struct directory *d = calloc(1, sizeof *d);
    if (!d)
        return err_set(err, ENOMEM, "out of memory");
    d->warn = warn;
    d->warn_arg = warn_arg;
    /* No retention: samples of any age stay.  barod's own retention evicts them from
     * memory later; files keep them. */
    const struct metric_store_options options = { .dir = dir,
                                                  .report = pass_on_notice,
                                                  .report_arg = d };
    int rc = metric_store_open(&options, &d->store, err);
    if (rc == 0)
        *ret = (struct import_target){ put_in_directory, end_directory, TAKE(d) };
    return rc;
}
