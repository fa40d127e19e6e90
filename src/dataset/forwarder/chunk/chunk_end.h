/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_end - this server's end of a connection of the chunk protocol; private to the
 * door's files: chunk_server, chunk_lookups, chunk_identity, chunk_pushes.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_END_H
#define DATASET_FORWARDER_CHUNK_CHUNK_END_H

#include "dataset/forwarder/chunk/chunk_frame.h"
#include "dataset/forwarder/chunk/chunk_server.h"

#define GRANTED_MAX 32U /* datasets that a client of a user has open */
#define CHUNK_END_REQUESTS_MAX 512U

struct chunk_client_end;
struct lookup_request;
struct names_request;

/* A chunk that was requested. */
struct chunk_request {
    struct flight_waiter waiter; /* first */
    struct chunk_client_end *end;
    struct digest digest;
    uint64_t id;
    uint16_t position;
    struct chunk_request *next; /* of those that are free, or are to be started */
};

struct chunk_client_end {
    struct client client; /* first */
    struct chunk_server *server;
    bool is_greeted, is_stuck, is_starting;
    enum proof_state { PROOF_NONE, PROOF_WANTED, PROOF_OVER } proof;
    struct reader_nonces nonces; /* unless PROOF_NONE */
    struct identity *identity;   /* its credential is decoded */
    uint64_t credential_id;
    bool has_credential; /* it was sent one, for once */
    bool is_challenged;  /* that is over this connection's random number */
    bool is_loose;       /* its user is by one that any connection might have sent */
    unsigned lookup_count;
    struct lookup_request *lookups;
    struct names_request *names;
    struct dataset
        *granted[GRANTED_MAX]; /* of one that is not trusted: what it may read */
    unsigned granted_count;
    struct push_sender *pusher; /* NULL: it pushes nothing */
    bool has_more;              /* a longer frame of a push is to be received */
    struct chunk_request *free_requests;
    struct chunk_request *first, *last; /* to be started, once there is capacity */
    struct chunk_request requests[CHUNK_END_REQUESTS_MAX];
};

void chunk_end_send(struct chunk_client_end *end, const struct chunk_frame *frame,
                    struct payload *body, uint32_t offset, uint32_t size);
void chunk_end_fail(struct chunk_client_end *end, uint64_t id, uint16_t position,
                    int rc);
/* With a line for a person. */
void chunk_end_fail_text(struct chunk_client_end *end, uint64_t id, uint32_t code,
                         const char *text);

#endif
