/* SPDX-License-Identifier: Apache-2.0 */
/* channel_sender - a thread's part of sending. */
#include "dataset/forwarder/channel_sender.h"

#include "base/clock.h"
#include "base/number.h"

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

/* False: the peer has been waited for long enough. */
static bool is_writable(const struct channel_sender *sender, int64_t until_ns)
{
    struct pollfd writable = { .fd = sender->fd, .events = POLLOUT };
    int64_t rest_ms = (until_ns - clock_steady_ns()) / NS_PER_MS;
    return rest_ms > 0 && poll(&writable, 1, (int)rest_ms) > 0;
}

/* Until all is sent, or a moment is over in which the peer has not read it all: then
 * the loop waits for it, and this thread is another one's.  A peer that reads a little
 * now and then has no more of it. */
static void sender_run(uv_work_t *request)
{
    struct channel_sender *sender = request->data;
    struct msghdr message = { .msg_iov = sender->iov,
                              .msg_iovlen = (size_t)sender->iov_count };
    int64_t until_ns = clock_steady_ns() + PATIENCE_MS * NS_PER_MS;
    sender->error = 0;
    sender->sent = 0;
    while (message.msg_iovlen) {
        ssize_t sent = sendmsg(sender->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        int error = sent < 0 ? errno : 0;
        if (error == EINTR || (error == EAGAIN && is_writable(sender, until_ns)))
            continue;
        if (error) {
            sender->error = error;
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
