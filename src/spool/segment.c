/* SPDX-License-Identifier: Apache-2.0 */
/* segment - one file of the queue. */
#include "spool/segment.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "spool/spool.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#define RESYNC_BYTES 65536

void segment_path(const char *dir, uint64_t first, struct strbuf *out)
{
    strbuf_clear(out);
    strbuf_addf(out, "%s/%020" PRIu64 ".spool", dir, first);
}

int segment_open(const char *dir, uint64_t first, int flags, int *ret_fd,
                 struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    segment_path(dir, first, &path);
    if (strbuf_error(&path))
        return -ENOMEM;
    int fd = open(path.data, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path.data, strerror(errno));
    *ret_fd = fd;
    return 0;
}

static void header_bytes(uint64_t first, uint8_t out[static FRAME_HEADER_BYTES])
{
    struct frame_header header = {
        .kind = "spol",
        .version = SEGMENT_VERSION,
        .first = first,
    };
    frame_write_header(&header, out);
}

int segment_mend_header(int fd, uint64_t first)
{
    uint8_t bytes[FRAME_HEADER_BYTES];
    header_bytes(first, bytes);
    ssize_t n = pwrite(fd, bytes, sizeof bytes, 0);
    return n == (ssize_t)sizeof bytes ? 0 : n < 0 ? -errno : -EIO;
}

int segment_create(const char *dir, uint64_t first, struct segment *ret, int *ret_fd,
                   struct err *err)
{
    AUTO_CLOSE int fd = -1;
    int rc = segment_open(dir, first, O_RDWR | O_CREAT | O_TRUNC, &fd, err);
    if (rc < 0)
        return rc;
    uint8_t bytes[FRAME_HEADER_BYTES];
    header_bytes(first, bytes);
    rc = file_write_all(fd, bytes, sizeof bytes);
    if (rc < 0) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        segment_path(dir, first, &path);
        if (!strbuf_error(&path))
            (void)unlink(path.data);
        return err_set(err, -rc, "write '%s': %s", strbuf_text(&path), strerror(-rc));
    }
    *ret = (struct segment){
        .first = first,
        .last = first - 1,
        .size_bytes = FRAME_HEADER_BYTES,
    };
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static ssize_t read_at(int fd, void *out, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, (char *)out + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static int head_at(int fd, uint64_t offset, struct segment_position *ret)
{
    uint8_t head[FRAME_RECORD_BYTES];
    ssize_t n = read_at(fd, head, sizeof head, offset);
    if (n < 0)
        return (int)n;
    struct frame_record record;
    if ((size_t)n < sizeof head)
        return n == 0 ? -ENOENT : -EBADMSG;
    if (frame_read_record(head, &record) < 0)
        return -EBADMSG;
    *ret = (struct segment_position){ offset, record };
    return 0;
}

/* Look for a head behind damage, byte by byte: only a head has its own right hash. */
static int resync(int fd, uint64_t offset, struct segment_position *ret)
{
    AUTO_FREE uint8_t *window = malloc(RESYNC_BYTES);
    if (!window)
        return -ENOMEM;
    for (;;) {
        ssize_t n = read_at(fd, window, RESYNC_BYTES, offset);
        if (n < 0)
            return (int)n;
        if (n < FRAME_RECORD_BYTES)
            return -ENOENT;
        size_t tries = (size_t)n - FRAME_RECORD_BYTES + 1;
        for (size_t i = 0; i < tries; i++) {
            struct frame_record record;
            if (frame_read_record(window + i, &record) < 0)
                continue;
            *ret = (struct segment_position){ offset + i, record };
            return 0;
        }
        offset += tries;
    }
}

int segment_next(int fd, uint64_t offset, struct segment_position *ret)
{
    int rc = head_at(fd, offset, ret);
    return rc == -EBADMSG ? resync(fd, offset + 1, ret) : rc;
}

int segment_payload(int fd, const struct segment_position *position,
                    struct strbuf *payload)
{
    strbuf_clear(payload);
    if (position->record.length > SPOOL_RECORD_BYTES_MAX)
        return -EBADMSG;
    int rc = strbuf_reserve(payload, position->record.length + 1);
    if (rc < 0)
        return rc;
    ssize_t n = read_at(fd, payload->data, position->record.length,
                        position->offset + FRAME_RECORD_BYTES);
    if (n < 0)
        return (int)n;
    payload->size = (size_t)n;
    payload->data[n] = '\0';
    return frame_check_payload(&position->record, strbuf_span(payload));
}

/* A last record that is not whole is not stored: spool_append has not returned
 * success for it. */
static bool is_whole(int fd, const struct segment_position *position,
                     uint64_t size_bytes, enum segment_scan how)
{
    uint64_t end = position->offset + FRAME_RECORD_BYTES + position->record.length;
    if (end > size_bytes)
        return false;
    if (how == SEGMENT_HEADS || end < size_bytes)
        return true;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    return segment_payload(fd, position, &payload) != -EBADMSG;
}

int segment_scan(int fd, uint64_t first, uint64_t before, enum segment_scan how,
                 struct segment *ret)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    struct segment segment = {
        .first = first,
        .last = first - 1,
        .size_bytes = FRAME_HEADER_BYTES,
    };
    struct segment_position position;
    uint64_t offset = FRAME_HEADER_BYTES;
    int rc;
    while ((rc = segment_next(fd, offset, &position)) == 0) {
        offset = position.offset + FRAME_RECORD_BYTES + position.record.length;
        if (!is_whole(fd, &position, (uint64_t)st.st_size, how))
            break;
        if (position.record.sequence <= segment.last ||
            position.record.sequence >= before)
            continue;
        segment.last = position.record.sequence;
        segment.records++;
        segment.entries += position.record.count;
        segment.size_bytes = offset;
        segment.mark = frame_mark_add(position.record.mark, position.record.count);
    }
    if (rc < 0 && rc != -ENOENT)
        return rc;
    *ret = segment;
    return 0;
}
