/* SPDX-License-Identifier: Apache-2.0 */
/* channel - a connected socket: bytes received, and parts to be sent, on a loop.
 *
 *     readable ─▶ in[] ─▶ received(): how many of them were used
 *     channel_send ─▶ parts: a head, then a piece of a payload ─▶ one sendmsg an
 *     iteration of the loop for all parts that were queued in it, or by a thread of
 *     channel_sender where they are long
 *
 * Payloads are sent from where they lie, but for a short piece of a long one, which is
 * copied: until a part is sent, all of its payload stays in memory.  So that is what is
 * counted as held, and the part itself.  Nothing bounds the parts here: the owner reads
 * no further requests while channel_is_full(), and reserves what a response may hold
 * before it requests it.
 * Threads  the loop's, and those of channel_sender.
 */
#ifndef DATASET_FORWARDER_CHANNEL_H
#define DATASET_FORWARDER_CHANNEL_H

#include "base/span_type.h"
#include "dataset/forwarder/payload.h"

#include <uv.h>

#define CHANNEL_HEAD_MAX 48U
/* Bytes held by parts for a peer that reads slowly; with what is reserved for it; and
 * what it has where all together have held_max: a chunk. */
#define CHANNEL_QUEUED_MAX (8U << 20)
#define CHANNEL_HELD_MAX (24U << 20)
#define CHANNEL_HELD_MIN (288U << 10)
#define CHANNELS_HELD_MAX (512U << 20) /* where nothing else is wanted */
/* Of a part beside its bytes and its payload; the ring is half empty at worst. */
#define CHANNEL_PART_BYTES 192U

struct channel;
struct channel_part;

/* All channels of a loop: what is queued in an iteration is sent at its end. */
struct channel_loop {
    uv_loop_t *loop;
    uv_prepare_t prepare;
    uv_idle_t turn_handle;
    struct channel *queued;      /* to be sent */
    size_t queued_bytes;         /* of all channels */
    size_t held_bytes, held_max; /* by parts, and reserved, of all; what is much */
    size_t held_peak;            /* since the start */
    unsigned sender_count; /* threads that send what is long; 0: the loop's alone */
    struct channel_senders *senders;
    void (*before)(void *arg); /* called before each wait; may queue more */
    void (*turn)(void *arg);   /* called once after channel_loop_turn() */
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
    const char *failure; /* why it ends from the loop; NULL: it does not */
    bool is_closed, is_paused, is_queued, is_full, is_receiving;
    bool is_sending; /* a thread has the first parts */
    bool is_poll_closed;
    int watched; /* events of the poll */
    uint8_t *in;
    size_t in_size, in_capacity;
    struct channel_part *parts; /* a ring */
    uint32_t first, count, capacity;
    size_t first_sent; /* bytes of the first part */
    size_t queued_bytes, held_bytes, reserved_bytes;
    uint64_t received_bytes, sent_bytes;
    struct channel *next_queued;
};

int channel_loop_init(struct channel_loop *channels, uv_loop_t *loop);
void channel_loop_done(struct channel_loop *channels);
/* After the loop's last turn. */
void channel_loop_free(struct channel_loop *channels);
/* There is more to do, once other events have had their turn. */
void channel_loop_turn(struct channel_loop *channels);

/* fd is the channel's from now on, also where it fails.  Errors: -ENOMEM. */
int channel_open(struct channel *channel, struct channel_loop *channels, int fd,
                 size_t in_capacity, const struct channel_events *events, void *owner);
/* Longer messages are to be received.  What received() was given is of no use any more.
 * Errors: -ENOMEM. */
int channel_grow(struct channel *channel, size_t in_capacity);
/* Nothing is called afterwards but released(), from the loop. */
void channel_close(struct channel *channel);
/* head: at most CHANNEL_HEAD_MAX bytes, copied.  payload: NULL, or referred to.  Where
 * memory is out the channel ends, from the loop: not before this has returned. */
void channel_send(struct channel *channel, const void *head, size_t head_size,
                  struct payload *payload, uint32_t offset, uint32_t size);
/* End it from the loop, not before its owner has returned.  reason: a literal. */
void channel_end_later(struct channel *channel, const char *reason);
static inline size_t channel_queued(const struct channel *channel)
{
    return channel->queued_bytes;
}
/* Its peer has enough to read: nothing more is made for it. */
static inline bool channel_is_full(const struct channel *channel)
{
    return channel->held_bytes >
           (channel->channels->held_bytes > channel->channels->held_max
                ? CHANNEL_HELD_MIN
                : CHANNEL_QUEUED_MAX);
}
/* Whether a response may be requested that holds so much; if not, when it has less. */
bool channel_has_capacity(const struct channel *channel, size_t bytes);
void channel_reserve(struct channel *channel, size_t bytes);
void channel_unreserve(struct channel *channel, size_t bytes);
/* While paused nothing is received. */
void channel_pause(struct channel *channel);
/* What lies in the buffer is given to received() before this returns. */
void channel_resume(struct channel *channel);

#endif
