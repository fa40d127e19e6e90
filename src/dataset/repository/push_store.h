/* SPDX-License-Identifier: Apache-2.0 */
/* push_store - the directory of a push; private to the room. */
#ifndef DATASET_REPOSITORY_PUSH_STORE_H
#define DATASET_REPOSITORY_PUSH_STORE_H

#include "dataset/repository/push.h"
#include "dataset/repository/store.h"

struct push {
    struct push_terms terms;
    char dir[STORE_PATH_SIZE - 32];
    int fd; /* of the directory, which it locks */
    int part_fd, have_fd, index_fd;
    uint64_t index_size;
    _Atomic uint64_t written; /* since it was opened */
    bool has_index;
    bool is_wrong;              /* what was sent itself: it can be removed */
    struct dataset_index index; /* once it is whole */
    uint32_t *first;   /* of each chunk the number of the first that is equal */
    uint8_t *readable; /* a bit a chunk: the user can read it here; once looked up */
};

/* Of a chunk in `have`. */
#define PUSH_HAVE 1    /* it is in part */
#define PUSH_DAMAGED 2 /* the store has it damaged: it has to be sent */

/* Of each chunk of the index.  Errors: -EUCLEAN (the file is too short). */
int push_have_read(const struct push *push, uint8_t *have, struct err *err);
/* Its files; the directory goes, too. */
void push_remove(struct push *push);
/* What was not sent comes out of the store, and the whole is compared.  Errors: -EAGAIN
 * (chunks have to be sent: push_missing() has them), -EUCLEAN and is_wrong (the whole
 * is another image). */
int push_fill(struct repository *r, struct push *push, struct err *err);
/* 1: a chunk of a dataset that the user may read; 0: it is not. */
int push_find_readable(struct repository *r, const struct push_terms *terms,
                       const struct digest *digest, struct pack_position *ret,
                       struct err *err);

#endif
