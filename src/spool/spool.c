/* SPDX-License-Identifier: Apache-2.0 */
/* spool - a bounded queue of records on disk. */
#include "spool/spool.h"

#include "base/file.h"
#include "base/number.h"
#include "spool/segment.h"

#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <xxhash.h>

#define BYTES_MIN (UINT64_C(64) << 10)
#define SEGMENT_BYTES_MAX (UINT64_C(8) << 20)
#define ACK_VERSION 1
/* generation, acked, lost records, lost entries, damaged and above it the mark behind
 * what is acknowledged, hash */
#define ACK_SLOT_WORDS 6
#define ACK_SLOTS 2

struct spool {
    pthread_mutex_t lock;
    char *dir;
    struct spool_opts opts;
    int ack_fd; /* also holds the lock against other processes */
    uint64_t ack_generation;
    uint64_t acked;
    uint32_t acked_mark; /* behind it; 0: not told */
    struct spool_counts counts;
    struct segment *segments; /* oldest first */
    size_t segment_count, segment_room;
    int tail_fd;         /* the newest, open for appending; -1: not open */
    bool tail_is_sealed; /* never append to it again */
    uint64_t next_sequence;
    uint32_t next_mark;
    /* Where the reader stands: the place behind the record read last. */
    uint64_t read_first, read_after, read_offset;
    int read_fd;
    /* The record read last, and the mark behind it: where nothing lay between it and
     * what was acknowledged, acknowledging it needs no reading. */
    struct spool_record read_record;
    uint32_t read_mark;
    uint64_t read_behind; /* what the reader asked for it by */
};

/* ---- how far the reader has come ---- */

static int ack_store(struct spool *s, struct err *err)
{
    uint64_t words[ACK_SLOT_WORDS] = {
        htole64(++s->ack_generation),
        htole64(s->acked),
        htole64(s->counts.lost_records),
        htole64(s->counts.lost_entries),
        htole64((s->counts.damaged_records & UINT32_MAX) | (uint64_t)s->acked_mark
                                                               << 32),
    };
    words[ACK_SLOT_WORDS - 1] =
        htole64(XXH3_64bits(words, sizeof words - sizeof words[0]));
    /* Two slots in turn: one of them is whole whatever happens. */
    off_t offset = FRAME_HEADER_BYTES +
                   (off_t)(s->ack_generation % ACK_SLOTS) * (off_t)sizeof words;
    ssize_t n = pwrite(s->ack_fd, words, sizeof words, offset);
    if (n != (ssize_t)sizeof words)
        return err_set(err, n < 0 ? errno : EIO, "write '%s/acknowledged'", s->dir);
    return 0;
}

static void ack_take(struct spool *s, const uint64_t words[static ACK_SLOT_WORDS])
{
    size_t size = (ACK_SLOT_WORDS - 1) * sizeof words[0];
    if (le64toh(words[ACK_SLOT_WORDS - 1]) != XXH3_64bits(words, size) ||
        le64toh(words[0]) <= s->ack_generation ||
        le64toh(words[1]) > FRAME_SEQUENCE_MAX)
        return;
    s->ack_generation = le64toh(words[0]);
    s->acked = le64toh(words[1]);
    s->counts.lost_records = le64toh(words[2]);
    s->counts.lost_entries = le64toh(words[3]);
    s->counts.damaged_records = le64toh(words[4]) & UINT32_MAX;
    s->acked_mark = (uint32_t)(le64toh(words[4]) >> 32);
}

static int ack_open(struct spool *s, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/acknowledged", s->dir);
    if (strbuf_error(&path))
        return -ENOMEM;
    s->ack_fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->ack_fd < 0)
        return err_set(err, errno, "open '%s': %s", path.data, strerror(errno));
    int locked = file_lock(s->ack_fd);
    if (locked == -EBUSY)
        return err_set(err, EBUSY, "'%s' is in use by another process", s->dir);
    if (locked < 0)
        return err_set(err, -locked, "lock '%s': %s", path.data, strerror(-locked));
    uint8_t bytes[FRAME_HEADER_BYTES +
                  ACK_SLOTS * ACK_SLOT_WORDS * sizeof(uint64_t)] = { 0 };
    ssize_t n = pread(s->ack_fd, bytes, sizeof bytes, 0);
    if (n < 0)
        return err_set(err, errno, "read '%s': %s", path.data, strerror(errno));
    struct frame_header header = { .kind = "spak", .version = ACK_VERSION };
    if (n < FRAME_HEADER_BYTES) { /* new, or its making was cut short */
        frame_write_header(&header, bytes);
        if (pwrite(s->ack_fd, bytes, FRAME_HEADER_BYTES, 0) != FRAME_HEADER_BYTES)
            return err_set(err, EIO, "write '%s'", path.data);
        return 0;
    }
    struct span text = { (const char *)bytes, FRAME_HEADER_BYTES };
    int rc = frame_read_header(text, "spak", ACK_VERSION, path.data, &header, err);
    if (rc == -EBADMSG) { /* all is sent again, which changes nothing */
        frame_write_header(&header, bytes);
        memset(bytes + FRAME_HEADER_BYTES, 0, sizeof bytes - FRAME_HEADER_BYTES);
        rc = pwrite(s->ack_fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes ? 0
                                                                                : -EIO;
    }
    for (size_t i = 0; rc == 0 && i < ACK_SLOTS; i++) {
        uint64_t words[ACK_SLOT_WORDS];
        memcpy(words, bytes + FRAME_HEADER_BYTES + i * sizeof words, sizeof words);
        ack_take(s, words);
    }
    return rc;
}

/* ---- segments ---- */

static void reader_reset(struct spool *s)
{
    if (s->read_fd >= 0)
        (void)close(s->read_fd);
    s->read_fd = -1;
    s->read_first = 0;
}

static void tail_close(struct spool *s)
{
    if (s->tail_fd >= 0)
        (void)close(s->tail_fd);
    s->tail_fd = -1;
}

static struct segment *tail(struct spool *s)
{
    return s->segment_count ? &s->segments[s->segment_count - 1] : NULL;
}

static int segments_add(struct spool *s, const struct segment *segment)
{
    if (s->segment_count == s->segment_room) {
        size_t room = s->segment_room ? s->segment_room * 2 : 32;
        void *bigger = realloc(s->segments, room * sizeof s->segments[0]);
        if (!bigger)
            return -ENOMEM;
        s->segments = bigger;
        s->segment_room = room;
    }
    s->segments[s->segment_count++] = *segment;
    return 0;
}

static uint64_t bytes_used(const struct spool *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->segment_count; i++)
        bytes += s->segments[i].size_bytes;
    return bytes;
}

static void segment_unlink(struct spool *s, size_t index)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    uint64_t first = s->segments[index].first;
    segment_path(s->dir, first, &path);
    if (!strbuf_error(&path))
        (void)unlink(path.data);
    if (index == s->segment_count - 1)
        tail_close(s);
    if (s->read_first == first)
        reader_reset(s);
    s->segment_count--;
    memmove(&s->segments[index], &s->segments[index + 1],
            (s->segment_count - index) * sizeof s->segments[0]);
}

/* Records and entries of a segment that are still to be read. */
static void segment_waiting(struct spool *s, const struct segment *segment,
                            uint64_t *ret_records, uint64_t *ret_entries)
{
    *ret_records = segment->records;
    *ret_entries = segment->entries;
    if (s->acked < segment->first)
        return;
    *ret_records = *ret_entries = 0;
    if (s->acked >= segment->last)
        return;
    AUTO_CLOSE int fd = -1;
    if (segment_open(s->dir, segment->first, O_RDONLY, &fd, NULL) < 0)
        return;
    struct segment_place place;
    uint64_t offset = FRAME_HEADER_BYTES;
    while (offset < segment->size_bytes && segment_next(fd, offset, &place) == 0) {
        offset = place.offset + FRAME_RECORD_BYTES + place.record.length;
        if (place.record.sequence <= s->acked ||
            place.record.sequence > segment->last || offset > segment->size_bytes)
            continue;
        *ret_records += 1;
        *ret_entries += place.record.count;
    }
}

/* Before acked moves up to sequence, behind which the mark is: numbers up to it that
 * are not among these records are gone, whatever took them. */
static void count_missing(struct spool *s, uint64_t sequence, uint32_t mark,
                          uint64_t records, uint64_t entries)
{
    if (sequence <= s->acked || sequence - s->acked <= records)
        return;
    uint64_t all = frame_mark_between(s->acked_mark, mark);
    s->counts.damaged_records += sequence - s->acked - records;
    s->counts.lost_entries += all > entries ? all - entries : 0;
}

/* The oldest goes, read or not. */
static void oldest_drop(struct spool *s)
{
    uint64_t records = 0, entries = 0;
    segment_waiting(s, &s->segments[0], &records, &entries);
    uint64_t last = s->segments[0].last;
    count_missing(s, last, s->segments[0].mark, records, entries);
    s->counts.lost_records += records;
    s->counts.lost_entries += entries;
    s->counts.records -= records;
    s->counts.entries -= entries;
    if (s->acked < last) {
        s->acked = last;
        s->acked_mark = s->segments[0].mark;
    }
    if (records)
        (void)ack_store(s, NULL); /* first the count, then the loss */
    segment_unlink(s, 0);
}

/* A file without a header in which no record is found is put aside, for a person.  What
 * was in it is counted when the reader has passed its numbers. */
static int segment_set_aside(struct spool *s, uint64_t first)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf aside = STRBUF_INIT;
    segment_path(s->dir, first, &path);
    strbuf_addf(&aside, "%s.damaged", strbuf_text(&path));
    if (strbuf_error(&path) || strbuf_error(&aside))
        return -ENOMEM;
    return rename(path.data, aside.data) < 0 ? -errno : 0;
}

/* before: where the next segment begins. */
static int segment_load(struct spool *s, uint64_t first, uint64_t before,
                        enum segment_scan how, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    int rc = segment_open(s->dir, first, O_RDWR, &fd, err);
    if (rc < 0)
        return rc;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    segment_path(s->dir, first, &path);
    char bytes[FRAME_HEADER_BYTES];
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    if (n >= 0 && n < FRAME_HEADER_BYTES && how == SEGMENT_AND_TAIL) {
        s->counts.torn_bytes += (uint64_t)n;
        (void)unlink(path.data); /* its making was cut short */
        return 0;
    }
    struct frame_header header;
    struct span text = { bytes, n < 0 ? 0 : (size_t)n };
    int told =
        frame_read_header(text, "spol", SEGMENT_VERSION, path.data, &header, err);
    if (told < 0 && told != -EBADMSG)
        return told;
    struct segment segment;
    rc = segment_scan(fd, first, before, how, &segment);
    if (rc < 0)
        return err_set(err, -rc, "read '%s': %s", path.data, strerror(-rc));
    if (told == -EBADMSG) { /* its records have hashes of their own */
        if (segment.records == 0)
            return segment_set_aside(s, first);
        rc = segment_mend_header(fd, first);
        if (rc < 0)
            return err_set(err, -rc, "write '%s': %s", path.data, strerror(-rc));
    }
    struct stat st;
    if (how == SEGMENT_AND_TAIL && fstat(fd, &st) == 0 &&
        (uint64_t)st.st_size > segment.size_bytes) {
        s->counts.torn_bytes += (uint64_t)st.st_size - segment.size_bytes;
        if (ftruncate(fd, (off_t)segment.size_bytes) < 0)
            return err_set(err, errno, "cut '%s': %s", path.data, strerror(errno));
    }
    return segments_add(s, &segment);
}

static int order_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int find_segments(const char *dir, uint64_t **ret, size_t *ret_count,
                         struct err *err)
{
    AUTO_CLOSEDIR DIR *d = opendir(dir);
    if (!d)
        return err_set(err, errno, "open '%s': %s", dir, strerror(errno));
    AUTO_FREE uint64_t *firsts = NULL;
    size_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(d))) {
        struct span name = span_of(entry->d_name);
        uint64_t first = 0;
        if (!span_ends(name, ".spool"))
            continue;
        name.size -= strlen(".spool");
        if (number_parse_u64(name, &first) < 0 || first == 0 ||
            first > FRAME_SEQUENCE_MAX)
            continue;
        void *bigger = realloc(firsts, (count + 1) * sizeof firsts[0]);
        if (!bigger)
            return -ENOMEM;
        firsts = bigger;
        firsts[count++] = first;
    }
    if (count)
        qsort(firsts, count, sizeof firsts[0], order_u64);
    *ret = TAKE(firsts);
    *ret_count = count;
    return 0;
}

static int segments_load(struct spool *s, struct err *err)
{
    AUTO_FREE uint64_t *firsts = NULL;
    size_t count = 0;
    int rc = find_segments(s->dir, &firsts, &count, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = i == count - 1
                 ? segment_load(s, firsts[i], UINT64_MAX, SEGMENT_AND_TAIL, err)
                 : segment_load(s, firsts[i], firsts[i + 1], SEGMENT_HEADS, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < s->segment_count; i++) {
        uint64_t records = 0, entries = 0;
        segment_waiting(s, &s->segments[i], &records, &entries);
        s->counts.records += records;
        s->counts.entries += entries;
    }
    const struct segment *newest = tail(s);
    /* Read as one with a successor, which is not there any more. */
    s->tail_is_sealed = newest && newest->first != firsts[count - 1];
    /* Nothing tells what was acknowledged: what is before the first segment was. */
    if (s->ack_generation == 0 && s->segment_count && s->segments[0].first > 1) {
        s->acked = s->segments[0].first - 1;
        s->acked_mark = 0;
    }
    s->next_sequence = s->acked + 1;
    s->next_mark = s->acked_mark;
    if (newest && newest->last >= s->next_sequence) {
        s->next_sequence = newest->last + 1;
        s->next_mark = newest->mark;
    }
    if (s->next_mark == 0)
        s->next_mark = FRAME_MARK_FIRST;
    return 0;
}

int spool_open(const struct spool_opts *opts, struct spool **ret, struct err *err)
{
    AUTO(spool_close) struct spool *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    (void)pthread_mutex_init(&s->lock, NULL);
    s->ack_fd = s->tail_fd = s->read_fd = -1;
    s->acked_mark = FRAME_MARK_FIRST;
    s->opts = *opts;
    s->dir = strdup(opts->dir);
    if (!s->dir)
        return -ENOMEM;
    s->opts.dir = s->dir;
    if (opts->bytes_max < BYTES_MIN)
        return err_set(err, EINVAL, "a spool of less than 64 KiB holds nothing");
    if (s->opts.segment_bytes == 0)
        s->opts.segment_bytes = opts->bytes_max / 16;
    if (s->opts.segment_bytes > SEGMENT_BYTES_MAX)
        s->opts.segment_bytes = SEGMENT_BYTES_MAX;
    int rc = file_make_dirs(s->dir, 0700, err);
    if (rc == 0)
        rc = ack_open(s, err);
    if (rc == 0)
        rc = segments_load(s, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(s);
    return 0;
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    tail_close(spool);
    reader_reset(spool);
    if (spool->ack_fd >= 0)
        (void)close(spool->ack_fd);
    free(spool->segments);
    free(spool->dir);
    (void)pthread_mutex_destroy(&spool->lock);
    free(spool);
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
static void forget_removed(struct spool *s)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    uint64_t records = 0, entries = 0;
    for (size_t i = s->segment_count; i-- > 0;) {
        uint64_t waiting[2];
        segment_path(s->dir, s->segments[i].first, &path);
        if (strbuf_error(&path) == 0 && access(path.data, F_OK) < 0 && errno == ENOENT)
            segment_unlink(s, i);
        else {
            segment_waiting(s, &s->segments[i], &waiting[0], &waiting[1]);
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

/* Somebody may remove the directory, or move it, under our feet: what is written to
 * files that have no name is lost without a word.  Then it is made again. */
static int be_there(struct spool *s, struct err *err)
{
    AUTO(strbuf_done) struct strbuf ack = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf newest = STRBUF_INIT;
    strbuf_addf(&ack, "%s/acknowledged", s->dir);
    if (s->segment_count)
        segment_path(s->dir, tail(s)->first, &newest);
    if (strbuf_error(&ack) || strbuf_error(&newest))
        return -ENOMEM;
    bool has_ack = is_at(s->ack_fd, ack.data);
    bool has_newest =
        s->segment_count == 0 || access(newest.data, F_OK) == 0 || errno != ENOENT;
    if (has_ack && has_newest)
        return 0;
    tail_close(s);
    reader_reset(s);
    int rc = file_make_dirs(s->dir, 0700, err);
    if (rc == 0 && !has_ack) {
        (void)close(s->ack_fd);
        rc = ack_open(s, err);
    }
    if (rc < 0)
        return rc;
    forget_removed(s);
    return ack_store(s, err);
}

/* ---- appending ---- */

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

/* Have a tail with room for size more bytes. */
static int tail_ready(struct spool *s, uint64_t size, struct err *err)
{
    struct segment *last = tail(s);
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
    tail_close(s);
    /* An empty one of the same name would be written over, which is as well. */
    if (last && last->records == 0)
        segment_unlink(s, s->segment_count - 1);
    struct segment fresh;
    int fd = -1;
    int rc = segment_create(s->dir, s->next_sequence, &fresh, &fd, err);
    if (rc < 0)
        return rc;
    rc = segments_add(s, &fresh);
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
    /* A short write comes before a full disk; the rest tells which it is. */
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
    struct segment *last = tail(s);
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
        /* What cannot be taken back stays behind the last whole record, where opening
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
        segment_unlink(s, 0);
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
    int rc = be_there(spool, err);
    if (rc < 0)
        return rc;
    while (spool->segment_count &&
           bytes_used(spool) + size + FRAME_HEADER_BYTES > spool->opts.bytes_max)
        oldest_drop(spool);
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
    struct segment kept = { .first = last->first, .last = last->first - 1 };
    kept.size_bytes = FRAME_HEADER_BYTES;
    struct segment_place place;
    uint64_t offset = FRAME_HEADER_BYTES;
    while (offset < last->size_bytes && segment_next(fd, offset, &place) == 0) {
        offset = place.offset + FRAME_RECORD_BYTES + place.record.length;
        if (place.record.sequence <= kept.last || place.record.sequence > last->last)
            continue; /* damage, as it was when the segment was read */
        if (place.record.sequence > sequence)
            break;
        kept.size_bytes = offset;
        kept.last = place.record.sequence;
        kept.records++;
        kept.entries += place.record.count;
        kept.mark = frame_mark_add(place.record.mark, place.record.count);
    }
    if (ftruncate(fd, (off_t)kept.size_bytes) < 0)
        return err_set(err, errno, "cut the spool '%s': %s", s->dir, strerror(errno));
    s->counts.records -= last->records - kept.records;
    s->counts.entries -= last->entries - kept.entries;
    *last = kept;
    return 0;
}

int spool_cut(struct spool *spool, uint64_t sequence, struct err *err)
{
    LOCKED(&spool->lock);
    reader_reset(spool);
    tail_close(spool);
    if (sequence < spool->acked)
        sequence = spool->acked;
    while (tail(spool) && tail(spool)->last > sequence) {
        struct segment *last = tail(spool);
        if (last->first > sequence) {
            spool->counts.records -= last->records;
            spool->counts.entries -= last->entries;
            segment_unlink(spool, spool->segment_count - 1);
            continue;
        }
        int rc = segment_cut(spool, last, sequence, err);
        if (rc < 0)
            return rc;
    }
    spool->next_sequence = sequence + 1;
    uint32_t mark = tail(spool) && tail(spool)->last == sequence ? tail(spool)->mark
                    : sequence == spool->acked                   ? spool->acked_mark
                                                                 : 0;
    if (mark)
        spool->next_mark = mark;
    return 0;
}

/* ---- reading ---- */

/* Stand in the first segment that can hold a record after `after`. */
static int reader_seek(struct spool *s, uint64_t after, struct err *err)
{
    if (s->read_fd >= 0 && s->read_after == after)
        return 0;
    reader_reset(s);
    for (size_t i = 0; i < s->segment_count; i++) {
        if (s->segments[i].records == 0 || s->segments[i].last <= after)
            continue;
        int rc = segment_open(s->dir, s->segments[i].first, O_RDONLY, &s->read_fd, err);
        if (rc == -ENOENT) { /* it was removed */
            forget_removed(s);
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
    struct segment_place place;
    while (segment && s->read_offset < segment->size_bytes) {
        int rc = segment_next(s->read_fd, s->read_offset, &place);
        if (rc < 0)
            return rc;
        uint64_t end = place.offset + FRAME_RECORD_BYTES + place.record.length;
        if (end > segment->size_bytes)
            return -ENOENT;
        s->read_offset = end;
        if (place.record.sequence <= s->read_after ||
            place.record.sequence > segment->last)
            continue;
        rc = segment_payload(s->read_fd, &place, payload);
        if (rc == -EBADMSG)
            continue; /* found out as a gap in the sequence, like a lost head */
        if (rc < 0)
            return rc;
        *ret = (struct spool_record){ place.record.sequence, place.record.count };
        s->read_mark = frame_mark_add(place.record.mark, place.record.count);
        return 0;
    }
    return -ENOENT;
}

int spool_read(struct spool *spool, uint64_t after, struct strbuf *payload,
               struct spool_record *ret, struct err *err)
{
    LOCKED(&spool->lock);
    uint64_t from = after;
    int there = be_there(spool, err);
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
        if (!segment || segment == tail(spool))
            return -ENOENT;
        from = segment->last;
        reader_reset(spool);
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
    uint64_t acked = s->acked;
    for (size_t i = 0; i < s->segment_count && s->segments[i].first <= sequence; i++) {
        uint64_t before[2], after[2];
        segment_waiting(s, &s->segments[i], &before[0], &before[1]);
        s->acked = sequence;
        segment_waiting(s, &s->segments[i], &after[0], &after[1]);
        s->acked = acked;
        *ret_records += before[0] - after[0];
        *ret_entries += before[1] - after[1];
    }
}

int spool_ack(struct spool *spool, uint64_t sequence, struct err *err)
{
    LOCKED(&spool->lock);
    int rc = be_there(spool, err);
    if (rc < 0 || sequence <= spool->acked)
        return rc;
    const uint64_t acked = spool->acked;
    const uint32_t acked_mark = spool->acked_mark;
    const struct spool_counts counts = spool->counts;
    uint64_t records = 0, entries = 0;
    uint32_t mark = spool->read_record.sequence == sequence ? spool->read_mark : 0;
    acked_count(spool, sequence, &records, &entries);
    /* What was read in its place tells more than the heads of records: a payload may be
     * damaged. */
    if (mark && spool->read_behind == acked)
        count_missing(spool, sequence, mark, 1, spool->read_record.count);
    else
        count_missing(spool, sequence, mark, records, entries);
    spool->acked = sequence;
    spool->acked_mark = mark;
    rc = ack_store(spool, err);
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
        segment_unlink(spool, 0);
    return 0;
}

uint64_t spool_acked(struct spool *spool)
{
    LOCKED(&spool->lock);
    return spool->acked;
}

void spool_count(struct spool *spool, struct spool_counts *ret)
{
    LOCKED(&spool->lock);
    *ret = spool->counts;
    ret->bytes = 0;
    for (size_t i = 0; i < spool->segment_count; i++)
        ret->bytes += spool->segments[i].size_bytes;
}
