/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_dataset_pack - records of a pack that another user wrote: what is read is what
 * its SHA-256 states, and nothing is written behind the chunk's end.
 *
 *     input  stored u32, size u32, what to repair u8, the stored bytes
 */
#include "base/file.h"
#include "base/span.h"
#include "dataset/repository/pack.h"
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#define INPUT_HEAD_SIZE 9U
#define GUARD 0xA5

enum { REPAIR_SIZES = 1, REPAIR_CHECKSUM = 2, REPAIR_DIGEST = 4, CUT_END = 8 };

/* The record's head as the pack has it, right where the input wants it so. */
static void head_write(uint8_t *record, const struct pack_position *stated,
                       const struct digest *digest, uint8_t repair)
{
    uint32_t stored = stated->stored, size = stated->size;
    if (!(repair & REPAIR_SIZES))
        size ^= 1;
    memcpy(record, &stored, sizeof stored);
    memcpy(record + 4, &size, sizeof size);
    memcpy(record + 8, digest->bytes, DIGEST_SIZE);
    uint64_t hash = XXH3_64bits_withSeed(record + PACK_RECORD_HEAD_SIZE, stored,
                                         XXH3_64bits(record, 40));
    if (!(repair & REPAIR_CHECKSUM))
        hash ^= 1;
    memcpy(record + 40, &hash, sizeof hash);
}

static void record_check(struct pack_reader *reader, int fd,
                         const struct pack_position *at, const struct digest *digest)
{
    static uint8_t data[CHUNK_SIZE_MAX + 64];
    struct digest made;
    struct err err = { 0 };
    memset(data + at->size, GUARD, 64);
    if (pack_read(reader, fd, at, digest, data, &err) < 0)
        fuzz_check(err.text[0] != '\0');
    else
        fuzz_check(digest_of(data, at->size, &made) == 0 && digest_eq(&made, digest));
    for (size_t i = 0; i < 64; i++)
        fuzz_check(data[at->size + i] == GUARD);
    (void)pack_read_stored(reader, fd, at, digest, data, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t record[PACK_RECORD_HEAD_SIZE + CHUNK_SIZE_MAX];
    struct pack_position at = { .pack = 1 };
    AUTO(pack_reader_free) struct pack_reader *reader = NULL;
    AUTO_CLOSE int fd = memfd_create("pack", MFD_CLOEXEC);
    struct digest digest = { { 0 } };
    struct err err = { 0 };
    if (size < INPUT_HEAD_SIZE || size - INPUT_HEAD_SIZE > CHUNK_SIZE_MAX)
        return 0;
    fuzz_check(fd >= 0 && pack_reader_new(&reader) == 0);
    /* As bytes: a header, and a record at the front. */
    fuzz_check(file_write_all(fd, data, size) == 0);
    (void)pack_header_check(fd, 1, &err);
    memcpy(&at.stored, data, 4);
    memcpy(&at.size, data + 4, 4);
    if (at.size <= CHUNK_SIZE_MAX)
        record_check(reader, fd, &at, &digest);
    /* As what is stored of a record whose head is right. */
    uint8_t repair = data[8];
    if (repair & REPAIR_SIZES) {
        at.stored = (uint32_t)(size - INPUT_HEAD_SIZE);
        at.size = at.size % CHUNK_SIZE_MAX + 1;
    }
    if (at.stored > CHUNK_SIZE_MAX || at.size > CHUNK_SIZE_MAX)
        return 0;
    memset(record, 0, PACK_RECORD_HEAD_SIZE + at.stored);
    memcpy(record + PACK_RECORD_HEAD_SIZE, data + INPUT_HEAD_SIZE,
           size - INPUT_HEAD_SIZE);
    if (repair & REPAIR_DIGEST && at.stored == at.size)
        fuzz_check(digest_of(record + PACK_RECORD_HEAD_SIZE, at.size, &digest) == 0);
    head_write(record, &at, &digest, repair);
    size_t whole = PACK_RECORD_HEAD_SIZE + at.stored;
    fuzz_check(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
    fuzz_check(file_write_all(fd, record, repair & CUT_END ? whole / 2 : whole) == 0);
    record_check(reader, fd, &at, &digest);
    return 0;
}
