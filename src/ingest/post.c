/* SPDX-License-Identifier: Apache-2.0 */
/* post - the request of a body that the writer's thread puts: charged, queued, refused.
 */
#include "ingest/post.h"

int post_charge(const struct post *post, size_t bytes, struct err *err)
{
    if (net_request_charge(post->request, bytes) < 0)
        return err_set(err, EAGAIN, "too many bodies at once: try again");
    return 0;
}

int post_failed(const struct post *post, int rc)
{
    (*post->failed_count)++;
    return rc;
}

void post_reply_error(const struct post *post, int rc, const struct err *err)
{
    net_reply_error(post->request, post_failed(post, rc), err);
}

/* It was not queued: the request is still the caller's. */
static void reply_not_queued(const struct post *post, int rc)
{
    struct err err = { 0 };
    (void)err_set(&err, rc,
                  rc == -ESHUTDOWN ? "stopping" : "the queue is full: try again");
    post_reply_error(post, rc, &err);
}

/* The writer may reply at once, so the request is deferred before it has the task. */
void post_submit(const struct post *post, struct ingest_writer *writer,
                 const struct ingest_task *task)
{
    net_request_defer(post->request);
    int rc = ingest_writer_submit_task(writer, task);
    if (rc < 0)
        reply_not_queued(post, rc);
}

void post_submit_batch(const struct post *post, struct ingest_writer *writer,
                       const struct jobbatch *batch, ingest_done_fn *done, void *arg)
{
    net_request_defer(post->request);
    int rc = ingest_writer_submit(writer, batch, done, arg);
    if (rc < 0)
        reply_not_queued(post, rc);
}
