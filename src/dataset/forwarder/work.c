/* SPDX-License-Identifier: Apache-2.0 */
/* work - what takes time is done by a few threads: disks, zstd, SHA-256. */
#include "dataset/forwarder/work.h"

#include <zstd.h>

#define QUEUE_MAX 8192U

struct work_slot {
    uv_work_t request;
    struct worker worker;
    struct work_pool *pool;
    struct work *work; /* NULL: it is free */
};

struct work_pool {
    uv_loop_t *loop;
    struct work *first, *last; /* that wait */
    unsigned count, busy;
    size_t queued;
    struct work_slot slots[];
};

static void slot_done(struct work_slot *slot)
{
    repository_free(slot->worker.repository);
    (void)ZSTD_freeDCtx((ZSTD_DCtx *)slot->worker.zstd);
    free(slot->worker.scratch);
}

void work_pool_free(struct work_pool *pool)
{
    if (!pool)
        return;
    for (unsigned i = 0; i < pool->count; i++)
        slot_done(&pool->slots[i]);
    free(pool);
}

static int slot_init(struct work_pool *pool, struct work_slot *slot,
                     const char *repository, struct err *err)
{
    slot->pool = pool;
    slot->worker.zstd = (struct zstd_context *)ZSTD_createDCtx();
    slot->worker.scratch = malloc(CHUNK_SIZE_MAX);
    if (!slot->worker.zstd || !slot->worker.scratch)
        return -ENOMEM;
    return repository
               ? repository_open(repository, false, &slot->worker.repository, err)
               : 0;
}

int work_pool_new(uv_loop_t *loop, unsigned count, const char *repository,
                  struct work_pool **ret, struct err *err)
{
    AUTO(work_pool_free)
    struct work_pool *pool = calloc(1, sizeof *pool + count * sizeof pool->slots[0]);
    int rc = pool ? 0 : -ENOMEM;
    if (pool)
        pool->loop = loop;
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        pool->count++;
        rc = slot_init(pool, &pool->slots[i], repository, err);
    }
    if (rc == 0)
        *ret = TAKE(pool);
    return rc;
}

/* ---- the queue ---- */

static void work_dispatch(struct work_pool *pool);

static void on_work(uv_work_t *request)
{
    struct work_slot *slot = request->data;
    slot->work->run(slot->work, &slot->worker);
}

static void on_work_done(uv_work_t *request, int status)
{
    struct work_slot *slot = request->data;
    struct work *work = slot->work;
    (void)status; /* nothing cancels it */
    slot->work = NULL;
    slot->pool->busy--;
    work_dispatch(slot->pool);
    work->done(work);
}

static void work_unlink(struct work *work)
{
    struct work_pool *pool = work->pool;
    *(work->previous ? &work->previous->next : &pool->first) = work->next;
    *(work->next ? &work->next->previous : &pool->last) = work->previous;
    work->pool = NULL;
    pool->queued--;
}

static void work_dispatch(struct work_pool *pool)
{
    for (unsigned i = 0; pool->first && i < pool->count; i++) {
        struct work_slot *slot = &pool->slots[i];
        if (slot->work)
            continue;
        slot->work = pool->first;
        work_unlink(slot->work);
        slot->request.data = slot;
        pool->busy++;
        (void)uv_queue_work(pool->loop, &slot->request, on_work, on_work_done);
    }
}

void work_submit(struct work_pool *pool, struct work *work)
{
    work->pool = pool;
    work->previous = pool->last;
    work->next = NULL;
    *(pool->last ? &pool->last->next : &pool->first) = work;
    pool->last = work;
    pool->queued++;
    work_dispatch(pool);
}

bool work_cancel(struct work *work)
{
    if (!work->pool)
        return false;
    work_unlink(work);
    return true;
}

bool work_pool_is_full(const struct work_pool *pool)
{
    return pool->queued >= QUEUE_MAX;
}

bool work_pool_is_idle(const struct work_pool *pool)
{
    return !pool->first && !pool->busy;
}

/* ---- chunks ---- */

int worker_expand(struct worker *worker, const uint8_t *stored, uint32_t stored_size,
                  uint8_t *plain, uint32_t plain_size)
{
    if (stored_size == plain_size) {
        memcpy(plain, stored, plain_size);
        return 0;
    }
    size_t size = ZSTD_decompressDCtx((ZSTD_DCtx *)worker->zstd, plain, plain_size,
                                      stored, stored_size);
    return size == plain_size ? 0 : -EUCLEAN;
}

int worker_verify(const uint8_t *plain, uint32_t plain_size,
                  const struct digest *digest)
{
    struct digest made;
    int rc = digest_of(plain, plain_size, &made);
    if (rc < 0)
        return rc;
    return digest_eq(&made, digest) ? 0 : -EUCLEAN;
}
