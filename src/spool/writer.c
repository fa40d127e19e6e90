/* SPDX-License-Identifier: Apache-2.0 */
/* writer - records behind the last one of a spool, and cut off again. */
#include "spool/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

uint64_t spool_next_sequence(struct spool *spool)
{
    LOCKED(&spool->lock);
    return spool->next_sequence;
}

uint32_t spool_mark(struct spool *spool)
{
    LOCKED(&spool->lock);
    return spool->next_mark;
}

void spool_raise_sequence(struct spool *spool, uint64_t sequence, uint32_t mark)
{
    LOCKED(&spool->lock);
    if (sequence <= spool->next_sequence)
        return;
    spool->next_sequence = sequence;
    if (mark)
        spool->next_mark = mark;
}

/* Have a tail with capacity for size more bytes. */
static int tail_ready(struct spool *s, uint64_t size, struct err *err)
{
    struct segment *last = files_tail(s);
    bool is_full =
        last && last->records > 0 && last->size_bytes + size > s->opts.segment_bytes;
    if (s->tail_is_sealed)
        is_full = true;
    if (last && !is_full && s->tail_fd < 0) {
        int rc = segment_open(s->dir, last->first, O_RDWR, &s->tail_fd, err);
        if (rc < 0)
            return rc;
    }
    if (last && !is_full && s->tail_fd >= 0)
        return 0;
    files_close_tail(s);
    /* An empty one of the same name would be written over, which is as well. */
    if (last && last->records == 0)
        files_unlink(s, s->segment_count - 1);
    struct segment fresh;
    int fd = -1;
    int rc = segment_create(s->dir, s->next_sequence, &fresh, &fd, err);
    if (rc < 0)
        return rc;
    rc = files_add(s, &fresh);
    if (rc < 0) {
        (void)close(fd);
        return rc;
    }
    s->tail_fd = fd;
    s->tail_is_sealed = false;
    return 0;
}

static int write_record(int fd, uint64_t offset, const uint8_t *head,
                        struct span payload)
{
    struct iovec parts[2] = {
        { .iov_base = (void *)(uintptr_t)head, .iov_len = FRAME_RECORD_BYTES },
        { .iov_base = (void *)(uintptr_t)payload.data, .iov_len = payload.size },
    };
    ssize_t n = pwritev(fd, parts, 2, (off_t)offset);
    if (n < 0)
        return -errno;
    /* A short write comes before a full disk; the rest shows which it is. */
    size_t done = (size_t)n;
    while (done < FRAME_RECORD_BYTES + payload.size) {
        const char *rest = done < FRAME_RECORD_BYTES
                               ? (const char *)head + done
                               : payload.data + (done - FRAME_RECORD_BYTES);
        size_t size = done < FRAME_RECORD_BYTES
                          ? FRAME_RECORD_BYTES - done
                          : payload.size - (done - FRAME_RECORD_BYTES);
        n = pwrite(fd, rest, size, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC;
        done += (size_t)n;
    }
    return 0;
}

static int tail_append(struct spool *s, struct span payload, uint32_t count,
                       struct err *err)
{
    struct segment *last = files_tail(s);
    struct frame_record record = {
        .sequence = s->next_sequence,
        .count = count,
        .mark = s->next_mark,
    };
    uint8_t head[FRAME_RECORD_BYTES];
    frame_write_record(&record, payload, head);
    int rc = write_record(s->tail_fd, last->size_bytes, head, payload);
    if (rc == 0 && s->opts.sync && fdatasync(s->tail_fd) < 0)
        rc = -errno;
    if (rc < 0) {
        /* What cannot be undone stays behind the last whole record, where opening
         * cuts it off; after a failed fdatasync the file is done with in any case.  On
         * a full disk the segment ends too: only whole ones can be given back. */
        s->tail_is_sealed = true;
        if (ftruncate(s->tail_fd, (off_t)last->size_bytes) < 0)
            return err_set(err, -rc,
                           "append to the spool '%s': %s, nor can it be cut: %s",
                           s->dir, strerror(-rc), strerror(errno));
        return err_set(err, -rc, "append to the spool '%s': %s", s->dir, strerror(-rc));
    }
    last->size_bytes += FRAME_RECORD_BYTES + payload.size;
    last->last = s->next_sequence++;
    last->records++;
    last->entries += count;
    last->mark = s->next_mark = frame_mark_add(s->next_mark, count);
    s->counts.appended++;
    s->counts.records++;
    s->counts.entries += count;
    return 0;
}

static int append_once(struct spool *s, struct span payload, uint32_t count,
                       struct err *err)
{
    int rc = tail_ready(s, FRAME_RECORD_BYTES + (uint64_t)payload.size, err);
    return rc < 0 ? rc : tail_append(s, payload, count, err);
}

/* Give back the segments of which all is acknowledged, the tail too: without segments
 * the numbers go on from what was acknowledged.  Returns whether there were any. */
static bool drop_spent(struct spool *s)
{
    bool had_any = false;
    while (s->segment_count && s->segments[0].records > 0 &&
           s->segments[0].last <= s->acked) {
        files_unlink(s, 0);
        had_any = true;
    }
    return had_any;
}

static bool is_disk_full(int rc)
{
    return rc == -ENOSPC || rc == -EDQUOT || rc == -EFBIG;
}

int spool_append(struct spool *spool, struct span payload, uint32_t count,
                 struct err *err)
{
    LOCKED(&spool->lock);
    uint64_t size = FRAME_RECORD_BYTES + (uint64_t)payload.size;
    if (payload.size > SPOOL_RECORD_BYTES_MAX ||
        size + FRAME_HEADER_BYTES > spool->opts.bytes_max)
        return err_set(err, EMSGSIZE, "a record of %zu bytes does not fit the spool",
                       payload.size);
    if (spool->next_sequence > FRAME_SEQUENCE_MAX)
        return err_set(err, EOVERFLOW, "the spool '%s' has used up its numbers",
                       spool->dir);
    int rc = files_ensure(spool, err);
    if (rc < 0)
        return rc;
    while (spool->segment_count &&
           files_bytes(spool) + size + FRAME_HEADER_BYTES > spool->opts.bytes_max)
        files_drop_oldest(spool);
    rc = append_once(spool, payload, count, err);
    if (is_disk_full(rc) && drop_spent(spool))
        rc = append_once(spool, payload, count, err);
    return rc;
}

static int segment_cut(struct spool *s, struct segment *last, uint64_t sequence,
                       struct err *err)
{
    AUTO_CLOSE int fd = -1;
    int rc = segment_open(s->dir, last->first, O_RDWR, &fd, err);
    if (rc < 0)
        return rc;
    struct segment rest = { .first = last->first, .last = last->first - 1 };
    rest.size_bytes = FRAME_HEADER_BYTES;
    struct segment_position position;
    uint64_t offset = FRAME_HEADER_BYTES;
    while (offset < last->size_bytes && segment_next(fd, offset, &position) == 0) {
        offset = position.offset + FRAME_RECORD_BYTES + position.record.length;
        if (position.record.sequence <= rest.last ||
            position.record.sequence > last->last)
            continue; /* damage, as it was when the segment was read */
        if (position.record.sequence > sequence)
            break;
        rest.size_bytes = offset;
        rest.last = position.record.sequence;
        rest.records++;
        rest.entries += position.record.count;
        rest.mark = frame_mark_add(position.record.mark, position.record.count);
    }
    if (ftruncate(fd, (off_t)rest.size_bytes) < 0)
        return err_set(err, errno, "cut the spool '%s': %s", s->dir, strerror(errno));
    s->counts.records -= last->records - rest.records;
    s->counts.entries -= last->entries - rest.entries;
    *last = rest;
    return 0;
}

int spool_cut(struct spool *spool, uint64_t sequence, struct err *err)
{
    LOCKED(&spool->lock);
    files_reset_reader(spool);
    files_close_tail(spool);
    if (sequence < spool->acked)
        sequence = spool->acked;
    while (files_tail(spool) && files_tail(spool)->last > sequence) {
        struct segment *last = files_tail(spool);
        if (last->first > sequence) {
            spool->counts.records -= last->records;
            spool->counts.entries -= last->entries;
            files_unlink(spool, spool->segment_count - 1);
            continue;
        }
        int rc = segment_cut(spool, last, sequence, err);
        if (rc < 0)
            return rc;
    }
    spool->next_sequence = sequence + 1;
    if (spool->synced > sequence)
        spool->synced = sequence; /* the numbers behind it are given again */
    uint32_t mark = files_tail(spool) && files_tail(spool)->last == sequence
                        ? files_tail(spool)->mark
                    : sequence == spool->acked ? spool->acked_mark
                                               : 0;
    if (mark)
        spool->next_mark = mark;
    return 0;
}
