/* SPDX-License-Identifier: Apache-2.0 */
/* channel - a connected socket: bytes received, and parts to be sent, on a loop. */
#include "dataset/forwarder/channel.h"

#include "dataset/forwarder/channel_sender.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define IOVECS_MAX SENDER_IOVECS_MAX
/* What a thread sends; less is sent here sooner than there. */
#define SENDER_BYTES_MIN (256U << 10)
/* So much of one channel is sent or received before another one's turn. */
#define TURN_BYTES (4U << 20)
#define READS_MAX 8
/* What is a smaller share of its payload is copied. */
#define COPY_SHARE 4U
#define RING_MAX 1024U /* of a channel that has nothing to send */

struct channel_part {
    struct payload *payload;
    uint32_t offset, size;
    uint16_t head_size;
    uint8_t head[CHANNEL_HEAD_MAX];
};

_Static_assert(CHANNEL_PART_BYTES >=
                   2 * sizeof(struct channel_part) + sizeof(struct payload),
               "what a part holds");

static void channel_watch(struct channel *channel);

static void channel_fail(struct channel *channel, const char *reason)
{
    if (channel->is_closed)
        return;
    channel_close(channel);
    channel->events->closed(channel->owner, reason);
}

/* ---- what is held ---- */

static void held_add(struct channel *channel, size_t bytes)
{
    struct channel_loop *channels = channel->channels;
    channels->held_bytes += bytes;
    if (channels->held_bytes > channels->held_peak)
        channels->held_peak = channels->held_bytes;
}

bool channel_has_capacity(const struct channel *channel, size_t bytes)
{
    const struct channel_loop *channels = channel->channels;
    bool is_much = channels->held_bytes + bytes > channels->held_max;
    return channel->held_bytes + channel->reserved_bytes + bytes <=
           (is_much ? CHANNEL_HELD_MIN : CHANNEL_HELD_MAX);
}

void channel_reserve(struct channel *channel, size_t bytes)
{
    channel->reserved_bytes += bytes;
    held_add(channel, bytes);
}

void channel_unreserve(struct channel *channel, size_t bytes)
{
    channel->reserved_bytes -= bytes;
    channel->channels->held_bytes -= bytes;
}

static size_t part_held(const struct channel_part *part)
{
    return CHANNEL_PART_BYTES + (part->payload ? part->payload->size : 0);
}

/* ---- sending ---- */

static size_t part_bytes(const struct channel_part *part)
{
    return (size_t)part->head_size + part->size;
}

/* heads: where copies of them go, for a thread; NULL: as they lie in the ring. */
static int parts_gather(const struct channel *channel, struct iovec *iov,
                        uint8_t (*heads)[SENDER_HEAD_MAX])
{
    size_t skip = channel->first_sent, turn = 0;
    int count = 0;
    for (uint32_t i = 0;
         i < channel->count && count + 2 <= IOVECS_MAX && turn < TURN_BYTES; i++) {
        struct channel_part *part =
            &channel->parts[(channel->first + i) % channel->capacity];
        turn += part_bytes(part);
        if (skip < part->head_size) {
            uint8_t *head =
                heads ? memcpy(heads[count], part->head, part->head_size) : part->head;
            iov[count++] = (struct iovec){ head + skip, part->head_size - skip };
        }
        skip = skip < part->head_size ? 0 : skip - part->head_size;
        if (part->size > skip)
            iov[count++] = (struct iovec){ part->payload->data + part->offset + skip,
                                           part->size - skip };
        skip = 0;
    }
    return count;
}

static void part_drop(struct channel *channel)
{
    struct channel_part *part = &channel->parts[channel->first];
    channel->held_bytes -= part_held(part);
    channel->channels->held_bytes -= part_held(part);
    payload_unref(part->payload);
    channel->first = (channel->first + 1) % channel->capacity;
    channel->count--;
}

static void parts_drop(struct channel *channel, size_t sent)
{
    channel->queued_bytes -= sent;
    channel->channels->queued_bytes -= sent;
    channel->sent_bytes += sent;
    sent += channel->first_sent;
    while (channel->count) {
        struct channel_part *part = &channel->parts[channel->first];
        if (sent < part_bytes(part))
            break;
        sent -= part_bytes(part);
        part_drop(channel);
    }
    channel->first_sent = sent;
    if (!channel->count && channel->capacity > RING_MAX) {
        free(TAKE(channel->parts));
        channel->first = channel->capacity = 0;
    }
}

/* ---- by a thread ---- */

static void channel_queue(struct channel *channel);
static void channel_discard(struct channel *channel);

static void on_sender_sent(struct channel_sender *sender)
{
    struct channel *channel = sender->owner;
    size_t sent = sender->sent;
    int error = sender->error;
    sender->owner = NULL;
    channel->is_sending = false;
    if (channel->is_closed) {
        channel_discard(channel);
        return;
    }
    if (error && error != EAGAIN) {
        channel_fail(channel, strerror(error));
        return;
    }
    channel->is_full = error == EAGAIN;
    if (sent)
        parts_drop(channel, sent);
    if (channel->count && !channel->is_full)
        channel_queue(channel);
    channel_watch(channel);
    if (sent)
        channel->events->sent(channel->owner);
}

static bool channel_hand_off(struct channel *channel)
{
    struct channel_senders *senders = channel->channels->senders;
    if (channel->queued_bytes < SENDER_BYTES_MIN)
        return false;
    struct channel_sender *sender = channel_senders_find(senders);
    if (!sender)
        return false;
    sender->owner = channel;
    sender->fd = channel->fd;
    sender->iov_count = parts_gather(channel, sender->iov, sender->heads);
    sender->done = on_sender_sent;
    channel->is_sending = true;
    channel->is_full = false; /* the loop does not wait for it meanwhile */
    channel_watch(channel);
    channel_sender_start(senders, sender);
    return true;
}

/* Until all is sent, the socket is full, or it is another one's turn. */
static void channel_flush(struct channel *channel)
{
    struct iovec iov[IOVECS_MAX];
    size_t turn = 0, before = channel->queued_bytes;
    if (channel->is_sending || channel_hand_off(channel))
        return;
    while (!channel->is_closed && channel->count && turn < TURN_BYTES) {
        struct msghdr message = { .msg_iov = iov };
        message.msg_iovlen = (size_t)parts_gather(channel, iov, NULL);
        ssize_t sent = sendmsg(channel->fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno != EAGAIN) {
            channel_fail(channel, strerror(errno));
            return;
        }
        if (sent < 0)
            break;
        turn += (size_t)sent;
        parts_drop(channel, (size_t)sent);
    }
    if (channel->is_closed)
        return;
    channel->is_full = channel->count > 0;
    channel_watch(channel);
    if (channel->queued_bytes < before)
        channel->events->sent(channel->owner);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct channel_loop *channels = prepare->data;
    if (channels->before)
        channels->before(channels->arg);
    while (channels->queued) {
        struct channel *channel = channels->queued;
        channels->queued = channel->next_queued;
        channel->is_queued = false;
        if (channel->failure)
            channel_fail(channel, channel->failure);
        else if (!channel->is_closed && !channel->is_full)
            channel_flush(channel);
    }
}

static int ring_grow(struct channel *channel)
{
    uint32_t capacity = channel->capacity ? channel->capacity * 2 : 16;
    struct channel_part *parts = calloc(capacity, sizeof *parts);
    if (!parts)
        return -ENOMEM;
    for (uint32_t i = 0; i < channel->count; i++)
        parts[i] = channel->parts[(channel->first + i) % channel->capacity];
    free(channel->parts);
    channel->parts = parts;
    channel->capacity = capacity;
    channel->first = 0;
    return 0;
}

static void channel_queue(struct channel *channel)
{
    if (channel->is_queued)
        return;
    channel->is_queued = true;
    channel->next_queued = channel->channels->queued;
    channel->channels->queued = channel;
}

void channel_end_later(struct channel *channel, const char *reason)
{
    if (channel->is_closed || channel->failure)
        return;
    channel->failure = reason;
    channel_queue(channel);
}

/* Where memory is out for a copy, all of it stays. */
static void part_refer(struct channel_part *part, struct payload *payload,
                       uint32_t offset, uint32_t size)
{
    struct payload *copy =
        payload && size < payload->size / COPY_SHARE ? payload_new(size) : NULL;
    if (copy)
        memcpy(copy->data, payload->data + offset, size);
    part->payload = copy ? copy : payload ? payload_ref(payload) : NULL;
    part->offset = copy ? 0 : offset;
    part->size = payload ? size : 0;
}

void channel_send(struct channel *channel, const void *head, size_t head_size,
                  struct payload *payload, uint32_t offset, uint32_t size)
{
    if (channel->is_closed || channel->failure)
        return;
    if (channel->count == channel->capacity && ring_grow(channel) < 0) {
        channel_end_later(channel, "memory is out");
        return;
    }
    struct channel_part *part =
        &channel->parts[(channel->first + channel->count++) % channel->capacity];
    part_refer(part, payload, offset, size);
    part->head_size = (uint16_t)head_size;
    if (head_size)
        memcpy(part->head, head, head_size);
    channel->queued_bytes += part_bytes(part);
    channel->channels->queued_bytes += part_bytes(part);
    channel->held_bytes += part_held(part);
    held_add(channel, part_held(part));
    channel_queue(channel);
}

/* ---- receiving ---- */

/* The owner may close the channel, or pause it, while it is given the bytes. */
static void channel_deliver(struct channel *channel)
{
    if (channel->is_receiving)
        return;
    channel->is_receiving = true;
    size_t used = channel->events->received(
        channel->owner, (struct span){ (const char *)channel->in, channel->in_size });
    channel->is_receiving = false;
    if (channel->is_closed || !used)
        return;
    channel->in_size -= used;
    memmove(channel->in, channel->in + used, channel->in_size);
}

static void channel_receive(struct channel *channel)
{
    for (int i = 0; i < READS_MAX && !channel->is_closed && !channel->is_paused; i++) {
        size_t free_bytes = channel->in_capacity - channel->in_size;
        if (!free_bytes) {
            channel_fail(channel, "it sent more than fits a frame");
            return;
        }
        ssize_t size = recv(channel->fd, channel->in + channel->in_size, free_bytes, 0);
        if (size < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (size <= 0) {
            channel_fail(channel, size ? strerror(errno) : "it closed the connection");
            return;
        }
        channel->in_size += (size_t)size;
        channel->received_bytes += (uint64_t)size;
        channel_deliver(channel);
        if ((size_t)size < free_bytes)
            return;
    }
}

void channel_pause(struct channel *channel)
{
    channel->is_paused = true;
    channel_watch(channel);
}

void channel_resume(struct channel *channel)
{
    if (channel->is_closed || !channel->is_paused)
        return;
    channel->is_paused = false;
    if (channel->in_size)
        channel_deliver(channel);
    channel_watch(channel);
}

/* ---- the poll ---- */

/* libuv has EBADF for each error. */
static const char *socket_reason(int fd, int status)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error)
        return strerror(error);
    return uv_strerror(status);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct channel *channel = poll->data;
    if (status < 0) {
        channel_fail(channel, socket_reason(channel->fd, status));
        return;
    }
    if (events & UV_DISCONNECT) {
        channel_fail(channel, "it closed the connection");
        return;
    }
    if (events & UV_WRITABLE)
        channel_flush(channel);
    if (!channel->is_closed && !channel->is_sending && (events & UV_READABLE))
        channel_receive(channel);
}

static void channel_watch(struct channel *channel)
{
    /* One that is gone has its end also where nothing is received. */
    int wanted = (channel->is_paused ? UV_DISCONNECT : UV_READABLE) |
                 (channel->is_full ? UV_WRITABLE : 0);
    /* A thread that sends has the socket's lock, for which recv() would wait here, and
     * all other channels with it.  It has it for a moment; what the peer sent before it
     * went is received afterwards. */
    if (channel->is_sending)
        wanted = 0;
    if (channel->is_closed || wanted == channel->watched)
        return;
    channel->watched = wanted;
    if (wanted)
        (void)uv_poll_start(&channel->poll, wanted, on_poll);
    else
        (void)uv_poll_stop(&channel->poll);
}

/* What a thread still reads stays until it has returned. */
static void channel_release(struct channel *channel)
{
    if (channel->is_sending || !channel->is_poll_closed)
        return;
    OPENSSL_cleanse(channel->in, channel->in_capacity); /* it may have credentials */
    free(channel->in);
    channel->in = NULL;
    channel->events->released(channel->owner);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct channel *channel = handle->data;
    channel->is_poll_closed = true;
    channel_release(channel);
}

static void parts_discard(struct channel *channel)
{
    while (channel->count)
        part_drop(channel);
    free(channel->parts);
    channel->parts = NULL;
    channel->channels->queued_bytes -= channel->queued_bytes;
    channel->queued_bytes = 0;
    (void)close(channel->fd);
}

static void channel_discard(struct channel *channel)
{
    parts_discard(channel);
    channel_release(channel);
}

static void channel_unqueue(struct channel *channel)
{
    struct channel **at = &channel->channels->queued;
    while (channel->is_queued && *at && *at != channel)
        at = &(*at)->next_queued;
    if (channel->is_queued && *at)
        *at = channel->next_queued;
    channel->is_queued = false;
}

void channel_close(struct channel *channel)
{
    if (channel->is_closed)
        return;
    channel->is_closed = true;
    channel_unqueue(channel);
    uv_close((uv_handle_t *)&channel->poll, on_poll_closed);
    if (channel->is_sending) /* the peer has its end now */
        (void)shutdown(channel->fd, SHUT_RDWR);
    else
        parts_discard(channel);
}

int channel_open(struct channel *channel, struct channel_loop *channels, int fd,
                 size_t in_capacity, const struct channel_events *events, void *owner)
{
    *channel = (struct channel){ .channels = channels,
                                 .events = events,
                                 .owner = owner,
                                 .fd = fd,
                                 .in_capacity = in_capacity };
    AUTO_FREE uint8_t *in = malloc(in_capacity);
    int rc = in ? uv_poll_init(channels->loop, &channel->poll, fd) : -ENOMEM;
    if (rc < 0) {
        (void)close(fd);
        return rc;
    }
    channel->in = TAKE(in);
    channel->poll.data = channel;
    channel_watch(channel);
    return 0;
}

int channel_grow(struct channel *channel, size_t in_capacity)
{
    if (in_capacity <= channel->in_capacity)
        return 0;
    uint8_t *in = malloc(in_capacity);
    if (!in)
        return -ENOMEM;
    memcpy(in, channel->in, channel->in_size);
    OPENSSL_cleanse(channel->in, channel->in_capacity);
    free(channel->in);
    channel->in = in;
    channel->in_capacity = in_capacity;
    return 0;
}

/* ---- the loop ---- */

static void on_turn(uv_idle_t *handle)
{
    struct channel_loop *channels = handle->data;
    (void)uv_idle_stop(handle);
    if (channels->turn)
        channels->turn(channels->arg);
}

void channel_loop_turn(struct channel_loop *channels)
{
    if (!uv_is_closing((uv_handle_t *)&channels->turn_handle))
        (void)uv_idle_start(&channels->turn_handle, on_turn);
}

int channel_loop_init(struct channel_loop *channels, uv_loop_t *loop)
{
    channels->loop = loop;
    channels->prepare.data = channels->turn_handle.data = channels;
    if (!channels->held_max)
        channels->held_max = CHANNELS_HELD_MAX;
    (void)uv_idle_init(loop, &channels->turn_handle); /* never fails */
    int rc = uv_prepare_init(loop, &channels->prepare);
    if (rc == 0)
        rc = uv_prepare_start(&channels->prepare, on_prepare);
    if (rc == 0 && channels->sender_count) /* without them the loop sends all */
        channels->senders = channel_senders_new(loop, channels->sender_count);
    uv_unref((uv_handle_t *)&channels->prepare);
    return rc;
}

void channel_loop_done(struct channel_loop *channels)
{
    uv_close((uv_handle_t *)&channels->prepare, NULL);
    uv_close((uv_handle_t *)&channels->turn_handle, NULL);
}

void channel_loop_free(struct channel_loop *channels)
{
    channel_senders_free(TAKE(channels->senders));
}
