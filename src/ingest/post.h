/* SPDX-License-Identifier: Apache-2.0 */
/* post - the request of a body that the writer's thread puts: charged, queued, refused.
 *
 *     HTTP thread    body ─▶ post_charge() ... ─▶ post_submit() ─▶ queue
 *     writer thread  run ─▶ done ─▶ net_reply_json() or post_reply_error()
 */
#ifndef INGEST_POST_H
#define INGEST_POST_H

#include "ingest/writer.h"
#include "net/net.h"

#include <stdatomic.h>

struct post {
    struct net_request *request;
    _Atomic uint64_t *failed_count; /* of the route: requests that failed */
};

/* What the body holds now.  Errors: -EAGAIN (no memory of the budget). */
int post_charge(const struct post *post, size_t bytes, struct err *err);
/* Counts the failure; net replies.  Returns rc. */
int post_failed(const struct post *post, int rc);
/* Counts the failure and replies. */
void post_reply_error(const struct post *post, int rc, const struct err *err);
/* Defers the request and queues the task; where the queue is full it replies.  post,
 * which is a part of what the task works on, may be gone when this returns. */
void post_submit(const struct post *post, struct ingest_writer *writer,
                 const struct ingest_task *task);
/* The same for a batch of rows. */
void post_submit_batch(const struct post *post, struct ingest_writer *writer,
                       const struct jobbatch *batch, ingest_done_fn *done, void *arg);

#endif
