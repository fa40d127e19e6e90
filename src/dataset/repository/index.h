/* SPDX-License-Identifier: Apache-2.0 */
/* index - of what chunks an image is made, so that each can be verified by itself.
 *
 *     header  "barodidx", version, sizes, image's SHA-256, root, number, XXH3
 *     chunk   size u32, SHA-256      as many as stated, in the order of the image
 *
 * The root is that of a Merkle tree (RFC 6962): a leaf is SHA-256(0, offset u64, size
 * u32, the chunk's SHA-256), an inner node SHA-256(1, left, right).  Little endian.
 */
#ifndef DATASET_REPOSITORY_INDEX_H
#define DATASET_REPOSITORY_INDEX_H

#include "base/err.h"
#include "base/strbuf.h"
#include "dataset/image/image.h"

#include <stdint.h>

#define INDEX_CHUNKS_MAX (UINT32_C(1) << 28)
#define INDEX_HEAD_SIZE 104U
#define INDEX_CHUNK_SIZE 36U

struct index_chunk {
    uint64_t offset;
    uint32_t size;
    struct digest digest;
};

struct dataset_index {
    uint64_t image_bytes; /* the sum of all chunks */
    struct digest image;
    struct index_chunk *chunks;
    size_t count, capacity;
};

void dataset_index_done(struct dataset_index *index);
DEFINE_AUTO_DONE(struct dataset_index, dataset_index_done);

/* A chunk behind the others, of 1 .. CHUNK_SIZE_MAX bytes.  Errors: -ENOMEM, -EFBIG. */
int dataset_index_add(struct dataset_index *index, uint32_t size,
                      const struct digest *digest);
/* Of an empty one SHA-256 of nothing.  Errors: -ENOMEM. */
int dataset_index_root(const struct dataset_index *index, struct digest *ret);
int dataset_index_encode(const struct dataset_index *index, struct strbuf *out);
/* ret is empty before.  What is decoded has the root that it states.
 * Errors: -EBADMSG with a line, -ENOMEM. */
int dataset_index_decode(struct span bytes, struct dataset_index *ret, struct err *err);
/* The number of the chunk that has the byte at offset; count: none has. */
size_t dataset_index_find(const struct dataset_index *index, uint64_t offset);

#endif
