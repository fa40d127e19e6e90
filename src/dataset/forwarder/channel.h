/* SPDX-License-Identifier: Apache-2.0 */
/* channel - a connected socket: bytes received, and parts to be sent, on a loop.
 *
 *     readable ─▶ in[] ─▶ received(): how many of them were used
 *     channel_send ─▶ parts: a head, then a piece of a payload ─▶ one sendmsg an
 *     iteration of the loop for all parts that were queued in it
 *
 * Payloads are sent from where they lie.  Nothing bounds the parts here: the owner
 * reads no further requests while channel_is_full().
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_CHANNEL_H
#define DATASET_FORWARDER_CHANNEL_H

#include "base/span_type.h"
#include "dataset/forwarder/payload.h"

#include <uv.h>

#define CHANNEL_HEAD_MAX 48U
/* Bytes queued for a peer that reads slowly, and what it has where all have much. */
#define CHANNEL_QUEUED_MAX (8U << 20)
#define CHANNEL_QUEUED_MIN (256U << 10)
#define CHANNELS_QUEUED_MAX (512U << 20)

struct channel;
struct channel_part;

/* All channels of a loop: what is queued in an iteration is sent at its end. */
struct channel_loop {
    uv_loop_t *loop;
    uv_prepare_t prepare;
    struct channel *queued;    /* to be sent */
    size_t queued_bytes;       /* of all channels */
    void (*before)(void *arg); /* called before each wait; may queue more */
    void *arg;
};

struct channel_events {
    /* How many of the bytes were used; the rest comes again with more behind it. */
    size_t (*received)(void *owner, struct span in);
    void (*sent)(void *owner); /* less is queued than before */
    void (*closed)(void *owner, const char *reason);
    void (*released)(void *owner); /* the last call: the memory may be freed */
};

struct channel {
    uv_poll_t poll;
    struct channel_loop *channels;
    const struct channel_events *events;
    void *owner;
    int fd;
    bool is_closed, is_failed, is_paused, is_queued, is_full, is_receiving;
    int watched; /* events of the poll */
    uint8_t *in;
    size_t in_size, in_capacity;
    struct channel_part *parts; /* a ring */
    uint32_t first, count, capacity;
    size_t first_sent; /* bytes of the first part */
    size_t queued_bytes;
    uint64_t received_bytes, sent_bytes;
    struct channel *next_queued;
};

int channel_loop_init(struct channel_loop *channels, uv_loop_t *loop);
void channel_loop_done(struct channel_loop *channels);

/* fd is the channel's from now on, also where it fails.  Errors: -ENOMEM. */
int channel_open(struct channel *channel, struct channel_loop *channels, int fd,
                 size_t in_capacity, const struct channel_events *events, void *owner);
/* Nothing is called afterwards but released(), from the loop. */
void channel_close(struct channel *channel);
/* head: at most CHANNEL_HEAD_MAX bytes, copied.  payload: NULL, or referred to.  Where
 * memory is out the channel ends, from the loop: not before this has returned. */
void channel_send(struct channel *channel, const void *head, size_t head_size,
                  struct payload *payload, uint32_t offset, uint32_t size);
static inline size_t channel_queued(const struct channel *channel)
{
    return channel->queued_bytes;
}
/* Its peer has enough to read: nothing more is made for it. */
static inline bool channel_is_full(const struct channel *channel)
{
    return channel->queued_bytes >
           (channel->channels->queued_bytes > CHANNELS_QUEUED_MAX ? CHANNEL_QUEUED_MIN
                                                                  : CHANNEL_QUEUED_MAX);
}
/* While paused nothing is received. */
void channel_pause(struct channel *channel);
/* What lies in the buffer is given to received() before this returns. */
void channel_resume(struct channel *channel);

#endif
