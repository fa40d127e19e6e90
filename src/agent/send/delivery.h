/* SPDX-License-Identifier: Apache-2.0 */
/* delivery - one batch to barod: posted, the response judged, and what follows from it.
 *
 *     accepted        done
 *     too large       413: cut into two between its rows, each half the same way
 *     refused         400 and 422 in barod's own words, and 413 for a single row:
 * stored in refused/, counted, reported; done all else        nothing there, 5xx, 401,
 * 403, a proxy, another program: later
 *
 * When a part has to wait only what is not done is sent again; after a restart all is,
 * and found to be known by its identifier.
 *
 * Threads  one at a time, but for delivery_count: any.
 */
#ifndef AGENT_SEND_DELIVERY_H
#define AGENT_SEND_DELIVERY_H

#include "agent/report.h"
#include "base/cleanup.h"
#include "net/net.h"
#include "wire/wire.h"

struct delivery;

/* Send the compressed batch; *ret is the response, whatever its status.  Errors: as
 * net_client_post. */
typedef int delivery_post_fn(void *arg, struct span payload, struct net_response *ret,
                             struct err *err);

struct delivery_opts {
    delivery_post_fn *post_fn;
    void *post_arg;
    const char *refused_dir;           /* made when something is refused; copied */
    const struct agent_report *report; /* must outlive the delivery */
};

struct delivery_counts {
    uint64_t batches, entries, bytes; /* accepted */
    uint64_t refused_batches;         /* set aside */
    uint64_t set_aside_entries;       /* in those */
    uint64_t refused_entries;         /* of accepted batches, by the server */
    uint64_t split_batches;
};

/* Errors: -ENOMEM. */
int delivery_new(const struct delivery_opts *opts, struct delivery **ret);
void delivery_free(struct delivery *delivery);
DEFINE_AUTO(struct delivery, delivery_free);

enum delivery_outcome {
    DELIVERY_DONE,  /* accepted, or set aside: on to the next */
    DELIVERY_LATER, /* try this one again after a pause */
};

/* sequence: the spool's, by which progress in parts is remembered from one attempt to
 * the next; payload: zstd; entries: how many rows are in it. */
enum delivery_outcome delivery_send(struct delivery *delivery, uint64_t sequence,
                                    struct span payload, uint32_t entries);
/* The Retry-After of the last response; -1: nothing. */
int64_t delivery_retry_after_s(const struct delivery *delivery);
void delivery_count(struct delivery *delivery, struct delivery_counts *ret);

/* ---- the response to one message ---- */

enum verdict {
    VERDICT_ACCEPTED,
    VERDICT_TOO_LARGE, /* cut it */
    VERDICT_REFUSED,   /* in barod's own words: it will never do */
    VERDICT_UNWANTED,  /* who we are, or how we speak, is not what is wanted there */
    VERDICT_AWAY,      /* try again */
};

/* Only barod's own form counts: a proxy, or whatever else listens at a wrong address,
 * may say 200 or 400 to anything, and would make us forget what no database has.
 * entries: of the message; *ret is set where it is accepted. */
enum verdict delivery_judge(unsigned status, struct span body, uint32_t entries,
                            struct batch_response *ret);

#endif
