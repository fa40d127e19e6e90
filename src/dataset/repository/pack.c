/* SPDX-License-Identifier: Apache-2.0 */
/* pack - a file of chunks: written once, read by position, never changed. */
#include "dataset/repository/pack.h"

#include "base/file.h"
#include "dataset/repository/bytes.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#define MAGIC "barodpck"
#define VERSION 1U
#define HEADER_HASH_AT 24U
#define RECORD_HASH_AT 40U
#define ZSTD_LEVEL 3
#define STORED_MAX (CHUNK_SIZE_MAX)

struct pack_writer {
    int fd;
    uint64_t number, bytes;
    ZSTD_CCtx *zstd;
    uint8_t record[PACK_RECORD_HEAD_SIZE + ZSTD_COMPRESSBOUND(CHUNK_SIZE_MAX)];
};

static uint64_t record_hash(const uint8_t *record, uint32_t stored)
{
    uint64_t head = XXH3_64bits(record, RECORD_HASH_AT);
    return XXH3_64bits_withSeed(record + PACK_RECORD_HEAD_SIZE, stored, head);
}

int pack_writer_new(const char *path, uint64_t number, struct pack_writer **ret,
                    struct err *err)
{
    uint8_t header[PACK_HEADER_SIZE] = { 0 };
    AUTO(pack_writer_free) struct pack_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return -ENOMEM;
    writer->number = number;
    writer->zstd = ZSTD_createCCtx();
    writer->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (!writer->zstd)
        return -ENOMEM;
    if (writer->fd < 0)
        return err_set(err, errno, "create '%s': %s", path, strerror(errno));
    memcpy(header, MAGIC, 8);
    bytes_put_u32(header + 8, VERSION);
    bytes_put_u32(header + 12, PACK_HEADER_SIZE);
    bytes_put_u64(header + 16, number);
    bytes_put_u64(header + HEADER_HASH_AT, XXH3_64bits(header, HEADER_HASH_AT));
    int rc = file_write_all(writer->fd, header, sizeof header);
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", path, strerror(-rc));
    writer->bytes = sizeof header;
    *ret = TAKE(writer);
    return 0;
}

void pack_writer_free(struct pack_writer *writer)
{
    if (!writer)
        return;
    auto_close(&writer->fd);
    (void)ZSTD_freeCCtx(writer->zstd);
    free(writer);
}

int pack_writer_add(struct pack_writer *writer, const struct digest *digest,
                    const uint8_t *data, uint32_t size, struct pack_position *ret,
                    struct err *err)
{
    uint8_t *payload = writer->record + PACK_RECORD_HEAD_SIZE;
    size_t stored =
        ZSTD_compressCCtx(writer->zstd, payload, ZSTD_COMPRESSBOUND(CHUNK_SIZE_MAX),
                          data, size, ZSTD_LEVEL);
    if (ZSTD_isError(stored) || stored > size - size / 20) { /* saves less than 5 % */
        memcpy(payload, data, size);
        stored = size;
    }
    bytes_put_u32(writer->record, (uint32_t)stored);
    bytes_put_u32(writer->record + 4, size);
    memcpy(writer->record + 8, digest->bytes, DIGEST_SIZE);
    bytes_put_u64(writer->record + RECORD_HASH_AT,
                  record_hash(writer->record, (uint32_t)stored));
    int rc = file_write_all(writer->fd, writer->record, PACK_RECORD_HEAD_SIZE + stored);
    if (rc < 0)
        return err_set(err, -rc, "write pack %" PRIu64 ": %s", writer->number,
                       strerror(-rc));
    *ret = (struct pack_position){ .pack = writer->number,
                                   .offset = writer->bytes,
                                   .stored = (uint32_t)stored,
                                   .size = size };
    writer->bytes += PACK_RECORD_HEAD_SIZE + stored;
    return 0;
}

uint64_t pack_writer_bytes(const struct pack_writer *writer)
{
    return writer->bytes;
}

uint64_t pack_writer_number(const struct pack_writer *writer)
{
    return writer->number;
}

int pack_writer_sync(struct pack_writer *writer, struct err *err)
{
    if (fdatasync(writer->fd) < 0)
        return err_set(err, file_error(errno), "sync pack %" PRIu64 ": %s",
                       writer->number, strerror(errno));
    return 0;
}

/* ---- reading ---- */

struct pack_reader {
    ZSTD_DCtx *zstd;
    uint8_t record[PACK_RECORD_HEAD_SIZE + STORED_MAX];
};

int pack_reader_new(struct pack_reader **ret)
{
    AUTO(pack_reader_free) struct pack_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return -ENOMEM;
    reader->zstd = ZSTD_createDCtx();
    if (!reader->zstd)
        return -ENOMEM;
    *ret = TAKE(reader);
    return 0;
}

void pack_reader_free(struct pack_reader *reader)
{
    if (!reader)
        return;
    (void)ZSTD_freeDCtx(reader->zstd);
    free(reader);
}

static int damaged(struct err *err, uint64_t offset, const char *what)
{
    return err_set(err, EUCLEAN, "byte %" PRIu64 ": %s", offset, what);
}

static int read_at(int fd, uint8_t *data, size_t size, uint64_t offset, struct err *err)
{
    while (size) {
        ssize_t count = pread(fd, data, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return err_set(err, errno, "byte %" PRIu64 ": %s", offset, strerror(errno));
        if (count == 0)
            return damaged(err, offset, "the file ends here");
        data += count;
        offset += (uint64_t)count;
        size -= (size_t)count;
    }
    return 0;
}

static int record_decode(struct pack_reader *reader,
                         const struct pack_position *position,
                         const struct digest *digest, uint8_t *data, struct err *err)
{
    const uint8_t *record = reader->record;
    const uint8_t *payload = record + PACK_RECORD_HEAD_SIZE;
    struct digest made;
    if (position->stored == position->size)
        memcpy(data, payload, position->size);
    else if (ZSTD_decompressDCtx(reader->zstd, data, position->size, payload,
                                 position->stored) != position->size)
        return damaged(err, position->offset, "a record cannot be decompressed");
    int rc = digest_of(data, position->size, &made);
    if (rc == 0 && !digest_eq(&made, digest))
        return damaged(err, position->offset, "a chunk is not what its SHA-256 states");
    return rc;
}

static bool is_possible(const struct pack_position *position)
{
    return position->size > 0 && position->size <= CHUNK_SIZE_MAX &&
           position->stored > 0 && position->stored <= position->size;
}

/* The record at position, of which the head is as it has to be. */
static int record_read(struct pack_reader *reader, int fd,
                       const struct pack_position *position,
                       const struct digest *digest, struct err *err)
{
    if (!is_possible(position))
        return damaged(err, position->offset, "a size that is not possible");
    int rc = read_at(fd, reader->record, PACK_RECORD_HEAD_SIZE + position->stored,
                     position->offset, err);
    if (rc < 0)
        return rc;
    if (bytes_u32(reader->record) != position->stored ||
        bytes_u32(reader->record + 4) != position->size ||
        memcmp(reader->record + 8, digest->bytes, DIGEST_SIZE) != 0)
        return damaged(err, position->offset, "this is another record");
    if (bytes_u64(reader->record + RECORD_HASH_AT) !=
        record_hash(reader->record, position->stored))
        return damaged(err, position->offset, "a record's checksum is wrong");
    return 0;
}

int pack_read(struct pack_reader *reader, int fd, const struct pack_position *position,
              const struct digest *digest, uint8_t *data, struct err *err)
{
    int rc = record_read(reader, fd, position, digest, err);
    return rc < 0 ? rc : record_decode(reader, position, digest, data, err);
}

int pack_read_stored(struct pack_reader *reader, int fd,
                     const struct pack_position *position, const struct digest *digest,
                     uint8_t *stored, struct err *err)
{
    int rc = record_read(reader, fd, position, digest, err);
    if (rc == 0)
        memcpy(stored, reader->record + PACK_RECORD_HEAD_SIZE, position->stored);
    return rc;
}

int pack_header_check(int fd, uint64_t number, struct err *err)
{
    uint8_t header[PACK_HEADER_SIZE];
    int rc = read_at(fd, header, sizeof header, 0, err);
    if (rc < 0)
        return rc;
    if (memcmp(header, MAGIC, 8) != 0 ||
        bytes_u64(header + HEADER_HASH_AT) != XXH3_64bits(header, HEADER_HASH_AT))
        return damaged(err, 0, "its header is damaged");
    if (bytes_u32(header + 8) != VERSION || bytes_u32(header + 12) != PACK_HEADER_SIZE)
        return damaged(err, 0, "its version is not known");
    return bytes_u64(header + 16) == number ? 0
                                            : damaged(err, 16, "it has another number");
}
