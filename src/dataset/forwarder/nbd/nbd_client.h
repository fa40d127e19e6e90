/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_client - a client of the NBD door, as the files of the door see it; private. */
#ifndef DATASET_FORWARDER_NBD_CLIENT_H
#define DATASET_FORWARDER_NBD_CLIENT_H

#include "dataset/forwarder/nbd/nbd_option.h"
#include "dataset/forwarder/nbd/nbd_request.h"
#include "dataset/forwarder/nbd/nbd_server.h"

#define NBD_READS_MAX 64U
#define NBD_PIECES_MAX 24U

enum nbd_phase {
    NBD_PHASE_FLAGS,
    NBD_PHASE_OPTIONS,
    NBD_PHASE_REQUESTS,
};

struct nbd_client;
struct nbd_read;

struct nbd_piece {
    struct flight_waiter waiter; /* first */
    struct nbd_read *read;
    struct payload *payload; /* NULL: it has not come */
    uint32_t chunk_size;     /* as the index has it */
    uint32_t skip, size;     /* what of it is sent */
};

/* A request to read, or to cache; of it a window at a time. */
struct nbd_read {
    struct nbd_client *client;
    struct nbd_request request;
    uint32_t done; /* bytes before the window */
    uint32_t window_bytes, window_reserved;
    uint32_t piece_count, missing;
    /* held: until the client has read more, or it is its turn again */
    bool is_active, is_filling, is_held;
    int rc;
    struct nbd_piece pieces[NBD_PIECES_MAX];
    struct nbd_read *next_free;
};

struct nbd_names {
    struct dataset_names names; /* first */
    struct nbd_client *client;  /* NULL: it is gone */
};

struct nbd_client {
    struct client client; /* first */
    struct nbd_server *server;
    enum nbd_phase phase;
    bool has_no_zeroes, is_structured;
    bool is_ended; /* it ends: what it sends further is not read */
    bool is_busy;  /* an option is looked up */
    unsigned option_count, list_count;
    uint32_t option; /* which is looked up, and what of its infos is wanted */
    struct nbd_info_request info;
    struct dataset_waiter lookup;
    struct lease *permit; /* whether it may read what was looked up */
    struct nbd_names *names;
    struct dataset *dataset;
    struct prefetch_reader *ahead; /* NULL: it has read nothing yet */
    uint32_t skip; /* bytes of a request to write that are still to come */
    struct nbd_client *next_turn; /* whose reads go on in the next turn */
    bool has_turn;
    uint32_t resumed; /* the next read to be resumed is behind this one */
    struct nbd_read *free_reads;
    struct nbd_read reads[NBD_READS_MAX];
};

/* ---- nbd_options.c ---- */

void nbd_options_greet(struct nbd_client *client);
/* How many bytes were used; it may be over, or have to wait.  Errors: -EBADMSG. */
int nbd_options_receive(struct nbd_client *client, struct span in, size_t *ret_used);
void nbd_options_leave(struct nbd_client *client);

/* ---- nbd_reads.c ---- */

void nbd_reads_init(struct nbd_client *client);
/* Whether another request may be read now. */
bool nbd_reads_have_capacity(const struct nbd_client *client);
void nbd_read_begin(struct nbd_client *client, const struct nbd_request *request);
/* Those that were held, as far as there is capacity; and it reads further requests. */
void nbd_reads_resume(struct nbd_client *client);
void nbd_reads_leave(struct nbd_client *client);
void nbd_reads_leave_turn(struct nbd_client *client);
void nbd_reply(struct nbd_client *client, uint64_t cookie, int error);

#endif
