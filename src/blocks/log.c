/* SPDX-License-Identifier: Apache-2.0 */
/* log - a file of checked records. */
#include "blocks/log.h"

#include "base/file.h"
#include "base/span.h"

#include <endian.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <xxhash.h>

#define LOG_MAGIC "barolog\n"
#define LOG_VERSION 1
#define CHECKED_SIZE offsetof(struct log_header, checksum)

struct log_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint64_t number;
    uint64_t kind;
    uint64_t checksum; /* XXH3 of what stands before */
};

/* The checksum covers size and payload, and is seeded with the segment and the offset,
 * so that neither an old segment's record nor one moved is taken for one of these. */
struct record_header {
    uint32_t size;
    uint32_t reserved;
    uint64_t checksum;
};

struct log {
    int fd;
    uint64_t number;
    uint64_t size;
    _Atomic bool has_failed;
};

static uint64_t record_checksum(uint64_t number, uint64_t offset, const void *payload,
                                size_t size)
{
    uint64_t seed =
        number * UINT64_C(0x9E3779B97F4A7C15) ^ offset ^ (uint64_t)size << 40;
    return XXH3_64bits_withSeed(payload, size, seed);
}

void log_close(struct log *log)
{
    if (!log)
        return;
    auto_close(&log->fd);
    free(log);
}

static int sync_directory_of(const char *path, struct err *err)
{
    AUTO_FREE char *dir = strdup(path);
    if (!dir)
        return err_set(err, ENOMEM, "out of memory");
    char *slash = strrchr(dir, '/');
    if (slash)
        *slash = '\0';
    return file_sync_dir(!slash ? "." : slash == dir ? "/" : dir, err);
}

int log_create(const char *path, enum log_kind kind, uint64_t number, struct log **ret,
               struct err *err)
{
    struct log_header header = {
        .magic = { 'b', 'a', 'r', 'o', 'l', 'o', 'g', '\n' },
        .version = htole32(LOG_VERSION),
        .header_size = htole32(sizeof header),
        .number = htole64(number),
        .kind = htole64(kind),
    };
    header.checksum = htole64(XXH3_64bits(&header, CHECKED_SIZE));
    AUTO(log_close) struct log *log = calloc(1, sizeof *log);
    if (!log)
        return err_set(err, ENOMEM, "out of memory");
    log->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0640);
    if (log->fd < 0)
        return err_set(err, -file_error(errno), "create '%s': %s", path,
                       strerror(errno));
    int rc = file_write_all(log->fd, &header, sizeof header);
    if (rc == 0 && fdatasync(log->fd) < 0)
        rc = file_error(errno);
    if (rc < 0)
        (void)err_set(err, -rc, "write '%s': %s", path, strerror(-rc));
    else
        rc = sync_directory_of(path, err);
    if (rc < 0) {
        (void)unlink(path);
        return rc;
    }
    log->number = number;
    log->size = sizeof header;
    *ret = TAKE(log);
    return 0;
}

int log_append(struct log *log, struct span payload)
{
    if (payload.size == 0 || payload.size > LOG_RECORD_BYTES_MAX)
        return -EMSGSIZE;
    if (atomic_load(&log->has_failed))
        return -EROFS;
    struct record_header header = {
        .size = htole32((uint32_t)payload.size),
        .checksum = htole64(
            record_checksum(log->number, log->size, payload.data, payload.size)),
    };
    struct iovec parts[] = {
        { &header, sizeof header },
        { (void *)(uintptr_t)payload.data, payload.size },
    };
    size_t size = sizeof header + payload.size;
    ssize_t written = writev(log->fd, parts, COUNT_OF(parts));
    if (written == (ssize_t)size) {
        log->size += size;
        return 0;
    }
    int rc = written < 0 ? file_error(errno) : -ENOSPC;
    /* What was written in part goes again, so that the next segment's reader finds a
     * whole one; where even that fails it is a torn tail. */
    if (ftruncate(log->fd, (off_t)log->size) < 0 || rc != -ENOSPC)
        atomic_store(&log->has_failed, true);
    return rc;
}

int log_sync(struct log *log)
{
    if (atomic_load(&log->has_failed))
        return -EROFS;
    if (fdatasync(log->fd) == 0)
        return 0;
    int rc = -errno;
    atomic_store(&log->has_failed, true);
    return rc;
}

bool log_has_failed(const struct log *log)
{
    return atomic_load(&log->has_failed);
}

uint64_t log_size(const struct log *log)
{
    return log->size;
}

static int check_header(const char *path, struct span file, struct log_read *ret,
                        struct err *err)
{
    struct log_header header;
    if (file.size < sizeof header || memcmp(file.data, LOG_MAGIC, 8) != 0)
        return err_set(err, EBADMSG, "'%s' is not a log file", path);
    memcpy(&header, file.data, sizeof header);
    if (le32toh(header.version) != LOG_VERSION)
        return err_set(err, EBADMSG, "'%s' is a log of version %u, this reads %d", path,
                       le32toh(header.version), LOG_VERSION);
    if (le64toh(header.checksum) != XXH3_64bits(&header, CHECKED_SIZE) ||
        le32toh(header.header_size) != sizeof header)
        return err_set(err, EBADMSG, "'%s': its header is damaged", path);
    if (le64toh(header.kind) >= LOG_KIND_COUNT)
        return err_set(err, EBADMSG, "'%s' is of a kind this does not know", path);
    ret->kind = (enum log_kind)le64toh(header.kind);
    ret->number = le64toh(header.number);
    return 0;
}

/* What a file system may make a file longer by when it loses what was written: a block.
 */
#define BLOCK_SIZE_MAX ((size_t)64 << 10)

static bool is_zeros(struct span bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        if (bytes.data[i] != 0)
            return false;
    }
    return true;
}

/* A file whose header was never whole: log_create() had not returned, so that nothing
 * was in it.  Some first bytes of the header may be there, and zeros behind them. */
static bool is_unborn(struct span file)
{
    size_t written = file.size;
    if (file.size > BLOCK_SIZE_MAX)
        return false;
    while (written > 0 && file.data[written - 1] == 0)
        written--;
    struct log_read read;
    return written < sizeof(struct log_header) &&
           memcmp(file.data, LOG_MAGIC, written < 8 ? written : 8) == 0 &&
           check_header("", file, &read, NULL) < 0;
}

#define SECTOR_BYTES 512

/* Whether a record at offset of the file lacks a sector: it is zeros, as one that never
 * reached the disk. */
static bool lacks_sector(struct span record, uint64_t offset)
{
    while (record.size > 0) {
        size_t size = SECTOR_BYTES - offset % SECTOR_BYTES;
        struct span sector = { record.data, size < record.size ? size : record.size };
        if (is_zeros(sector))
            return true;
        record = span_skip(record, sector.size);
        offset += sector.size;
    }
    return false;
}

/* What looking for a record may hash: bytes that look like headers, such as numbers of
 * many zeros, would else have the rest of the file hashed for each of them. */
#define SEARCH_BYTES_MAX (2 * LOG_RECORD_BYTES_MAX)

struct search {
    uint64_t number;
    size_t hashed_bytes;
};

/* size: of its payload. */
static bool is_record_at(struct search *search, struct span rest, uint64_t offset,
                         size_t size)
{
    struct record_header header;
    memcpy(&header, rest.data, sizeof header);
    if (size == 0 || size > rest.size - sizeof header || size > LOG_RECORD_BYTES_MAX ||
        header.reserved != 0)
        return false;
    search->hashed_bytes += size;
    return search->hashed_bytes > SEARCH_BYTES_MAX ||
           le64toh(header.checksum) ==
               record_checksum(search->number, offset, rest.data + sizeof header, size);
}

/* What the file's end seems to cut is none that a crash leaves when its length alone
 * has changed: then its payload reaches up to the end and fits its checksum, or a
 * record that was appended later stands behind.  Where that cannot be found out it is
 * taken for damage, of which nothing is cut. */
static bool is_length_damaged(struct span rest, uint64_t number, uint64_t offset)
{
    struct search search = { .number = number };
    struct record_header header;
    if (rest.size <= sizeof header)
        return false;
    if (is_record_at(&search, rest, offset, rest.size - sizeof header))
        return true;
    for (size_t i = 1; i < rest.size - sizeof header; i++) {
        struct span at = span_skip(rest, i);
        memcpy(&header, at.data, sizeof header);
        if (is_record_at(&search, at, offset + i, le32toh(header.size)))
            return true;
    }
    return false;
}

/* A crash leaves a record that the file's end cuts, or one whose pages never came, or
 * not all of them: then there are zeros up to the end. */
static enum log_end end_of(struct span rest, uint64_t need, const struct log_read *read)
{
    if (rest.size == 0)
        return LOG_WHOLE;
    if (is_zeros(rest))
        return LOG_TORN;
    return need > rest.size && !is_length_damaged(rest, read->number, read->good_bytes)
               ? LOG_TORN
               : LOG_DAMAGED;
}

/* Of a record that is all there, and does not fit its checksum. */
static enum log_end end_of_changed(struct span rest, uint64_t need,
                                   const struct log_read *read)
{
    struct span behind = span_skip(rest, need);
    rest.size = need;
    bool is_torn =
        behind.size > 0 ? is_zeros(behind) : lacks_sector(rest, read->good_bytes);
    return is_torn ? LOG_TORN : LOG_DAMAGED;
}

static void note_left(struct span rest, struct log_read *ret)
{
    ret->left_bytes = rest.size;
    ret->has_left_data = rest.size > sizeof(struct record_header) && !is_zeros(rest);
}

static int read_records(struct span file, log_record_fn *fn, void *arg,
                        struct log_read *ret)
{
    uint64_t need = 0;
    for (;;) {
        struct span rest = span_skip(file, ret->good_bytes);
        struct record_header header = { 0 };
        need = sizeof header;
        if (rest.size >= sizeof header) {
            memcpy(&header, rest.data, sizeof header);
            need += le32toh(header.size);
        }
        struct span payload = span_skip(rest, sizeof header);
        bool is_whole = rest.size >= sizeof header && need <= rest.size &&
                        need > sizeof header && header.reserved == 0;
        if (!is_whole || need > sizeof header + LOG_RECORD_BYTES_MAX) {
            ret->end = end_of(rest, need, ret);
            note_left(rest, ret);
            return 0;
        }
        payload.size = need - sizeof header;
        if (le64toh(header.checksum) !=
            record_checksum(ret->number, ret->good_bytes, payload.data, payload.size)) {
            ret->end = end_of_changed(rest, need, ret);
            note_left(rest, ret);
            return 0;
        }
        int rc = fn(arg, payload);
        if (rc != 0)
            return rc;
        ret->records++;
        ret->good_bytes += need;
    }
}

int log_read(const char *path, log_record_fn *fn, void *arg, struct log_read *ret,
             struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    if (st.st_size == 0) {
        *ret = (struct log_read){ .end = LOG_TORN };
        return 0;
    }
    size_t size = (size_t)st.st_size;
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return err_set(err, errno, "map '%s': %s", path, strerror(errno));
    struct span file = { map, size };
    struct log_read result = { .good_bytes = sizeof(struct log_header) };
    bool is_born = !is_unborn(file);
    int rc = is_born ? check_header(path, file, &result, err) : 0;
    if (!is_born)
        result = (struct log_read){ .end = LOG_TORN };
    else if (rc == 0)
        rc = read_records(file, fn, arg, &result);
    (void)munmap(map, size);
    if (rc == 0)
        *ret = result;
    return rc;
}
