/* SPDX-License-Identifier: Apache-2.0 */
/* channel_sender - a thread's part of sending: what is long is copied into sockets by a
 * few of libuv's threads, each for one channel at a time.
 *
 *     channel ── iov, copies of heads ──▶ sender ── sendmsg, in a thread ──▶ done()
 *
 * One thread that copies for all clients has one share of the processors, however many
 * of them wait; and no more than one processor.
 * Threads    the loop's, but for what sender_run does: it has the iov and fd to itself
 *            from channel_sender_start() to done().
 * Ownership  payloads that an iov names stay until done(): whose they are sees to it.
 */
#ifndef DATASET_FORWARDER_CHANNEL_SENDER_H
#define DATASET_FORWARDER_CHANNEL_SENDER_H

#include <sys/uio.h>

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#define SENDER_IOVECS_MAX 128
#define SENDER_HEAD_MAX 48U

struct channel_sender {
    uv_work_t request;
    void (*done)(struct channel_sender *sender);
    void *owner; /* NULL: it is free */
    int fd;
    struct iovec iov[SENDER_IOVECS_MAX];
    int iov_count;
    uint8_t heads[SENDER_IOVECS_MAX][SENDER_HEAD_MAX];
    size_t sent;
    int error; /* errno; EAGAIN: the socket is full */
};

struct channel_senders {
    uv_loop_t *loop;
    unsigned count;
    struct channel_sender each[];
};

/* NULL: memory is out. */
struct channel_senders *channel_senders_new(uv_loop_t *loop, unsigned count);
/* Once the loop has ended. */
void channel_senders_free(struct channel_senders *senders);
/* NULL: all are busy, or there are none (senders NULL). */
struct channel_sender *channel_senders_find(struct channel_senders *senders);
/* owner, fd, iov and done are set; done() comes from the loop. */
void channel_sender_start(struct channel_senders *senders,
                          struct channel_sender *sender);

#endif
