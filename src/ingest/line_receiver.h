/* SPDX-License-Identifier: Apache-2.0 */
/* line_receiver - a text of line protocol on its way into a sink, piece by piece.
 *
 *     pieces ─▶ lines ─▶ cache ─▶ a batch for each shard ─▶ sink->put()
 *                          └ names ─▶ sink->series(), the first time
 *
 * A bad line costs that line; the first ten are reported.  A batch goes to the sink
 * when it is LINE_BATCH_SAMPLES long and at the end, so that no text is too long for
 * memory. When the sink refuses a batch nothing more is taken; sending all of it again
 * is harmless, because the last arrival in a slot wins.
 *
 * In strict mode a line of a metric that is not declared is nothing, whatever it holds;
 * a bad line of one that is ends the text, and lines before it stay.  A line without a
 * host or a cluster is refused without a word to its sender, whose server would have
 * none either: the sink hears of it, for the log.
 *
 * Threads  none inside; any number of receivers share one cache and one sink.
 */
#ifndef INGEST_LINE_RECEIVER_H
#define INGEST_LINE_RECEIVER_H

#include "ingest/line_names.h"
#include "ingest/lookup_cache.h"

#define LINE_PROBLEMS_MAX 10
#define LINE_BATCH_SAMPLES 65536

struct line_receiver;

struct line_receiver_opts {
    const struct sink *sink;
    struct lookup_cache *cache;
    struct line_names_opts names; /* the texts outlive the receiver */
    int64_t unit_ns;              /* of times; LINE_UNIT_AUTO: decided by their size */
    int64_t now_ns;               /* the time of lines that have none */
    bool is_open;                 /* metrics that are not declared become declared */
    struct sender_account *account; /* the sender's; NULL: it may create all */
    bool is_strict; /* bad lines are what cc-metric-store takes for them */
};

struct line_problem {
    uint64_t line, column; /* from 1 */
    char reason[256];
};

struct line_result {
    uint64_t lines;          /* with something in them, good or bad */
    uint64_t accepted;       /* samples that are kept */
    uint64_t too_old;        /* samples from before what is kept */
    uint64_t bad;            /* lines refused */
    uint64_t unaddressed;    /* of these: without a host or cluster, or, in strict mode,
                                of names that cc-metric-store skips */
    uint64_t unknown_metric; /* samples left out */
    uint64_t unknown_tag;    /* lines with tags that were not looked at */
    uint64_t collapsed;      /* samples of these that are another line's of this text */
    uint64_t strings;        /* fields left out */
    struct sink_refusals refused; /* samples of what could not be created */
    size_t problem_count;
    struct line_problem problems[LINE_PROBLEMS_MAX];
    bool is_strict;  /* as the options have it */
    bool is_stopped; /* strict: problems[0] is why, in the words of the peer */
};

/* Errors: -ENOMEM. */
int line_receiver_new(const struct line_receiver_opts *opts,
                      struct line_receiver **ret);
void line_receiver_free(struct line_receiver *receiver);
DEFINE_AUTO(struct line_receiver, line_receiver_free);

/* Errors: -ENOMEM, -EINVAL (an uncommonly long line), what sink->put() says. */
int line_receiver_feed(struct line_receiver *receiver, struct span piece);
/* The text is over; the rest goes to the sink.  Errors: the same. */
int line_receiver_finish(struct line_receiver *receiver);
/* What it holds in memory. */
size_t line_receiver_bytes(const struct line_receiver *receiver);
const struct line_result *line_receiver_result(const struct line_receiver *receiver);

#endif
