/* SPDX-License-Identifier: Apache-2.0 */
/* index - of what chunks an image is made, so that each can be verified by itself. */
#include "dataset/repository/index.h"

#include "dataset/repository/bytes.h"
#include "dataset/repository/chunker.h"

#include <string.h>
#include <xxhash.h>

#define MAGIC "barodidx"
#define VERSION 1U
#define HEADER_SIZE INDEX_HEAD_SIZE
#define HASH_AT 96U
#define ENTRY_SIZE INDEX_CHUNK_SIZE

void dataset_index_done(struct dataset_index *index)
{
    free(index->chunks);
    *index = (struct dataset_index){ 0 };
}

int dataset_index_add(struct dataset_index *index, uint32_t size,
                      const struct digest *digest)
{
    if (index->count == INDEX_CHUNKS_MAX)
        return -EFBIG;
    if (index->count == index->capacity) {
        size_t capacity = index->capacity ? index->capacity * 2 : 256;
        struct index_chunk *more =
            reallocarray(index->chunks, capacity, sizeof index->chunks[0]);
        if (!more)
            return -ENOMEM;
        index->chunks = more;
        index->capacity = capacity;
    }
    index->chunks[index->count++] = (struct index_chunk){
        .offset = index->image_bytes,
        .size = size,
        .digest = *digest,
    };
    index->image_bytes += size;
    return 0;
}

static int leaf_digest(const struct index_chunk *chunk, struct digest *ret)
{
    uint8_t leaf[1 + 8 + 4 + DIGEST_SIZE] = { 0 };
    bytes_put_u64(leaf + 1, chunk->offset);
    bytes_put_u32(leaf + 9, chunk->size);
    memcpy(leaf + 13, chunk->digest.bytes, DIGEST_SIZE);
    return digest_of(leaf, sizeof leaf, ret);
}

static int node_digest(const struct digest *left, const struct digest *right,
                       struct digest *ret)
{
    uint8_t node[1 + 2 * DIGEST_SIZE] = { 1 };
    memcpy(node + 1, left->bytes, DIGEST_SIZE);
    memcpy(node + 1 + DIGEST_SIZE, right->bytes, DIGEST_SIZE);
    return digest_of(node, sizeof node, ret);
}

/* Level by level: a last one that stands alone goes up as it is, which is the tree
 * of RFC 6962. */
int dataset_index_root(const struct dataset_index *index, struct digest *ret)
{
    size_t count = index->count;
    int rc = 0;
    if (count == 0)
        return digest_of("", 0, ret);
    AUTO_FREE struct digest *level = calloc(count, sizeof level[0]);
    if (!level)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = leaf_digest(&index->chunks[i], &level[i]);
    while (rc == 0 && count > 1) {
        for (size_t i = 0; rc == 0 && i + 1 < count; i += 2)
            rc = node_digest(&level[i], &level[i + 1], &level[i / 2]);
        if (count % 2)
            level[count / 2] = level[count - 1];
        count = (count + 1) / 2;
    }
    if (rc == 0)
        *ret = level[0];
    return rc;
}

int dataset_index_encode(const struct dataset_index *index, struct strbuf *out)
{
    uint8_t header[HEADER_SIZE] = { 0 }, entry[ENTRY_SIZE];
    struct digest root;
    int rc = dataset_index_root(index, &root);
    if (rc < 0)
        return rc;
    memcpy(header, MAGIC, 8);
    bytes_put_u32(header + 8, VERSION);
    bytes_put_u32(header + 12, HEADER_SIZE);
    bytes_put_u64(header + 16, index->image_bytes);
    memcpy(header + 24, index->image.bytes, DIGEST_SIZE);
    memcpy(header + 56, root.bytes, DIGEST_SIZE);
    bytes_put_u64(header + 88, index->count);
    bytes_put_u64(header + HASH_AT, XXH3_64bits(header, HASH_AT));
    strbuf_add(out, header, sizeof header);
    for (size_t i = 0; i < index->count; i++) {
        bytes_put_u32(entry, index->chunks[i].size);
        memcpy(entry + 4, index->chunks[i].digest.bytes, DIGEST_SIZE);
        strbuf_add(out, entry, sizeof entry);
    }
    return strbuf_error(out);
}

static int header_decode(const uint8_t *p, size_t size, uint64_t *ret_count,
                         struct err *err)
{
    if (size < HEADER_SIZE || memcmp(p, MAGIC, 8) != 0)
        return err_set(err, EBADMSG, "index: this is none");
    if (bytes_u32(p + 8) != VERSION)
        return err_set(err, EBADMSG, "index: version %u is not known",
                       bytes_u32(p + 8));
    if (bytes_u32(p + 12) != HEADER_SIZE ||
        XXH3_64bits(p, HASH_AT) != bytes_u64(p + HASH_AT))
        return err_set(err, EBADMSG, "index: its header is damaged");
    uint64_t count = bytes_u64(p + 88);
    if (count > INDEX_CHUNKS_MAX || count * ENTRY_SIZE != size - HEADER_SIZE)
        return err_set(err, EBADMSG, "index: it is not as long as it states");
    *ret_count = count;
    return 0;
}

int dataset_index_decode(struct span bytes, struct dataset_index *ret, struct err *err)
{
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    const uint8_t *p = (const uint8_t *)bytes.data;
    struct digest root, digest;
    uint64_t count = 0;
    int rc = header_decode(p, bytes.size, &count, err);
    for (uint64_t i = 0; rc == 0 && i < count; i++) {
        const uint8_t *entry = p + HEADER_SIZE + i * ENTRY_SIZE;
        uint32_t size = bytes_u32(entry);
        if (size == 0 || size > CHUNK_SIZE_MAX)
            return err_set(err, EBADMSG, "index: a chunk of %u bytes", size);
        memcpy(digest.bytes, entry + 4, DIGEST_SIZE);
        rc = dataset_index_add(&index, size, &digest);
    }
    if (rc == 0)
        rc = dataset_index_root(&index, &root);
    if (rc < 0)
        return rc;
    if (index.image_bytes != bytes_u64(p + 16))
        return err_set(err, EBADMSG, "index: its chunks are not as long as the image");
    if (memcmp(root.bytes, p + 56, DIGEST_SIZE) != 0)
        return err_set(err, EBADMSG, "index: its chunks do not have its root");
    memcpy(index.image.bytes, p + 24, DIGEST_SIZE);
    *ret = index;
    index = (struct dataset_index){ 0 };
    return 0;
}

size_t dataset_index_find(const struct dataset_index *index, uint64_t offset)
{
    size_t low = 0, high = index->count;
    if (offset >= index->image_bytes)
        return index->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (index->chunks[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}
