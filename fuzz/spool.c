/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_spool - a directory of segments that somebody else has written.
 *
 * The input is a script, so that what lies behind the hashes is reached as well: a byte
 * says what comes next, whole records, damaged ones, raw bytes, new segments, the file
 * of acknowledgements.  Then the spool is opened, read, appended to, opened again.
 */
#include "spool/spool.h"
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "spool/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>

#define SEGMENTS_MAX 4
#define RECORDS_MAX 1000

static char dir[64];

static void dir_clear(const char *path)
{
    AUTO_CLOSEDIR DIR *d = opendir(path);
    fuzz_check(d != NULL);
    for (const struct dirent *e = readdir(d); e; e = readdir(d))
        if (e->d_name[0] != '.')
            (void)unlinkat(dirfd(d), e->d_name, 0);
}

static void dir_remove(void)
{
    dir_clear(dir);
    (void)rmdir(dir);
}

static void dir_ready(void)
{
    if (dir[0]) {
        dir_clear(dir);
        return;
    }
    (void)snprintf(dir, sizeof dir, "%s/baro-fuzz.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    fuzz_check(mkdtemp(dir) != NULL);
    fuzz_check(atexit(dir_remove) == 0);
}

/* ---- the script ---- */

struct script {
    struct span rest;
    struct strbuf file;
    uint64_t first, sequence;
    size_t segments;
};

static uint8_t take(struct script *s)
{
    uint8_t byte = s->rest.size ? (uint8_t)s->rest.data[0] : 0;
    s->rest = span_skip(s->rest, s->rest.size ? 1 : 0);
    return byte;
}

static uint64_t take_u64(struct script *s)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | take(s);
    return value;
}

static struct span take_text(struct script *s, size_t size)
{
    struct span text = { s->rest.data, size < s->rest.size ? size : s->rest.size };
    s->rest = span_skip(s->rest, text.size);
    return text;
}

static void write_file(const char *name, const struct strbuf *bytes)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_check(fd >= 0);
    fuzz_check(write(fd, strbuf_text(bytes), bytes->size) == (ssize_t)bytes->size);
}

static void add_header(struct script *s, const char *kind, uint32_t version)
{
    struct frame_header header = { .version = version, .first = s->first };
    uint8_t bytes[FRAME_HEADER_BYTES];
    memcpy(header.kind, kind, 4);
    frame_write_header(&header, bytes);
    strbuf_add(&s->file, bytes, sizeof bytes);
}

static void segment_finish(struct script *s)
{
    char name[64];
    if (s->file.size && s->segments < SEGMENTS_MAX) {
        (void)snprintf(name, sizeof name, "%020llu.spool",
                       (unsigned long long)s->first);
        write_file(name, &s->file);
        s->segments++;
    }
    strbuf_clear(&s->file);
}

static void segment_begin(struct script *s, uint64_t first)
{
    segment_finish(s);
    s->first = first;
    s->sequence = first - 1;
    add_header(s, "spol", SEGMENT_VERSION);
}

/* The hashes of a damaged one do not fit: a byte of it is turned over behind them. */
static void add_record(struct script *s, uint64_t sequence, unsigned turned)
{
    uint8_t head[FRAME_RECORD_BYTES];
    struct frame_record record = { .sequence = sequence, .count = take(s) };
    struct span payload = take_text(s, take(s));
    frame_write_record(&record, payload, head);
    size_t begin = s->file.size;
    strbuf_add(&s->file, head, sizeof head);
    strbuf_add_span(&s->file, payload);
    fuzz_check(strbuf_error(&s->file) == 0);
    s->sequence = sequence;
    if (turned)
        s->file.data[begin + turned % (s->file.size - begin)] ^= 0x10;
}

static void add_acknowledged(struct script *s)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct frame_header header = { .kind = "spak", .version = 1 };
    uint8_t head[FRAME_HEADER_BYTES];
    frame_write_header(&header, head);
    strbuf_add(&bytes, head, sizeof head);
    for (int slot = 0; slot < 2; slot++) {
        uint64_t words[6];
        for (int i = 0; i < 5; i++)
            words[i] = i == 1 && slot ? take_u64(s) : take(s);
        words[5] = XXH3_64bits(words, 5 * sizeof words[0]);
        strbuf_add(&bytes, words, sizeof words);
    }
    write_file("acknowledged", &bytes);
}

static void play(struct span text)
{
    struct script s = { .rest = text };
    segment_begin(&s, 1);
    while (s.rest.size && s.file.size < 65536) {
        switch (take(&s) % 9) {
        case 0:
            add_record(&s, s.sequence + 1, 0);
            break;
        case 1:
            add_record(&s, s.sequence + 1, 1u + take(&s));
            break;
        case 2:
            add_record(&s, s.sequence + take(&s), 0);
            break;
        case 3:
            add_record(&s, take_u64(&s), 0);
            break;
        case 4:
            strbuf_add_span(&s.file, take_text(&s, take(&s)));
            break;
        case 5:
            segment_begin(&s, s.sequence + 1);
            break;
        case 6:
            segment_begin(&s, take_u64(&s));
            break;
        case 7:
            add_acknowledged(&s);
            break;
        default: /* a file whose header is none of ours */
            segment_finish(&s);
            s.first++;
            strbuf_add_span(&s.file, take_text(&s, take(&s)));
            break;
        }
        fuzz_check(strbuf_error(&s.file) == 0);
    }
    segment_finish(&s);
    strbuf_done(&s.file);
}

/* ---- the spool ---- */

/* Reads all from acked on.  Returns the last sequence number. */
static uint64_t read_all(struct spool *spool)
{
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct spool_record record;
    uint64_t after = spool_acked(spool);
    for (size_t i = 0; i < RECORDS_MAX; i++) {
        if (spool_read(spool, after, &payload, &record, NULL) < 0)
            break;
        fuzz_check(record.sequence > after);
        after = record.sequence;
    }
    return after;
}

static void append_and_find(struct spool *spool)
{
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct spool_record record;
    uint64_t sequence = spool_next_sequence(spool);
    if (spool_append(spool, SPAN("kept"), 7, NULL) < 0)
        return;
    fuzz_check(sequence > spool_acked(spool));
    fuzz_check(spool_next_sequence(spool) == sequence + 1);
    fuzz_check(spool_read(spool, sequence - 1, &payload, &record, NULL) == 0);
    fuzz_check(record.sequence == sequence && record.count == 7);
    fuzz_check(span_is(strbuf_span(&payload), "kept"));
}

static void use(const struct spool_opts *opts)
{
    AUTO(spool_close) struct spool *spool = NULL;
    struct err err = { 0 };
    if (spool_open(opts, &spool, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return;
    }
    uint64_t last = read_all(spool);
    append_and_find(spool);
    uint64_t sequence = spool_next_sequence(spool) - 1;
    append_and_find(spool);
    (void)spool_cut(spool, sequence, NULL);
    fuzz_check(spool_next_sequence(spool) >= sequence + 1);
    (void)spool_ack(spool, last, NULL);
    struct spool_counts counts;
    spool_count(spool, &counts);
    fuzz_check(counts.records < RECORDS_MAX * 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    dir_ready();
    struct spool_opts opts = { .dir = dir,
                               .bytes_max = 65536,
                               .segment_bytes = data[0] & 1 ? 0 : 256 };
    play((struct span){ (const char *)data + 1, size - 1 });
    use(&opts);
    use(&opts); /* what the first left behind */
    return 0;
}
