/* SPDX-License-Identifier: Apache-2.0 */
/* store_put - a batch into the log and into memory, in this order. */
#include "base/clock.h"
#include "store/metric_store.h"

#define NAMES_AT_ONCE 10000

static int add_name(const struct metric_store *store, struct record *record,
                    const struct level_series *series)
{
    int rc = record_reserve(record, record->name_count + 1, 0);
    if (rc < 0)
        return rc;
    record->names[record->name_count++] = (struct record_name){
        .number = series->number,
        .path = { series->level->path, series->level->path_size },
        .metric = metric_at(store->metrics, series->metric)->name,
        .step_ns = series->series.step_ns,
    };
    return 0;
}

/* The names of all series of a shard that have numbers: a segment that follows one that
 * failed stands for itself. */
static int write_names(struct metric_store *store, size_t shard)
{
    struct journal *journal = store->journals[shard];
    struct record *record = journal_record(journal);
    struct level *root = metric_store_tree(store, shard)->root;
    int rc = 0;
    record->count = record->name_count = 0;
    for (struct level *level = root; rc == 0 && level;
         level = level_next(level, root)) {
        const struct level_series *s =
            atomic_load_explicit(&level->series, memory_order_acquire);
        for (; rc == 0 && s; s = s->next)
            rc = s->number ? add_name(store, record, s) : 0;
        if (rc == 0 && record->name_count >= NAMES_AT_ONCE) {
            rc = journal_append(journal);
            record->name_count = 0;
        }
    }
    if (rc == 0 && record->name_count > 0)
        rc = journal_append(journal);
    if (rc == 0)
        journal_has_names(journal);
    return rc;
}

/* Numbers belong to the holder of the journal, as does the order of records. */
static int number_series(struct metric_store *store, struct record *record,
                         struct level_series *series)
{
    uint32_t number = atomic_fetch_add(&store->next_number, 1);
    if (number > SERIES_NUMBER_MAX)
        return -ENOSPC;
    series->number = number;
    int rc = add_name(store, record, series);
    if (rc < 0)
        series->number = 0;
    return rc;
}

/* Before point i is looked at. */
static void ask_for_series(const struct metric_batch *batch, size_t i)
{
    if (i + 2 * SERIES_AHEAD < batch->count)
        __builtin_prefetch(batch->samples[i + 2 * SERIES_AHEAD].series);
    if (i + SERIES_AHEAD < batch->count)
        series_prefetch_view(&batch->samples[i + SERIES_AHEAD].series->series);
}

/* Before it is put: series and view are here since they were looked at. */
static void prefetch_slots(const struct metric_batch *batch, size_t i)
{
    if (i + 2 * SERIES_AHEAD < batch->count)
        series_prefetch_head(&batch->samples[i + 2 * SERIES_AHEAD].series->series);
    if (i + SERIES_AHEAD < batch->count)
        series_prefetch_slot(&batch->samples[i + SERIES_AHEAD].series->series);
}

static int fill_record(struct metric_store *store, const struct metric_batch *batch,
                       int64_t oldest_ns, struct sample_counts *counts)
{
    struct record *record = journal_record(store->journals[batch->shard]);
    record->count = record->name_count = 0;
    int rc = record_reserve(record, 0, batch->count);
    unsigned reader = metric_store_enter(store);
    for (size_t i = 0; rc == 0 && i < batch->count; i++) {
        const struct sample *p = &batch->samples[i];
        ask_for_series(batch, i);
        /* What is refused is not logged: a replay accepts all. */
        if (p->t_ns < oldest_ns || !series_accepts(&p->series->series, p->t_ns)) {
            counts->too_old++;
            continue;
        }
        if (p->series->number == 0)
            rc = number_series(store, record, p->series);
        record->numbers[record->count] = p->series->number;
        record->times[record->count] = p->t_ns;
        record->values[record->count++] = p->value;
    }
    metric_store_leave(store, reader);
    return rc;
}

/* What was not logged has no number. */
static void forget_numbers(const struct metric_store *store,
                           const struct metric_batch *batch)
{
    const struct record *record = journal_record(store->journals[batch->shard]);
    uint32_t first = record->name_count ? record->names[0].number : UINT32_MAX;
    for (size_t i = 0; i < batch->count; i++) {
        /* Others number series of other shards meanwhile, those are not here. */
        if (batch->samples[i].series->number >= first)
            batch->samples[i].series->number = 0;
    }
}

static int write_batch(struct metric_store *store, const struct metric_batch *batch,
                       int64_t oldest_ns, struct sample_counts *counts)
{
    struct journal *journal = store->journals[batch->shard];
    struct err err = { 0 };
    bool is_bare = false;
    int rc = journal_ready(journal, &is_bare, &err);
    if (rc == 0 && is_bare)
        rc = write_names(store, batch->shard);
    if (rc < 0)
        return rc;
    rc = fill_record(store, batch, oldest_ns, counts);
    if (rc == 0 && journal_record(journal)->count > 0)
        rc = journal_append(journal);
    if (rc < 0)
        forget_numbers(store, batch);
    return rc;
}

static int apply_batch(struct metric_store *store, const struct metric_batch *batch,
                       int64_t now_ns, struct sample_counts *counts)
{
    struct shard *shard = store->shards[batch->shard];
    struct journal *journal = store->journals[batch->shard];
    int rc = 0;
    size_t too_old = 0;
    shard_lock(shard);
    for (size_t i = 0; i < batch->count; i++) {
        const struct sample *p = &batch->samples[i];
        prefetch_slots(batch, i);
        int one = shard_put(shard, &p->series->series, now_ns, p->t_ns, p->value);
        counts->accepted += one == 0;
        too_old += one == -ERANGE;
        if (one < 0 && one != -ERANGE)
            rc = one;
    }
    if (journal)
        shard_set_applied(shard, journal_sequence(journal));
    shard_unlock(shard);
    counts->too_old = too_old;
    return rc;
}

static int put_batch(struct metric_store *store, const struct metric_batch *batch,
                     struct sample_counts *counts, uint64_t *ret_sequence)
{
    struct journal *journal = store->journals[batch->shard];
    int64_t now_ns = clock_now_ns();
    if (!journal)
        return apply_batch(store, batch, now_ns, counts);
    journal_lock(journal);
    int rc = write_batch(store, batch,
                         shard_oldest(store->shards[batch->shard], now_ns), counts);
    if (rc == 0)
        rc = apply_batch(store, batch, now_ns, counts);
    *ret_sequence = journal_sequence(journal);
    journal_unlock(journal);
    return rc;
}

int metric_store_put(struct metric_store *store, const struct metric_batch *batch,
                     struct sample_counts *ret)
{
    struct sample_counts counts = { 0 };
    if (batch->shard >= store->shard_count || batch->count == 0 ||
        batch->count > METRIC_BATCH_MAX)
        return -EINVAL;
    if (store->options.is_read_only)
        return -EROFS;
    uint64_t sequence = 0;
    int rc = put_batch(store, batch, &counts, &sequence);
    if (rc == 0 && batch->promise == METRIC_DURABLE && store->dir)
        rc = journal_sync_to(store->journals[batch->shard], sequence);
    (void)atomic_fetch_add(&store->batches, 1);
    (void)atomic_fetch_add(&store->refused_batches, rc < 0);
    if (rc == 0)
        *ret = counts;
    return rc;
}
