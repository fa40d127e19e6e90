/* SPDX-License-Identifier: Apache-2.0 */
/* channel_sender - a thread's part of sending. */
#include "dataset/forwarder/channel_sender.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#define PATIENCE_MS 20

struct channel_senders *channel_senders_new(uv_loop_t *loop, unsigned count)
{
    struct channel_senders *senders =
        calloc(1, sizeof *senders + count * sizeof senders->each[0]);
    if (!senders)
        return NULL;
    senders->loop = loop;
    senders->count = count;
    return senders;
}

void channel_senders_free(struct channel_senders *senders)
{
    free(senders);
}

struct channel_sender *channel_senders_find(struct channel_senders *senders)
{
    for (unsigned i = 0; senders && i < senders->count; i++)
        if (!senders->each[i].owner)
            return &senders->each[i];
    return NULL;
}

/* The first bytes of an iov are gone. */
static void iov_advance(struct msghdr *message, size_t sent)
{
    while (message->msg_iovlen && sent >= message->msg_iov->iov_len) {
        sent -= message->msg_iov->iov_len;
        message->msg_iov++;
        message->msg_iovlen--;
    }
    if (!message->msg_iovlen)
        return;
    message->msg_iov->iov_base = (uint8_t *)message->msg_iov->iov_base + sent;
    message->msg_iov->iov_len -= sent;
}

/* Until all is sent, or the peer has read nothing for a moment: then the loop waits for
 * it, and this thread is another one's. */
static void sender_run(uv_work_t *request)
{
    struct channel_sender *sender = request->data;
    struct msghdr message = { .msg_iov = sender->iov,
                              .msg_iovlen = (size_t)sender->iov_count };
    struct pollfd writable = { .fd = sender->fd, .events = POLLOUT };
    sender->error = 0;
    sender->sent = 0;
    while (message.msg_iovlen) {
        ssize_t sent = sendmsg(sender->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN && poll(&writable, 1, PATIENCE_MS) > 0)
            continue;
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            sender->error = errno;
            return;
        }
        sender->sent += (size_t)sent;
        iov_advance(&message, (size_t)sent);
    }
}

static void on_sender_done(uv_work_t *request, int status)
{
    struct channel_sender *sender = request->data;
    (void)status; /* nothing cancels it */
    sender->done(sender);
}

void channel_sender_start(struct channel_senders *senders,
                          struct channel_sender *sender)
{
    sender->request.data = sender;
    (void)uv_queue_work(senders->loop, &sender->request, sender_run, on_sender_done);
}
