/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_dataset_index - of what chunks an image is made, as a peer states it: what is
 * decoded is encoded again as it was, and each byte of the image is in one chunk. */
#include "base/span.h"
#include "dataset/repository/chunker.h"
#include "dataset/repository/index.h"
#include "fuzz/fuzz.h"

static void chunks_check(const struct dataset_index *index)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct index_chunk *chunk = &index->chunks[i];
        fuzz_check(chunk->offset == offset);
        fuzz_check(chunk->size > 0 && chunk->size <= CHUNK_SIZE_MAX);
        fuzz_check(dataset_index_find(index, offset) == i);
        offset += chunk->size;
        fuzz_check(dataset_index_find(index, offset - 1) == i);
    }
    fuzz_check(offset == index->image_bytes);
    fuzz_check(dataset_index_find(index, offset) == index->count);
}

/* Chunks of sizes that the input has: the checksum and the root stand in the way of
 * what it has as bytes. */
static void own_check(struct span in)
{
    AUTO(dataset_index_done) struct dataset_index made = { 0 }, back = { 0 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct err err = { 0 };
    for (size_t at = 0; at + 4 <= in.size && made.count < 256; at += 4) {
        uint32_t size;
        struct digest digest = { { 0 } };
        memcpy(&size, in.data + at, sizeof size);
        memcpy(digest.bytes, in.data + at, 4);
        fuzz_check(dataset_index_add(&made, size % CHUNK_SIZE_MAX + 1, &digest) == 0);
    }
    chunks_check(&made);
    fuzz_check(dataset_index_encode(&made, &bytes) == 0);
    fuzz_check(dataset_index_decode(strbuf_span(&bytes), &back, &err) == 0);
    fuzz_check(back.count == made.count && back.image_bytes == made.image_bytes);
    /* One bit is another index, or none. */
    if (in.size) {
        AUTO(dataset_index_done) struct dataset_index damaged = { 0 };
        size_t at = (uint8_t)in.data[0] % bytes.size;
        bytes.data[at] = (char)(bytes.data[at] ^ (1 << (in.size % 8)));
        fuzz_check(dataset_index_decode(strbuf_span(&bytes), &damaged, &err) < 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    struct span in = { (const char *)data, size };
    struct err err = { 0 };
    own_check(in);
    if (dataset_index_decode(in, &index, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return 0;
    }
    chunks_check(&index);
    fuzz_check(dataset_index_encode(&index, &again) == 0);
    fuzz_check(span_eq(strbuf_span(&again), in));
    return 0;
}
