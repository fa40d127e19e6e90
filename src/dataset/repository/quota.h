/* SPDX-License-Identifier: Apache-2.0 */
/* quota - how many bytes of images an owner may have in a repository.
 *
 * DIR/quotas has a line for each: a user's name or number and a size, as "anna 200GiB";
 * "*" is for all others; what follows a # is a comment.  No file, or no line: no limit.
 */
#ifndef DATASET_REPOSITORY_QUOTA_H
#define DATASET_REPOSITORY_QUOTA_H

#include "dataset/repository/store.h"

/* Whether an image of so many bytes more may be uid's.  Errors: -EDQUOT (with figures
 * and remedy), -EINVAL (a line that cannot be read), those of reading the file. */
int quota_check(struct repository *r, uint32_t uid, uint64_t bytes, struct err *err);

#endif
