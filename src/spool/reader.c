/* SPDX-License-Identifier: Apache-2.0 */
/* reader - records of a spool in order, until they are acknowledged. */
#include "spool/acknowledged.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Stand in the first segment that can hold a record after `after`. */
static int reader_seek(struct spool *s, uint64_t after, struct err *err)
{
    if (s->read_fd >= 0 && s->read_after == after)
        return 0;
    files_reset_reader(s);
    for (size_t i = 0; i < s->segment_count; i++) {
        if (s->segments[i].records == 0 || s->segments[i].last <= after)
            continue;
        int rc = segment_open(s->dir, s->segments[i].first, O_RDONLY, &s->read_fd, err);
        if (rc == -ENOENT) { /* it was removed */
            files_forget_removed(s);
            i = SIZE_MAX;
            continue;
        }
        if (rc < 0)
            return rc;
        s->read_first = s->segments[i].first;
        s->read_offset = FRAME_HEADER_BYTES;
        s->read_after = after;
        return 0;
    }
    return -ENOENT;
}

static const struct segment *segment_find(const struct spool *s, uint64_t first)
{
    for (size_t i = 0; i < s->segment_count; i++)
        if (s->segments[i].first == first)
            return &s->segments[i];
    return NULL;
}

/* The next record of the segment in which the reader stands; -ENOENT at its end. */
static int reader_next(struct spool *s, struct strbuf *payload,
                       struct spool_record *ret)
{
    const struct segment *segment = segment_find(s, s->read_first);
    struct segment_position position;
    while (segment && s->read_offset < segment->size_bytes) {
        int rc = segment_next(s->read_fd, s->read_offset, &position);
        if (rc < 0)
            return rc;
        uint64_t end = position.offset + FRAME_RECORD_BYTES + position.record.length;
        if (end > segment->size_bytes)
            return -ENOENT;
        s->read_offset = end;
        if (position.record.sequence <= s->read_after ||
            position.record.sequence > segment->last)
            continue;
        rc = segment_payload(s->read_fd, &position, payload);
        if (rc == -EBADMSG)
            continue; /* found out as a gap in the sequence, like a lost head */
        if (rc < 0)
            return rc;
        *ret = (struct spool_record){ position.record.sequence, position.record.count };
        s->read_mark = frame_mark_add(position.record.mark, position.record.count);
        return 0;
    }
    return -ENOENT;
}

int spool_read(struct spool *spool, uint64_t after, struct strbuf *payload,
               struct spool_record *ret, struct err *err)
{
    LOCKED(&spool->lock);
    uint64_t from = after;
    int there = files_ensure(spool, err);
    if (there < 0)
        return there;
    for (;;) {
        int rc = reader_seek(spool, from, err);
        if (rc < 0)
            return rc;
        struct spool_record record;
        rc = reader_next(spool, payload, &record);
        if (rc == 0) {
            spool->read_after = record.sequence;
            spool->read_record = record;
            spool->read_behind = after;
            *ret = record;
            return 0;
        }
        if (rc != -ENOENT)
            return err_set(err, -rc, "read the spool '%s': %s", spool->dir,
                           strerror(-rc));
        /* On to the segment behind this one, if there is any. */
        const struct segment *segment = segment_find(spool, spool->read_first);
        if (!segment || segment == files_tail(spool))
            return -ENOENT;
        from = segment->last;
        files_reset_reader(spool);
    }
}

/* What is done with when acked moves up to sequence. */
static void acked_count(struct spool *s, uint64_t sequence, uint64_t *ret_records,
                        uint64_t *ret_entries)
{
    *ret_records = *ret_entries = 0;
    if (s->read_record.sequence == sequence && sequence == s->acked + 1) {
        *ret_records = 1;
        *ret_entries = s->read_record.count;
        return;
    }
    for (size_t i = 0; i < s->segment_count && s->segments[i].first <= sequence; i++) {
        uint64_t before[2], after[2];
        files_waiting(s, &s->segments[i], s->acked, &before[0], &before[1]);
        files_waiting(s, &s->segments[i], sequence, &after[0], &after[1]);
        *ret_records += before[0] - after[0];
        *ret_entries += before[1] - after[1];
    }
}

int spool_ack(struct spool *spool, uint64_t sequence, struct err *err)
{
    LOCKED(&spool->lock);
    int rc = files_ensure(spool, err);
    if (rc < 0 || sequence <= spool->acked)
        return rc;
    const uint64_t acked = spool->acked;
    const uint32_t acked_mark = spool->acked_mark;
    const struct spool_counts counts = spool->counts;
    uint64_t records = 0, entries = 0;
    uint32_t mark = spool->read_record.sequence == sequence ? spool->read_mark : 0;
    acked_count(spool, sequence, &records, &entries);
    /* What was read there reveals more than the heads of records: a payload may be
     * damaged. */
    if (mark && spool->read_behind == acked)
        files_count_missing(spool, sequence, mark, 1, spool->read_record.count);
    else
        files_count_missing(spool, sequence, mark, records, entries);
    spool->acked = sequence;
    spool->acked_mark = mark;
    rc = acknowledged_store(spool, err);
    if (rc < 0) {
        spool->acked = acked;
        spool->acked_mark = acked_mark;
        spool->counts = counts;
        return rc;
    }
    spool->counts.records -= records;
    spool->counts.entries -= entries;
    spool->counts.acked += records;
    /* The tail stays: its name carries the numbers on. */
    while (spool->segment_count > 1 && spool->segments[0].last <= sequence)
        files_unlink(spool, 0);
    return 0;
}
