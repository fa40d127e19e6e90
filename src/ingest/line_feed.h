/* SPDX-License-Identifier: Apache-2.0 */
/* line_feed - texts of line protocol whose sender gets no response: a bounded queue and
 * the one thread that takes them in.
 *
 *     line_feed_push() ─▶ queue ─▶ line_receiver ─▶ sink
 *          └ full: dropped             └ cannot be kept now: tried again until it can
 *
 * A sender on a message bus gets no response, so that all that is lost is counted here,
 * and said.  A text that the sink cannot keep waits at the head of the queue; others
 * wait behind it while there is room.
 *
 * Threads  any may push; one inside takes in.
 */
#ifndef INGEST_LINE_FEED_H
#define INGEST_LINE_FEED_H

#include "ingest/line_receiver.h"

enum line_feed_notice {
    LINE_FEED_BAD,     /* a text has bad lines */
    LINE_FEED_REFUSED, /* samples of a text were refused: a share, a limit, a name */
    LINE_FEED_FULL,    /* a text was dropped, the queue is full */
    LINE_FEED_UNKEPT,  /* a text waits, the sink cannot keep it */
    LINE_FEED_LOST, /* a text was dropped, the feed ends and the sink has not kept it */
    LINE_FEED_NOTICE_COUNT,
};

/* Called from the thread inside and from those that push; limits how often it tells. */
typedef void line_feed_say_fn(void *arg, enum line_feed_notice notice,
                              const char *text);
typedef void line_feed_count_fn(void *arg, const struct line_result *result);

struct line_feed_opts {
    struct line_receiver_opts receiver; /* what it points at outlives the feed; now_ns
                                         * is the time of each push */
    size_t texts_max;
    size_t bytes_max;
    int64_t retry_ns; /* between two tries of a text that cannot be kept; 0: 1 s */
    line_feed_say_fn *say;
    line_feed_count_fn *count; /* of each text taken in; NULL: not counted */
    void *arg;                 /* of both */
};

struct line_feed_stats {
    uint64_t texts, bytes; /* taken in */
    uint64_t dropped;      /* texts: the queue was full, or memory out */
    uint64_t lost;         /* texts: could not be kept until the end */
    uint64_t retries;
    uint64_t lines, bad, samples, refused;
    uint64_t queue_texts, queue_bytes; /* waiting now */
    uint64_t queue_texts_max, queue_bytes_max;
};

struct line_feed;

/* Errors: -ENOMEM, -EAGAIN (no thread). */
int line_feed_new(const struct line_feed_opts *opts, struct line_feed **ret);
/* Take in what waits, each text tried once, then end.  After deadline_ns (monotonic)
 * what still waits is lost, and counted. */
void line_feed_stop(struct line_feed *feed, int64_t deadline_ns);
/* Stops first, with no time to spare, where that has not been done. */
void line_feed_free(struct line_feed *feed);
DEFINE_AUTO(struct line_feed, line_feed_free);

/* Queue a text.
 * Owns     takes owner, which release() ends, on success; then text is in it.
 * Threads  any.  Never waits for the sink.
 * Errors   -ENOBUFS (full: counted as dropped), -ESHUTDOWN, -ENOMEM. */
int line_feed_push(struct line_feed *feed, struct span text, void *owner,
                   void (*release)(void *owner));

void line_feed_stats(struct line_feed *feed, struct line_feed_stats *ret);

#endif
