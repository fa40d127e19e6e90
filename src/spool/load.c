/* SPDX-License-Identifier: Apache-2.0 */
/* load - the segments of a spool, found and read at opening. */
#include "spool/load.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    int header_rc =
        frame_read_header(text, "spol", SEGMENT_VERSION, path.data, &header, err);
    if (header_rc < 0 && header_rc != -EBADMSG)
        return header_rc;
    struct segment segment;
    rc = segment_scan(fd, first, before, how, &segment);
    if (rc < 0)
        return err_set(err, -rc, "read '%s': %s", path.data, strerror(-rc));
    if (header_rc == -EBADMSG) { /* its records have hashes of their own */
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
    return files_add(s, &segment);
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

int files_load(struct spool *s, struct err *err)
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
        files_waiting(s, &s->segments[i], s->acked, &records, &entries);
        s->counts.records += records;
        s->counts.entries += entries;
    }
    const struct segment *newest = files_tail(s);
    /* Read as one with a successor, which is not there any more. */
    s->tail_is_sealed = newest && count > 0 && newest->first != firsts[count - 1];
    /* Nothing records what was acknowledged: what is before the first segment was. */
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
