/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_pushes - a client of the chunk door that sends an image. */
#include "dataset/forwarder/chunk/chunk_pushes.h"

#include "base/span.h"

#define PUSH_IN_BYTES \
    (2 * (CHUNK_FRAME_HEAD_SIZE + CHUNK_FRAME_PUT_SIZE + CHUNK_FRAME_PLAIN_MAX))

_Static_assert(PUSH_IN_BYTES >= CHUNK_FRAME_HEAD_SIZE + PUSH_FACTS_MAX, "a COMMIT");

/* ---- responses ---- */

static uint32_t push_failure(int rc)
{
    switch (rc) {
    case -EACCES:
        return CHUNK_FAILURE_DENIED;
    case -EUCLEAN:
        return CHUNK_FAILURE_DAMAGED;
    case -EAGAIN:
    case -EBUSY:
        return CHUNK_FAILURE_BUSY;
    case -ENOMEM:
    case -EIO:
        return CHUNK_FAILURE_UNAVAILABLE;
    default:
        return CHUNK_FAILURE_REFUSED;
    }
}

static void push_fail(struct chunk_client_end *end, uint64_t id, int rc,
                      const char *text)
{
    chunk_end_fail_text(end, id, push_failure(rc), text[0] ? text : strerror(-rc));
}

static void pushed_send(struct chunk_client_end *end, const struct push_result *result)
{
    const struct chunk_frame pushed = { .type = CHUNK_FRAME_PUSHED, .id = result->id };
    AUTO(payload_unref) struct payload *body = payload_new(8 + result->missing.size);
    if (!body) {
        push_fail(end, result->id, -ENOMEM, "");
        return;
    }
    bytes_put_u64(body->data, result->index_size);
    memcpy(body->data + 8, result->missing.data, result->missing.size);
    chunk_end_send(end, &pushed, body, 0, body->size);
}

static void committed_send(struct chunk_client_end *end,
                           const struct push_result *result)
{
    const struct chunk_frame committed = { .type = CHUNK_FRAME_COMMITTED,
                                           .id = result->id };
    uint8_t head[CHUNK_FRAME_HEAD_SIZE + CHUNK_FRAME_COMMITTED_SIZE];
    chunk_frame_head(head, &committed, CHUNK_FRAME_COMMITTED_SIZE);
    bytes_put_u32(head + CHUNK_FRAME_HEAD_SIZE,
                  result->admitted.was_there ? CHUNK_COMMITTED_BEFORE : 0);
    bytes_put_u32(head + CHUNK_FRAME_HEAD_SIZE + 4, result->admitted.owner);
    channel_send(&end->client.channel, head, sizeof head, NULL, 0, 0);
}

static void on_push_done(void *owner, const struct push_result *result)
{
    struct chunk_client_end *end = owner;
    const struct chunk_frame leased = { .type = CHUNK_FRAME_LEASED, .id = result->id };
    if (result->rc < 0)
        push_fail(end, result->id, result->rc, result->text);
    else if (result->kind == PUSH_OFFER)
        pushed_send(end, result);
    else if (result->kind == PUSH_PUT)
        chunk_end_send(end, &leased, NULL, 0, 0);
    else
        committed_send(end, result);
}

static void on_push_expired(void *owner)
{
    struct chunk_client_end *end = owner;
    chunk_push_leave(end);
    channel_end_later(&end->client.channel, "it sent nothing of its image for long");
}

/* ---- requests ---- */

/* Errors: as push_sender_begin(); -EACCES, -EPERM, *ret_text why. */
static int pusher_need(struct chunk_client_end *end, const char **ret_text)
{
    static const struct push_sender_events events = { on_push_done, on_push_expired };
    const struct reader *reader = &end->client.reader;
    *ret_text = "";
    if (end->pusher)
        return 0;
    *ret_text =
        "this server accepts no datasets: see dataset.push in its configuration";
    if (!end->server->pushes)
        return -EPERM;
    *ret_text = "who pushes is not known: use a unix socket, or --munge";
    if (reader->uid == READER_UNKNOWN)
        return -EACCES;
    *ret_text = "a credential of no connection does not push: send CHALLENGE before it";
    if (end->is_loose)
        return -EACCES;
    *ret_text = "other pushes are in progress";
    return push_sender_begin(end->server->pushes, reader, &events, end, &end->pusher);
}

static int offer_request(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    struct chunk_push_head head;
    const char *text = "";
    chunk_push_head_decode(frame->body, &head);
    int rc = pusher_need(end, &text);
    if (rc == 0)
        rc = push_sender_offer(end->pusher, frame->id, &head,
                               span_skip(frame->body, CHUNK_FRAME_PUSH_SIZE));
    end->has_more = rc == 0;
    if (rc == 0 || rc == -EBADMSG)
        return rc;
    push_fail(end, frame->id, rc, text);
    return 0;
}

int chunk_push_request(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    if (frame->type == CHUNK_FRAME_PUSH)
        return offer_request(end, frame);
    if (!end->pusher)
        return -EBADMSG;
    if (frame->type == CHUNK_FRAME_COMMIT)
        return push_sender_commit(end->pusher, frame->id, frame->body);
    return push_sender_put(end->pusher, frame->id, chunk_frame_u32(frame->body),
                           chunk_frame_second(frame->body),
                           span_skip(frame->body, CHUNK_FRAME_PUT_SIZE));
}

int chunk_push_grow(struct chunk_client_end *end)
{
    end->has_more = false;
    return channel_grow(&end->client.channel, PUSH_IN_BYTES);
}

void chunk_push_leave(struct chunk_client_end *end)
{
    push_sender_leave(&end->pusher);
}
