/* SPDX-License-Identifier: Apache-2.0 */
/* fold - late samples into blocks. */
#include "store/series/fold.h"

#include "store/series/late.h"

#include <errno.h>
#include <stdlib.h>

/* The blocks to be: old ones as they are, and new ones. */
struct fold {
    struct memory *memory;
    int64_t step_ns; /* of what is folded now */
    struct block **blocks;
    size_t count;
    bool *is_new;
};

static int fold_block(struct fold *fold, const int64_t *times, const double *values,
                      size_t count)
{
    struct block *block =
        block_memory_new(fold->memory, fold->step_ns, times, values, count);
    if (!block)
        return -ENOMEM;
    fold->blocks[fold->count] = block;
    fold->is_new[fold->count++] = true;
    return 0;
}

/* Samples on a grid with holes: blocks of whole runs of slots. */
static int fold_sparse(struct fold *fold, const struct samples *s)
{
    double values[CODEC_VALUES_MAX];
    for (size_t i = 0; i < s->count;) {
        size_t count = 0, first = i;
        int64_t start_ns = s->times[first];
        for (; i < s->count; i++) {
            int64_t slot = (s->times[i] - start_ns) / fold->step_ns;
            if (slot >= CODEC_VALUES_MAX)
                break;
            while (count < (size_t)slot)
                values[count++] = bits_double(MISSING_BITS);
            values[count++] = s->values[i];
        }
        /* Only the first time and the last are looked at on a grid. */
        int64_t times[CODEC_VALUES_MAX];
        for (size_t n = 0; n < count; n++)
            times[n] = start_ns + (int64_t)n * fold->step_ns;
        int rc = fold_block(fold, times, values, count);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int fold_samples(struct fold *fold, const struct samples *s)
{
    if (fold->step_ns != 0)
        return fold_sparse(fold, s);
    size_t half = s->count > CODEC_VALUES_MAX ? s->count / 2 : s->count;
    int rc = fold_block(fold, s->times, s->values, half);
    if (rc == 0 && half < s->count)
        rc = fold_block(fold, s->times + half, s->values + half, s->count - half);
    return rc;
}

static int fold_part(struct fold *fold, const struct series_view *view,
                     const struct late_samples *late, size_t part)
{
    struct samples samples = { .count = 0 };
    int rc = 0;
    fold->step_ns = view_part_step(view, part);
    late_samples_merge(late, 2 * part, &samples);
    if (samples.count > 0)
        rc = fold_samples(fold, &samples);
    if (rc < 0 || part == view->block_count)
        return rc;
    if (!late_samples_has(late, 2 * part + 1)) {
        fold->blocks[fold->count] = view->blocks[part];
        fold->is_new[fold->count++] = false;
        return 0;
    }
    /* Of a block whose bytes have changed only what comes now is left. */
    if (block_decode(view->blocks[part], &samples) < 0)
        samples.count = 0;
    late_samples_merge(late, 2 * part + 1, &samples);
    return fold_samples(fold, &samples);
}

static void fold_done(struct fold *fold)
{
    for (size_t i = 0; i < fold->count; i++) {
        if (fold->is_new[i])
            memory_free(fold->memory, fold->blocks[i], block_size(fold->blocks[i]));
    }
    free(fold->blocks);
    free(fold->is_new);
}

/* The blocks that others have replaced. */
static void retire_replaced(struct fold *fold, struct block *const *old, size_t count,
                            const struct late_samples *late)
{
    for (size_t i = 0; i < count; i++) {
        if (late_samples_has(late, 2 * i + 1))
            block_memory_retire(fold->memory, old[i]);
    }
}

int series_fold(struct metric_series *series, struct memory *memory)
{
    struct series_view *view =
        atomic_load_explicit(&series->view, memory_order_relaxed);
    struct late_samples late;
    if (!view || !view->late)
        return 0;
    late_samples_of(view, &late);
    size_t old_count = view->block_count, max = old_count + 2 * SERIES_LATE_MAX;
    struct fold fold = { .memory = memory };
    struct block **old = malloc((old_count + 1) * sizeof *old);
    fold.blocks = malloc(max * sizeof *fold.blocks);
    fold.is_new = malloc(max * sizeof *fold.is_new);
    int rc = fold.blocks && fold.is_new && old ? 0 : -ENOMEM;
    if (rc == 0 && old_count > 0)
        memcpy(old, view->blocks, old_count * sizeof *old);
    if (late_samples_has(&late, 2 * old_count + 1))
        rc = -EBUSY;
    for (size_t part = 0; rc == 0 && part <= old_count; part++)
        rc = fold_part(&fold, view, &late, part);
    if (rc == 0)
        rc = series_replace_blocks(series, memory, fold.blocks, fold.count);
    if (rc == 0) {
        retire_replaced(&fold, old, old_count, &late);
        fold.count = 0;
    }
    fold_done(&fold);
    free(old);
    return rc;
}
