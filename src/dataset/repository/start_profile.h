/* SPDX-License-Identifier: Apache-2.0 */
/* start_profile - which chunks of a dataset are read at its start, in order, as text.
 *
 *     dataset DIGEST
 *     0-3
 *     17
 *
 * Numbers of chunks in the dataset's index; a range has both ends.  It comes from users
 * and over networks: what is read here is bounded, has only numbers that the index has,
 * and each of them once.
 * Threads  none inside.
 */
#ifndef DATASET_REPOSITORY_START_PROFILE_H
#define DATASET_REPOSITORY_START_PROFILE_H

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "dataset/repository/index.h"

#define PROFILE_CHUNKS_MAX 65536U
#define PROFILE_TEXT_MAX (UINT32_C(704) << 10)

struct start_profile {
    uint32_t *chunks;
    uint32_t count;
    uint64_t bytes; /* of these chunks, as the image has them */
};

/* Errors: -EBADMSG (of another dataset, no such chunk, one twice, or no profile),
 * -E2BIG (more chunks, or bytes, than one may have), each with a line; -ENOMEM. */
int start_profile_parse(struct span text, const struct dataset_index *index,
                        struct start_profile *ret, struct err *err);
void start_profile_done(struct start_profile *profile);
DEFINE_AUTO_DONE(struct start_profile, start_profile_done);
/* Errors: -ENOMEM. */
int start_profile_print(const struct digest *dataset, const uint32_t *chunks,
                        size_t count, struct strbuf *out);

#endif
