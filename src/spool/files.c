/* SPDX-License-Identifier: Apache-2.0 */
/* files - the segments of a spool. */
#include "spool/files.h"

#include "base/file.h"
#include "spool/acknowledged.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void files_reset_reader(struct spool *s)
{
    if (s->read_fd >= 0)
        (void)close(s->read_fd);
    s->read_fd = -1;
    s->read_first = 0;
}

void files_close_tail(struct spool *s)
{
    if (s->tail_fd >= 0)
        (void)close(s->tail_fd);
    s->tail_fd = -1;
}

struct segment *files_tail(struct spool *s)
{
    return s->segment_count ? &s->segments[s->segment_count - 1] : NULL;
}

int files_add(struct spool *s, const struct segment *segment)
{
    if (s->segment_count == s->segment_capacity) {
        size_t capacity = s->segment_capacity ? s->segment_capacity * 2 : 32;
        void *bigger = realloc(s->segments, capacity * sizeof s->segments[0]);
        if (!bigger)
            return -ENOMEM;
        s->segments = bigger;
        s->segment_capacity = capacity;
    }
    s->segments[s->segment_count++] = *segment;
    return 0;
}

uint64_t files_bytes(const struct spool *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->segment_count; i++)
        bytes += s->segments[i].size_bytes;
    return bytes;
}

void files_unlink(struct spool *s, size_t index)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    uint64_t first = s->segments[index].first;
    segment_path(s->dir, first, &path);
    if (!strbuf_error(&path))
        (void)unlink(path.data);
    if (index == s->segment_count - 1)
        files_close_tail(s);
    if (s->read_first == first)
        files_reset_reader(s);
    s->segment_count--;
    memmove(&s->segments[index], &s->segments[index + 1],
            (s->segment_count - index) * sizeof s->segments[0]);
}

/* Records and entries of a segment that are still to be read. */
void files_waiting(const struct spool *s, const struct segment *segment, uint64_t acked,
                   uint64_t *ret_records, uint64_t *ret_entries)
{
    *ret_records = segment->records;
    *ret_entries = segment->entries;
    if (acked < segment->first)
        return;
    *ret_records = *ret_entries = 0;
    if (acked >= segment->last)
        return;
    AUTO_CLOSE int fd = -1;
    if (segment_open(s->dir, segment->first, O_RDONLY, &fd, NULL) < 0)
        return;
    struct segment_position position;
    uint64_t offset = FRAME_HEADER_BYTES;
    while (offset < segment->size_bytes && segment_next(fd, offset, &position) == 0) {
        offset = position.offset + FRAME_RECORD_BYTES + position.record.length;
        if (position.record.sequence <= acked ||
            position.record.sequence > segment->last || offset > segment->size_bytes)
            continue;
        *ret_records += 1;
        *ret_entries += position.record.count;
    }
}

/* Before acked moves up to sequence, behind which the mark is: numbers up to it that
 * are not among these records are gone, whatever took them. */
void files_count_missing(struct spool *s, uint64_t sequence, uint32_t mark,
                         uint64_t records, uint64_t entries)
{
    if (sequence <= s->acked || sequence - s->acked <= records)
        return;
    uint64_t all = frame_mark_between(s->acked_mark, mark);
    s->counts.damaged_records += sequence - s->acked - records;
    s->counts.lost_entries += all > entries ? all - entries : 0;
}

/* The oldest goes, read or not. */
void files_drop_oldest(struct spool *s)
{
    uint64_t records = 0, entries = 0;
    files_waiting(s, &s->segments[0], s->acked, &records, &entries);
    uint64_t last = s->segments[0].last;
    files_count_missing(s, last, s->segments[0].mark, records, entries);
    s->counts.lost_records += records;
    s->counts.lost_entries += entries;
    s->counts.records -= records;
    s->counts.entries -= entries;
    if (s->acked < last) {
        s->acked = last;
        s->acked_mark = s->segments[0].mark;
    }
    if (records)
        (void)acknowledged_store(s, NULL); /* first the count, then the loss */
    files_unlink(s, 0);
}

/* ---- a directory that was removed ---- */

/* Is what fd was opened as still what lies at path? */
static bool is_at(int fd, const char *path)
{
    struct stat opened, found;
    return fstat(fd, &opened) == 0 && stat(path, &found) == 0 &&
           opened.st_ino == found.st_ino && opened.st_dev == found.st_dev;
}

/* Forget the segments whose files are gone.  Where none is left, what waited is lost
 * and done with; else it is counted when the reader has passed its numbers. */
void files_forget_removed(struct spool *s)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    uint64_t records = 0, entries = 0;
    for (size_t i = s->segment_count; i-- > 0;) {
        uint64_t waiting[2];
        segment_path(s->dir, s->segments[i].first, &path);
        if (strbuf_error(&path) == 0 && access(path.data, F_OK) < 0 && errno == ENOENT)
            files_unlink(s, i);
        else {
            files_waiting(s, &s->segments[i], s->acked, &waiting[0], &waiting[1]);
            records += waiting[0];
            entries += waiting[1];
        }
    }
    if (s->segment_count == 0) {
        s->counts.lost_records += s->counts.records;
        s->counts.lost_entries += s->counts.entries;
        s->acked = s->next_sequence - 1;
        s->acked_mark = s->next_mark;
    }
    s->counts.records = records;
    s->counts.entries = entries;
}

int files_ensure(struct spool *s, struct err *err)
{
    AUTO(strbuf_done) struct strbuf ack = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf newest = STRBUF_INIT;
    strbuf_addf(&ack, "%s/acknowledged", s->dir);
    if (s->segment_count)
        segment_path(s->dir, files_tail(s)->first, &newest);
    if (strbuf_error(&ack) || strbuf_error(&newest))
        return -ENOMEM;
    bool has_ack = is_at(s->ack_fd, ack.data);
    bool has_newest =
        s->segment_count == 0 || access(newest.data, F_OK) == 0 || errno != ENOENT;
    if (has_ack && has_newest)
        return 0;
    files_close_tail(s);
    files_reset_reader(s);
    int rc = file_make_dirs(s->dir, 0700, err);
    if (rc == 0 && !has_ack) {
        (void)close(s->ack_fd);
        rc = acknowledged_open(s, err);
    }
    if (rc < 0)
        return rc;
    files_forget_removed(s);
    return acknowledged_store(s, err);
}
