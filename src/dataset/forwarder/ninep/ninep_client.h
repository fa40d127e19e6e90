/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_client - a client of the 9P door, as the files of the door see it; private. */
#ifndef DATASET_FORWARDER_NINEP_CLIENT_H
#define DATASET_FORWARDER_NINEP_CLIENT_H

#include "dataset/forwarder/ninep/ninep_message.h"
#include "dataset/forwarder/ninep/ninep_server.h"

#define NINEP_REQUESTS_MAX 256U /* that wait, a connection */
#define NINEP_LOOKUPS_MAX 64U   /* names that are looked up: as of the chunk protocol */
/* One a bucket where tags are dense, as the kernel's and diod's are. */
#define NINEP_TAG_BUCKETS 256U
#define NINEP_FIDS_MAX 1024U
#define NINEP_FID_BUCKETS 64U
#define NINEP_AUTH_FIDS_MAX 16U
#define NINEP_REFUSALS_MAX 3U /* of credentials: then the connection ends */
#define NINEP_PIECES_MAX 16U  /* chunks of a read */

struct ninep_client;
struct ninep_request;

/* For whom fids read; those that were walked to from one have the same. */
struct ninep_user {
    uint32_t refs;
    struct reader reader;
};

enum ninep_fid_kind {
    NINEP_FID_PENDING, /* a request that is under way will make it */
    NINEP_FID_AUTH,
    NINEP_FID_ROOT,
    NINEP_FID_FILE,
};

struct ninep_fid {
    uint32_t number;
    uint64_t serial; /* of the connection: no other one of this number has it */
    enum ninep_fid_kind kind;
    bool is_open;
    struct ninep_user *user;
    struct dataset *dataset; /* of a file */
    struct payload *names;   /* of the directory, since it was read from its start */
    /* Of one of Tauth: */
    uint32_t user_number;
    uint32_t credential_size;
    char *credential; /* CREDENTIAL_MAX + 1 bytes, or NULL */
    struct ninep_fid *next;
};

struct ninep_piece {
    struct flight_waiter waiter; /* first */
    struct ninep_request *request;
    struct payload *payload; /* NULL: it has not come */
    uint32_t chunk_size;     /* as the index has it */
    uint32_t skip, size;     /* what of it is sent */
};

struct ninep_names {
    struct dataset_names names;    /* first */
    struct ninep_request *request; /* NULL: it is gone */
};

/* What cannot be responded to at once. */
struct ninep_request {
    struct ninep_client *client;
    struct ninep_request *previous, *next;
    struct ninep_request *next_of_tag;
    struct ninep_request *previous_held,
        *next_held; /* of reads, until there is capacity */
    uint8_t type;
    uint16_t tag;
    uint32_t fid, newfid; /* newfid: NINEP_NO_FID, or pending */
    uint64_t newfid_serial;
    uint16_t walked; /* names before the one that is looked up: all of the root */
    bool is_last_name, is_lookup;
    struct dataset_waiter lookup;
    struct lease *permit;
    struct identity *identity;
    struct ninep_names *names;
    struct dataset *dataset;
    struct ninep_user *user;
    uint32_t user_number; /* as Tattach states it */
    bool sets_waiting;    /* the client waits for its credential */
    uint64_t offset;
    uint32_t count, reserved;
    uint32_t piece_count, missing, bytes;
    bool is_held, is_filling;
    int rc;
    struct ninep_piece pieces[NINEP_PIECES_MAX];
};

struct ninep_client {
    struct client client; /* first */
    struct ninep_server *server;
    bool has_version, is_stuck, is_starting;
    uint32_t msize, skip; /* skip: bytes of a request that is not read */
    uint32_t request_count, fid_count;
    uint32_t lookup_count, auth_count, refusal_count;
    uint64_t last_serial;
    struct ninep_request *requests;
    struct ninep_request *tags[NINEP_TAG_BUCKETS];
    struct ninep_request *first_held, *last_held;
    struct ninep_fid *fids[NINEP_FID_BUCKETS];
};

/* ---- ninep_responses.c ---- */

void ninep_send(struct ninep_client *client, struct ninep_response *response);
/* rc: of this program; the client has the number that 9P has for it. */
void ninep_fail(struct ninep_client *client, uint16_t tag, int rc);
/* A credential was, or was flushed: after a few the connection ends. */
void ninep_credential_refused(struct ninep_client *client);
/* For one request more that waits; a flush does not. */
bool ninep_has_capacity(const struct ninep_client *client);
/* Requests are read again, where there is capacity for them. */
void ninep_client_resume(struct ninep_client *client);
/* An empty response. */
void ninep_done(struct ninep_client *client, const struct ninep_message *message);

/* ---- ninep_requests.c ---- */

/* NULL: memory is out. */
struct ninep_request *ninep_request_new(struct ninep_client *client,
                                        const struct ninep_message *message);
struct ninep_request *ninep_request_find(struct ninep_client *client, uint16_t tag);
/* It is over, responded to or not: what it waits for it waits for no longer, and a fid
 * that is still pending is gone. */
void ninep_request_end(struct ninep_request *request);
void ninep_request_fail(struct ninep_request *request, int rc);
void ninep_requests_leave(struct ninep_client *client);
/* A read that waits for capacity, behind those before it; and one that does no longer.
 */
void ninep_read_hold(struct ninep_request *request);
void ninep_read_release(struct ninep_request *request);

/* ---- ninep_fids.c ---- */

/* Of one of Tauth: it has none any more. */
void ninep_credential_drop(struct ninep_client *client, struct ninep_fid *fid);
/* Not those that are pending. */
struct ninep_fid *ninep_fid_find(struct ninep_client *client, uint32_t number);
/* A pending one.  Errors: -EBADF (there is one of this number), -EMFILE, -ENOMEM. */
int ninep_fid_add(struct ninep_client *client, uint32_t number, struct ninep_fid **ret);
/* One that is pending, if it is this one. */
void ninep_fid_drop_pending(struct ninep_client *client, uint32_t number,
                            uint64_t serial);
/* False: there is none. */
bool ninep_fid_remove(struct ninep_client *client, uint32_t number);
/* What a pending one is from now on, or the one that was walked from; dataset NULL: the
 * root.  Refers to both.  Errors: -EBADF (it is gone, or another one has its number).
 */
int ninep_fid_set(struct ninep_client *client, uint32_t number, uint64_t serial,
                  struct ninep_user *user, struct dataset *dataset);
void ninep_fids_leave(struct ninep_client *client);
struct ninep_qid ninep_qid_of(const struct ninep_fid *fid);
struct ninep_qid ninep_qid_of_dataset(const struct digest *name);
struct ninep_user *ninep_user_new(const struct reader *reader);
struct ninep_user *ninep_user_ref(struct ninep_user *user);
void ninep_user_unref(struct ninep_user *user);

/* ---- ninep_walks.c, ninep_attach.c, ninep_files.c, ninep_reads.c: messages ---- */

void ninep_walk(struct ninep_client *client, const struct ninep_message *message);
void ninep_auth(struct ninep_client *client, const struct ninep_message *message);
void ninep_attach(struct ninep_client *client, const struct ninep_message *message);
/* Twrite: it may be a credential. */
void ninep_write(struct ninep_client *client, const struct ninep_message *message);
void ninep_open(struct ninep_client *client, const struct ninep_message *message);
void ninep_getattr(struct ninep_client *client, const struct ninep_message *message);
void ninep_statfs(struct ninep_client *client, const struct ninep_message *message);
void ninep_readdir(struct ninep_client *client, const struct ninep_message *message);
void ninep_read(struct ninep_client *client, const struct ninep_message *message);
/* Those that were held, as far as there is capacity. */
void ninep_reads_start(struct ninep_client *client);

#endif
