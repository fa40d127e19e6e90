/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - the bytes of a file as they were before somebody packed it. */
#include "base/unpack.h"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define PACKED_BYTES ((size_t)65536)
#define MAGIC_BYTES 8
#define XZ_MEMORY_MAX ((uint64_t)256 << 20)

enum packer { PACKER_NONE, PACKER_GZIP, PACKER_ZSTD, PACKER_BZIP2, PACKER_XZ };

struct unpack {
    const char *path;
    int fd;
    enum packer packer;
    bool is_ended;   /* the file has no more bytes */
    bool in_piece;   /* a packed piece has begun and not ended */
    bool was_full;   /* the packer may hold more without new bytes */
    bool has_engine; /* one of those below is to be given back */
    z_stream z;
    bz_stream bz;
    lzma_stream xz;
    ZSTD_DStream *zstd;
    size_t at, size; /* of packed */
    unsigned char packed[PACKED_BYTES];
};

/* ---- what a file is ---- */

struct magic {
    const char *bytes;
    size_t size;
    enum packer packer;
    const char *remedy; /* NULL: it can be read */
};

static const struct magic magics[] = {
    { "\x1f\x8b", 2, PACKER_GZIP, NULL },
    { "\x28\xb5\x2f\xfd", 4, PACKER_ZSTD, NULL },
    { "BZh", 3, PACKER_BZIP2, NULL },
    { "\xfd"
      "7zXZ\0",
      6, PACKER_XZ, NULL },
    { "PK\x03\x04", 4, PACKER_NONE,
      "is a ZIP archive, or a workbook: unpack it, or save its sheet as CSV" },
    { "SQLite f", 8, PACKER_NONE,
      "is an SQLite database: sqlite3 -csv -header FILE 'select ...' writes a table" },
    { "PAR1", 4, PACKER_NONE, "is a Parquet file: write it as CSV first" },
    { "\x89HDF\r\n\x1a\n", 8, PACKER_NONE, "is an HDF5 file: write it as CSV first" },
    { "\xff\xfe", 2, PACKER_NONE, "is UTF-16: iconv -f UTF-16 -t UTF-8 makes it text" },
    { "\xfe\xff", 2, PACKER_NONE, "is UTF-16: iconv -f UTF-16 -t UTF-8 makes it text" },
};

/* More bytes behind those that are there. */
static int refill(struct unpack *u, struct err *err)
{
    if (u->at > 0) {
        memmove(u->packed, u->packed + u->at, u->size - u->at);
        u->size -= u->at;
        u->at = 0;
    }
    while (!u->is_ended && u->size < PACKED_BYTES) {
        ssize_t got = read(u->fd, u->packed + u->size, PACKED_BYTES - u->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set(err, errno, "%s: %s", u->path, strerror(errno));
        u->is_ended = got == 0;
        u->size += (size_t)got;
        if (u->size >= MAGIC_BYTES)
            break;
    }
    return 0;
}

static int packer_find(struct unpack *u, struct err *err)
{
    int rc = refill(u, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < COUNT_OF(magics); i++) {
        const struct magic *m = &magics[i];
        if (u->size < m->size || memcmp(u->packed, m->bytes, m->size) != 0)
            continue;
        if (m->remedy)
            return err_set(err, EBADMSG, "%s: %s", u->path, m->remedy);
        u->packer = m->packer;
    }
    return 0;
}

int unpack_open(const char *path, struct unpack **ret, struct err *err)
{
    AUTO(unpack_close) struct unpack *u = malloc(sizeof *u);
    if (!u)
        return err_set(err, ENOMEM, "%s: out of memory", path);
    memset(u, 0, offsetof(struct unpack, packed));
    u->path = path;
    u->fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                   : open(path, O_RDONLY | O_CLOEXEC);
    if (u->fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    int rc = packer_find(u, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(u);
    return 0;
}

/* ---- one step of each packer ---- */

static void engine_end(struct unpack *u)
{
    if (!u->has_engine)
        return;
    switch (u->packer) {
    case PACKER_GZIP:
        (void)inflateEnd(&u->z);
        break;
    case PACKER_BZIP2:
        (void)BZ2_bzDecompressEnd(&u->bz);
        break;
    case PACKER_XZ:
        lzma_end(&u->xz);
        break;
    default:
        (void)ZSTD_freeDStream(u->zstd);
    }
    u->has_engine = false;
}

void unpack_close(struct unpack *u)
{
    if (!u)
        return;
    engine_end(u);
    if (u->fd >= 0)
        (void)close(u->fd);
    free(u);
}

/* A new piece begins. */
static int piece_begin(struct unpack *u)
{
    int rc = 0;
    engine_end(u);
    switch (u->packer) {
    case PACKER_GZIP:
        u->z = (z_stream){ 0 };
        rc = inflateInit2(&u->z, 15 + 16) == Z_OK ? 0 : -ENOMEM; /* 16: gzip's head */
        break;
    case PACKER_BZIP2:
        u->bz = (bz_stream){ 0 };
        rc = BZ2_bzDecompressInit(&u->bz, 0, 0) == BZ_OK ? 0 : -ENOMEM;
        break;
    case PACKER_XZ:
        u->xz = (lzma_stream)LZMA_STREAM_INIT;
        rc = lzma_stream_decoder(&u->xz, XZ_MEMORY_MAX, 0) == LZMA_OK ? 0 : -ENOMEM;
        break;
    default:
        u->zstd = ZSTD_createDStream();
        rc = u->zstd ? 0 : -ENOMEM;
    }
    u->has_engine = u->in_piece = rc == 0;
    return rc;
}

static int gzip_step(struct unpack *u, void *out, size_t *room)
{
    u->z.next_in = u->packed + u->at;
    u->z.avail_in = (uInt)(u->size - u->at);
    u->z.next_out = out;
    u->z.avail_out = (uInt)*room;
    int rc = inflate(&u->z, Z_NO_FLUSH);
    u->at = u->size - u->z.avail_in;
    *room = u->z.avail_out;
    u->in_piece = rc != Z_STREAM_END;
    if (rc == Z_MEM_ERROR)
        return -ENOMEM;
    return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static int bzip2_step(struct unpack *u, void *out, size_t *room)
{
    u->bz.next_in = (char *)u->packed + u->at;
    u->bz.avail_in = (unsigned)(u->size - u->at);
    u->bz.next_out = out;
    u->bz.avail_out = (unsigned)*room;
    int rc = BZ2_bzDecompress(&u->bz);
    u->at = u->size - u->bz.avail_in;
    *room = u->bz.avail_out;
    u->in_piece = rc != BZ_STREAM_END;
    if (rc == BZ_MEM_ERROR)
        return -ENOMEM;
    return rc == BZ_OK || rc == BZ_STREAM_END ? 0 : -EBADMSG;
}

static int xz_step(struct unpack *u, void *out, size_t *room)
{
    u->xz.next_in = u->packed + u->at;
    u->xz.avail_in = u->size - u->at;
    u->xz.next_out = out;
    u->xz.avail_out = *room;
    lzma_ret rc = lzma_code(&u->xz, LZMA_RUN);
    u->at = u->size - u->xz.avail_in;
    *room = u->xz.avail_out;
    u->in_piece = rc != LZMA_STREAM_END;
    if (rc == LZMA_MEM_ERROR || rc == LZMA_MEMLIMIT_ERROR)
        return -ENOMEM;
    return rc == LZMA_OK || rc == LZMA_STREAM_END || rc == LZMA_BUF_ERROR ? 0
                                                                          : -EBADMSG;
}

static int zstd_step(struct unpack *u, void *out, size_t *room)
{
    ZSTD_inBuffer in = { u->packed + u->at, u->size - u->at, 0 };
    ZSTD_outBuffer made = { out, *room, 0 };
    size_t rc = ZSTD_decompressStream(u->zstd, &made, &in);
    u->at += in.pos;
    *room -= made.pos;
    if (ZSTD_isError(rc))
        return -EBADMSG;
    u->in_piece = rc != 0;
    return 0;
}

static int step(struct unpack *u, void *out, size_t *room)
{
    int rc = u->in_piece ? 0 : piece_begin(u);
    if (rc < 0)
        return rc;
    switch (u->packer) {
    case PACKER_GZIP:
        return gzip_step(u, out, room);
    case PACKER_BZIP2:
        return bzip2_step(u, out, room);
    case PACKER_XZ:
        return xz_step(u, out, room);
    default:
        return zstd_step(u, out, room);
    }
}

/* ---- reading ---- */

static ssize_t plain_read(struct unpack *u, void *out, size_t size)
{
    size_t there = u->size - u->at;
    if (size > there)
        size = there;
    memcpy(out, u->packed + u->at, size);
    u->at += size;
    return (ssize_t)size;
}

ssize_t unpack_read(struct unpack *u, void *ret, size_t size, struct err *err)
{
    for (;;) {
        int rc = u->at < u->size ? 0 : refill(u, err);
        if (rc < 0)
            return rc;
        if (u->packer == PACKER_NONE)
            return plain_read(u, ret, size);
        bool is_dry = u->at == u->size && !u->was_full;
        if (is_dry && u->is_ended && u->in_piece)
            return err_set(err, EBADMSG, "%s: the file is cut short", u->path);
        if (is_dry && u->is_ended)
            return 0;
        size_t room = size;
        if (!is_dry && (rc = step(u, ret, &room)) < 0)
            return err_set(err, -rc, "%s: %s", u->path,
                           rc == -ENOMEM ? "out of memory to unpack it"
                                         : "the file is damaged");
        u->was_full = room == 0 && u->in_piece;
        if (room < size)
            return (ssize_t)(size - room);
    }
}
