/* SPDX-License-Identifier: Apache-2.0 */
/* owners - users beside a dataset's first owner who have it by having sent all of it.
 *
 * Who pushes an image that another user has here for herself alone becomes an owner,
 * too, with an access of her own; neither learns of the other.  Rows of `co_owner`.
 */
#ifndef DATASET_REPOSITORY_OWNERS_H
#define DATASET_REPOSITORY_OWNERS_H

#include "dataset/repository/store.h"

/* Beside the one in `dataset`.  1: whether a user may read it by one; else 0. */
int owners_permit(struct repository *r, int64_t dataset, uint32_t uid,
                  const char *groups, struct err *err);
/* 1: a user is its first owner; 0: she is none, or one of the others. */
int owners_has_first(struct repository *r, int64_t dataset, uint32_t uid,
                     struct err *err);
/* 1: she is one, or one of the others. */
int owners_has(struct repository *r, int64_t dataset, uint32_t uid, struct err *err);
/* In a transaction. */
int owners_add(struct repository *r, int64_t dataset,
               const struct dataset_access *access, struct err *err);
/* Bytes of images that a user is one of the other owners of. */
int owners_bytes(struct repository *r, uint32_t uid, uint64_t *ret, struct err *err);
/* 1: a row of `chunk` is of a dataset that the user may read; else 0. */
int owners_chunk_is_readable(struct repository *r, int64_t chunk, uint32_t uid,
                             const char *groups, struct err *err);

/* A row for each: "other owner", and who with which access. */
int owners_show(struct repository *r, int64_t dataset, struct table *out,
                struct err *err);

#endif
