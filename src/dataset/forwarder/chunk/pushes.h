/* SPDX-License-Identifier: Apache-2.0 */
/* pushes - images that clients send, into the repository of this server.
 *
 *     offer ─▶ worker: push_open, push_index_add, push_missing ─▶ done()
 *     put   ─▶ worker: decompressed, compared, push_write ──────▶ done()
 *     commit ▶ worker: facts written ─▶ admitter ───────────────▶ done()
 *
 * A client sends one image at a time; a user, and all together, a few.  Half of the
 * workers at most work for pushes, so that who reads does not wait for who sends, and
 * one for a user's offers.  Of an index what has arrived is counted, a quarter of all
 * at most of a user.  One that sends nothing new for a while loses its place, or for a
 * user who has none where all are had: what it sent stays.
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_CHUNK_PUSHES_H
#define DATASET_FORWARDER_CHUNK_PUSHES_H

#include "dataset/forwarder/chunk/admitter.h"
#include "dataset/forwarder/chunk/chunk_frame.h"
#include "dataset/forwarder/report.h"
#include "dataset/forwarder/work.h"

#define PUSHES_MAX 16U /* at a time */
#define PUSHES_OF_USER_MAX 4U
#define PUSHES_INDEX_BYTES_MAX (UINT64_C(256) << 20) /* loaded, of all of them */
#define PUSH_YIELDS_NS (INT64_C(5) * 1000000000)

struct push_task;
struct push_sender;

struct pushes {
    struct work_pool *pool;
    struct admitter *admitter;
    const struct forwarder_report *report;
    uint64_t user_bytes_max;
    unsigned works_max, works; /* that workers have */
    int64_t idle_ns;
    struct push_sender *senders;
    unsigned sender_count;
    uint64_t index_bytes;
    struct push_task *first, *last; /* that wait for a worker */
    uint64_t begun, refused, chunks, bytes, damaged, admitted;
};

enum push_kind {
    PUSH_OFFER,
    PUSH_PUT,
    PUSH_COMMIT,
};

struct push_result {
    enum push_kind kind;
    uint64_t id;
    int rc;
    const char *text;              /* of a failure, for a person; "" */
    uint64_t index_size;           /* of an offer: of the index that is there */
    struct span missing;           /* of an offer, where the index is whole */
    struct push_admitted admitted; /* of a commit */
};

struct push_sender_events {
    void (*done)(void *owner, const struct push_result *result);
    /* It was idle for too long; the sender is to be left. */
    void (*expired)(void *owner);
};

/* Errors: -EBUSY (there are too many), -ENOMEM. */
int push_sender_begin(struct pushes *all, const struct reader *reader,
                      const struct push_sender_events *events, void *owner,
                      struct push_sender **ret);
/* Errors: -EBADMSG (it does not wait for a response, or another image is),
 * -EBUSY, -ENOMEM. */
int push_sender_offer(struct push_sender *sender, uint64_t id,
                      const struct chunk_push_head *head, struct span part);
/* Errors: also -EMSGSIZE (more than CHUNK_FRAME_PUTS_MAX). */
int push_sender_put(struct push_sender *sender, uint64_t id, uint32_t number,
                    uint32_t plain_size, struct span stored);
int push_sender_commit(struct push_sender *sender, uint64_t id, struct span facts);
/* What came stays; nothing is called any more.  *at may be NULL. */
void push_sender_leave(struct push_sender **at);
void pushes_check(struct pushes *all, int64_t now_ns);
bool pushes_are_idle(const struct pushes *all);

#endif
