/* SPDX-License-Identifier: Apache-2.0 */
/* pack - a file of chunks: written once, read by position, never changed.
 *
 *     header  "barodpck", version u32, header size u32, number u64, XXH3 u64
 *     record  stored u32, size u32, SHA-256 of the chunk, XXH3 of these 40 bytes and
 * the stored ones, then the stored bytes: zstd, or as they are where stored = size
 */
#ifndef DATASET_REPOSITORY_PACK_H
#define DATASET_REPOSITORY_PACK_H

#include "base/cleanup.h"
#include "base/err.h"
#include "dataset/image/image.h"
#include "dataset/repository/chunker.h"

#include <stdint.h>

#define PACK_HEADER_SIZE 32U
#define PACK_RECORD_HEAD_SIZE 48U
#define PACK_BYTES_MAX (UINT64_C(64) << 20)

/* Where a chunk is. */
struct pack_position {
    uint64_t pack;   /* its number */
    uint64_t offset; /* of the record */
    uint32_t stored; /* bytes in the pack, without the record's head */
    uint32_t size;
};

struct pack_writer;

/* A new file at path.  Errors: those of open and write, -ENOMEM. */
int pack_writer_new(const char *path, uint64_t number, struct pack_writer **ret,
                    struct err *err);
void pack_writer_free(struct pack_writer *writer);
DEFINE_AUTO(struct pack_writer, pack_writer_free);

int pack_writer_add(struct pack_writer *writer, const struct digest *digest,
                    const uint8_t *data, uint32_t size, struct pack_position *ret,
                    struct err *err);
uint64_t pack_writer_bytes(const struct pack_writer *writer);
uint64_t pack_writer_number(const struct pack_writer *writer);
/* All of it is on the disk. */
int pack_writer_sync(struct pack_writer *writer, struct err *err);

struct pack_reader;

int pack_reader_new(struct pack_reader **ret);
void pack_reader_free(struct pack_reader *reader);
DEFINE_AUTO(struct pack_reader, pack_reader_free);

/* The chunk at position of the pack fd, verified against digest, into data, of
 * CHUNK_SIZE_MAX bytes.  Errors: -EUCLEAN with a line (damaged), those of pread. */
int pack_read(struct pack_reader *reader, int fd, const struct pack_position *position,
              const struct digest *digest, uint8_t *data, struct err *err);
/* The same as it is stored, position->stored bytes: its checksum is compared alone. */
int pack_read_stored(struct pack_reader *reader, int fd,
                     const struct pack_position *position, const struct digest *digest,
                     uint8_t *stored, struct err *err);
/* Errors: -EUCLEAN. */
int pack_header_check(int fd, uint64_t number, struct err *err);

#endif
