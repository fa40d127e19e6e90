/* SPDX-License-Identifier: Apache-2.0 */
/* push - an image that a user sends: what has come of it, until it is a dataset.
 *
 *     DIR/pushes/USER/DIGEST/index   as it came, from its beginning
 *                           /part    the image, as large as it is stated; chunks at
 *                                    their places
 *                           /have    a byte a chunk: 1 where it is in part, verified; 2
 *                                    where the store has it, but damaged
 *                           /facts   what the sender states of it (push_facts.h)
 *
 *     push_open ─▶ push_index_add … ─▶ push_missing ─▶ push_write … ─▶
 *     repository_push_admit: what is readable here is added, SHA-256 of the whole, then
 *     admission, as of any image
 *
 * Before its first byte is accepted the quota of its user, what all pushes of the user
 * may have, and the space of the disk are compared with the size that is stated; it is
 * that size or refused.  Whatever is killed, what was written stays, and goes on.  What
 * is missing depends on what the user may read, and on what she sent, on nothing else:
 * a chunk of another user's private dataset is sent as if it were not there.
 *
 * Threads  push_write() by several at a time, once the index is whole; all else by one.
 *          Each has a repository of its own.
 * Errors   0 or -errno with a line: -EDQUOT, -ENOSPC, -EBADMSG (it is not what it
 *          states), -EUCLEAN (a chunk is not), -EBUSY (it is being sent by another
 *          process, or admitted), -EAGAIN (a chunk is missing, again); those of the
 *          operating system.
 */
#ifndef DATASET_REPOSITORY_PUSH_H
#define DATASET_REPOSITORY_PUSH_H

#include "base/strbuf.h"
#include "dataset/repository/index.h"

#define PUSH_INDEX_BYTES_MAX (UINT32_C(64) << 20)
#define PUSH_COUNT_MAX 16U                          /* of a user */
#define PUSH_TAGS_MAX 1000U                         /* of a user, with her name */
#define PUSH_LASTS_NS (INT64_C(86400) * 1000000000) /* since the last byte */
#define PUSH_GROUPS_SIZE 112

struct repository;
struct push;

struct push_terms {
    struct digest name;
    uint32_t uid;
    char groups[PUSH_GROUPS_SIZE]; /* "100.2000": the first is the owner's */
    uint64_t image_bytes, index_bytes;
    uint64_t user_bytes_max; /* images that a user may be sending; 0: admission's,
                                which is not limited again */
};

/* Made, or what has come of it.  Others that nothing was written to for PUSH_LASTS_NS
 * are removed before. */
int push_open(struct repository *r, const struct push_terms *terms, struct push **ret,
              struct err *err);
/* What was written stays. */
void push_close(struct push *push);
DEFINE_AUTO(struct push, push_close);
uint64_t push_index_size(const struct push *push);
bool push_has_index(const struct push *push); /* the whole */
/* Behind what is there.  Errors: also -EINVAL (it is not). */
int push_index_add(struct push *push, uint64_t offset, struct span bytes,
                   struct err *err);
/* A bit for each chunk, 1 where it has to be sent: the first of those that are equal,
 * unless it was, or the user may read it here: which is looked up once. */
int push_missing(struct repository *r, struct push *push, struct strbuf *out,
                 struct err *err);
/* NULL: there is no such chunk. */
const struct index_chunk *push_chunk(const struct push *push, uint32_t number);
/* It was sent before. */
bool push_has_chunk(const struct push *push, uint32_t number);
/* Its plain bytes, which were compared with its SHA-256. */
int push_write(struct push *push, uint32_t number, const uint8_t *plain,
               struct err *err);
int push_facts_set(struct push *push, struct span facts, struct err *err);

/* ---- it becomes a dataset ---- */

struct push_admission {
    struct digest name;
    uint32_t uid;
    char groups[PUSH_GROUPS_SIZE];
    uint64_t image_bytes, index_bytes;
    bool sets_any_tag; /* else those that begin with the user's name and a slash */
};

struct push_admitted {
    bool was_there; /* the user could read it before */
    uint32_t owner; /* as repository_owner_seen() has it */
};

/* Who tags what another user has here becomes an owner of it, too, within her quota:
 * the tag makes it stay.  A push that is refused for what is wrong in itself is
 * removed.  Errors: also those of repository_import(). */
int repository_push_admit(struct repository *r, const struct push_admission *in,
                          struct push_admitted *ret, struct err *err);

/* ---- for gc ---- */

struct push_state {
    const char *user; /* a number, as text */
    const char *name; /* 64 digits */
    uint64_t bytes;   /* on the disk */
    int64_t age_ns;   /* since the last byte */
    bool is_old, is_busy;
};
typedef int (*push_state_fn)(void *arg, const struct push_state *state);
/* Each; those that are old are removed, unless is_trial. */
int push_each(struct repository *r, bool is_trial, push_state_fn each, void *arg,
              struct err *err);

#endif
