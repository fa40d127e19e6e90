/* SPDX-License-Identifier: Apache-2.0 */
/* writer - a bounded queue of batches and the one thread that puts them.
 *
 * Threads  submit: any.  put and done: the writer's own thread, one batch at a time, in
 *          the order of submitting.
 */
#ifndef INGEST_WRITER_H
#define INGEST_WRITER_H

#include "base/err.h"
#include "model/model.h"

enum { BATCH_REFUSALS_MAX = 10 };

struct batch_refusal {
    size_t row; /* index in the batch */
    const char *reason;
};

struct batch_result {
    uint64_t accepted, duplicate, refused; /* rows */
    bool replayed; /* the batch was known: the first result again */
    struct batch_refusal refusals[BATCH_REFUSALS_MAX];
    size_t refusal_count;
};

/* Put all of batch or nothing.  Errors: -EAGAIN, -ENOSPC ... : the sender keeps it. */
typedef int ingest_put_fn(void *arg, const struct jobbatch *batch,
                          struct batch_result *ret, struct err *err);
/* Called when there was nothing to put for idle_ns: upkeep of the database. */
typedef void ingest_idle_fn(void *arg);

/* rc and err are put's; result counts when rc is 0. */
typedef void ingest_done_fn(void *arg, int rc, const struct batch_result *result,
                            const struct err *err);

struct ingest_writer_opts {
    ingest_put_fn *put;
    ingest_idle_fn *idle; /* NULL: none; also called between batches when it is due */
    int64_t idle_ns;      /* 0: 10 s */
    void *arg;
    size_t queue_bytes_max; /* 0: 128 MiB */
};

struct ingest_writer;

int ingest_writer_start(const struct ingest_writer_opts *opts,
                        struct ingest_writer **ret, struct err *err);
/* Everything queued is put and answered first; later submits are refused. */
void ingest_writer_stop(struct ingest_writer *writer);
/* Stops it, when that was not done. */
void ingest_writer_free(struct ingest_writer *writer);
DEFINE_AUTO(struct ingest_writer, ingest_writer_free);

/* The batch stays the caller's, and must stay as it is until done is called.
 * Errors: -EAGAIN (the queue is full), -ESHUTDOWN. */
int ingest_writer_submit(struct ingest_writer *writer, const struct jobbatch *batch,
                         ingest_done_fn *done, void *done_arg);

/* Something else for the writer's thread, in its turn among the batches. */
struct ingest_task {
    size_t bytes; /* that it holds in memory while it waits */
    int (*run)(void *arg, struct err *err);
    void (*done)(void *arg, int rc, const struct err *err); /* rc is run's */
    void *arg;
};
/* The task is copied.  Errors: as ingest_writer_submit. */
int ingest_writer_submit_task(struct ingest_writer *writer,
                              const struct ingest_task *task);

struct ingest_writer_stats {
    size_t queue_bytes, queue_count;
    uint64_t put_count, failed_count, full_count;
};
void ingest_writer_stats(struct ingest_writer *writer, struct ingest_writer_stats *ret);

#endif
