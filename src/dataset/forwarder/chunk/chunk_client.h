/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_client - a connection to an upstream: requests sent, responses matched.
 *
 *     fetch ─▶ pending ─▶ (a batch) frame ─▶ under way ─▶ done()
 *
 * What is under way is bounded by what the upstream stated in its welcome, and for what
 * is no chunk by the protocol.  What was cancelled counts until it is responded to, as
 * it does for the upstream.  A response to what was not requested, or a second one,
 * ends the connection. Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_CLIENT_H
#define DATASET_FORWARDER_CHUNK_CHUNK_CLIENT_H

#include "dataset/forwarder/address.h"
#include "dataset/forwarder/channel.h"
#include "dataset/forwarder/chunk/chunk_frame.h"

enum fetch_kind {
    FETCH_CHUNK,
    FETCH_RESOLVE,
    FETCH_INDEX,
    FETCH_LIST,
    FETCH_LEASE,
    FETCH_PERMIT,
    FETCH_VIEW,
    FETCH_PROFILE,
};

struct chunk_client;

/* What is requested of an upstream, then of another, until one has it. */
struct fetch {
    enum fetch_kind kind;
    struct digest digest;           /* of a chunk, of an index */
    uint64_t offset;                /* in an index; seconds of a lease; a user */
    char text[DATASET_TAG_MAX + 1]; /* what is resolved; holder; groups; view */
    void (*done)(struct fetch *fetch, int rc, struct payload *payload);
    uint64_t total; /* of an index, when done */
    /* Of a chunk, where that is known: what it is denied for at first. */
    bool has_dataset;
    struct digest dataset;
    /* Of the upstreams: */
    struct fetch *previous, *next; /* in the list that it is in */
    struct fetch_list *list;       /* NULL: under way, or none */
    struct chunk_client *client;   /* whose list it is in, or where it is under way */
    uint16_t slot, position;       /* under way */
    uint64_t tried, not_found;     /* a bit an upstream */
    uint64_t from;                 /* which it came from */
    uint64_t stays;                /* the only one that it is sent to; 0: each */
    int64_t sent_ns, retry_ns;
    unsigned retries;
    unsigned permits; /* that it was requested again after */
    bool is_refused;  /* a lease, by one at least */
};

struct fetch_list {
    struct fetch *first, *last;
};
void fetch_list_append(struct fetch_list *list, struct fetch *fetch);
void fetch_list_remove(struct fetch *fetch);

struct chunk_client_events {
    void (*opened)(void *owner);
    /* The last call but released(); what was pending or under way was given back. */
    void (*failed)(void *owner, const char *reason);
    /* rc 0: payload is the receiver's.  Or -ENOENT, -EUCLEAN, -EFBIG, -EACCES,
     * -EAGAIN: no payload. */
    void (*responded)(void *owner, struct fetch *fetch, int rc,
                      struct payload *payload);
    void (*returned)(void *owner, struct fetch *fetch);
    void (*released)(void *owner);
};

/* To the next address of a name where the one before did not respond.  Errors: -ENOMEM,
 * those of connect. */
int chunk_client_connect(struct channel_loop *channels, struct address *address,
                         const struct readers *readers,
                         const struct chunk_client_events *events, void *owner,
                         struct chunk_client **ret);
/* failed() is not called; all else as if it had failed. */
void chunk_client_close(struct chunk_client *client);
bool chunk_client_is_open(const struct chunk_client *client);
void chunk_client_fetch(struct chunk_client *client, struct fetch *fetch);
void chunk_client_cancel(struct fetch *fetch);
/* What is pending is sent, in batches. */
void chunk_client_flush(struct chunk_client *client);
/* Pings an upstream that owes a response and sends nothing; ends the connection where
 * it has sent nothing for timeout_ns. */
void chunk_client_check(struct chunk_client *client, int64_t now_ns,
                        int64_t timeout_ns);
unsigned chunk_client_load(const struct chunk_client *client); /* under way, pending */
/* When the oldest fetch came that is not done; INT64_MAX: there is none. */
int64_t chunk_client_oldest_ns(const struct chunk_client *client);
/* Each fetch that came before then, given back to be sent elsewhere. */
void chunk_client_return_since(struct chunk_client *client, int64_t since_ns);
uint64_t chunk_client_received_bytes(const struct chunk_client *client);

#endif
