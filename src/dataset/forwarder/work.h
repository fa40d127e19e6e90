/* SPDX-License-Identifier: Apache-2.0 */
/* work - what takes time is done by a few threads: disks, zstd, SHA-256.
 *
 *     work_submit ─▶ queue ─▶ a free worker: run() ─▶ done() on the loop
 *
 * A worker has what one thread at a time may use: the repository, contexts of zstd.
 * Threads  run() on one of libuv's, all else on the loop's.
 */
#ifndef DATASET_FORWARDER_WORK_H
#define DATASET_FORWARDER_WORK_H

#include "dataset/repository/repository.h"

#include <uv.h>

struct work_pool;

struct worker {
    struct repository *repository; /* NULL: none is served */
    struct zstd_context *zstd;
    uint8_t *scratch; /* CHUNK_SIZE_MAX bytes */
};

struct work {
    void (*run)(struct work *work, struct worker *worker);
    void (*done)(struct work *work);
    struct work_pool *pool; /* in whose queue it is; NULL: a worker has it, or none */
    struct work *previous, *next;
};

/* repository NULL: none.  Errors: -ENOMEM, those of repository_open(). */
int work_pool_new(uv_loop_t *loop, unsigned count, const char *repository,
                  struct work_pool **ret, struct err *err);
/* After the loop has ended. */
void work_pool_free(struct work_pool *pool);
DEFINE_AUTO(struct work_pool, work_pool_free);
void work_submit(struct work_pool *pool, struct work *work);
/* True: no worker had it yet, none will, and done() is not called. */
bool work_cancel(struct work *work);
/* So much waits that nothing should be added for who can send it again. */
bool work_pool_is_full(const struct work_pool *pool);
/* Nothing waits or runs. */
bool work_pool_is_idle(const struct work_pool *pool);

/* ---- what workers do with a chunk ---- */

/* The plain bytes of stored ones, into plain_size bytes at plain.  Errors: -EUCLEAN. */
int worker_expand(struct worker *worker, const uint8_t *stored, uint32_t stored_size,
                  uint8_t *plain, uint32_t plain_size);
/* Whether these are the bytes that digest names.  Errors: -EUCLEAN, -ENOMEM. */
int worker_verify(const uint8_t *plain, uint32_t plain_size,
                  const struct digest *digest);

#endif
