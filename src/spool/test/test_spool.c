/* SPDX-License-Identifier: Apache-2.0 */
/* test_spool - records come back in order, whatever happened to the files. */
#include "base/span.h"
#include "base/test/testing.h"
#include "spool/spool.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char dir[64];

static int unlink_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int setup(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/baro-spool.XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return nftw(dir, unlink_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct spool *open_small(uint64_t bytes_max, uint64_t segment_bytes)
{
    struct spool_opts opts = { .dir = dir,
                               .bytes_max = bytes_max,
                               .segment_bytes = segment_bytes };
    struct spool *spool = NULL;
    struct err err = { 0 };
    if (spool_open(&opts, &spool, &err) < 0)
        fail_msg("%s", err.text);
    return spool;
}

static struct spool *open_spool(void)
{
    return open_small(1 << 20, 4096);
}

/* Record n is the text "record n ......" of a length that n tells. */
static void text_of(uint64_t n, struct strbuf *out)
{
    strbuf_clear(out);
    strbuf_addf(out, "record %" PRIu64 " ", n);
    for (uint64_t i = 0; i < n * 37 % 400; i++)
        strbuf_addc(out, (char)('a' + (char)((n + i) % 26)));
}

static void append(struct spool *spool, uint64_t count)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t n = spool_next_sequence(spool);
        text_of(n, &text);
        assert_int_equal(spool_append(spool, strbuf_span(&text), (uint32_t)n, NULL), 0);
    }
}

/* Read all behind `after`: each must be whole.  Returns the last, and how many. */
static uint64_t read_all(struct spool *spool, uint64_t after, size_t *ret_count)
{
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
    struct spool_record record;
    int rc;
    *ret_count = 0;
    while ((rc = spool_read(spool, after, &got, &record, NULL)) == 0) {
        assert_true(record.sequence > after);
        assert_int_equal(record.count, (uint32_t)record.sequence);
        text_of(record.sequence, &want);
        assert_string_equal(strbuf_text(&got), strbuf_text(&want));
        after = record.sequence;
        ++*ret_count;
    }
    assert_int_equal(rc, -ENOENT);
    return after;
}

static void expect(struct spool *spool, uint64_t after, uint64_t last, size_t count)
{
    size_t got = 0;
    uint64_t got_last = read_all(spool, after, &got);
    if (got_last != last || got != count)
        fail_msg("%zu records up to %" PRIu64 ", want %zu up to %" PRIu64, got,
                 got_last, count, last);
}

static void path_of(uint64_t first, char *out, size_t size)
{
    (void)snprintf(out, size, "%s/%020" PRIu64 ".spool", dir, first);
}

static void records_come_back_in_order_over_many_segments(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_spool();
    append(spool, 200);
    expect(spool, 0, 200, 200);
    expect(spool, 137, 200, 63);
    append(spool, 3);
    expect(spool, 200, 203, 3);
    struct spool_counts counts;
    spool_count(spool, &counts);
    assert_int_equal(counts.records, 203);
    assert_int_equal(counts.entries, 203 * 204 / 2);
}

static void what_is_kept_is_there_after_reopening(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    append(spool, 50);
    size_t count = 0;
    (void)read_all(spool, 0, &count);
    assert_int_equal(spool_ack(spool, 20, NULL), 0);
    spool_close(spool);
    spool = open_spool();
    assert_int_equal(spool_acked(spool), 20);
    assert_int_equal(spool_next_sequence(spool), 51);
    struct spool_counts counts;
    spool_count(spool, &counts);
    assert_int_equal(counts.records, 30);
    assert_int_equal(counts.entries, 50 * 51 / 2 - 20 * 21 / 2);
    expect(spool, spool_acked(spool), 50, 30);
    assert_int_equal(spool_ack(spool, 50, NULL), 0);
    spool_close(spool);
    spool = open_spool();
    assert_int_equal(spool_next_sequence(spool), 51);
    append(spool, 1);
    expect(spool, 50, 51, 1);
    spool_close(spool);
}

static void acknowledged_segments_give_their_space_back(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_spool();
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct spool_counts counts;
    for (int i = 0; i < 1000; i++) {
        struct spool_record record;
        append(spool, 1);
        assert_int_equal(spool_read(spool, spool_acked(spool), &got, &record, NULL), 0);
        assert_int_equal(spool_ack(spool, record.sequence, NULL), 0);
        spool_count(spool, &counts);
        assert_int_equal(counts.records, 0);
        assert_int_equal(counts.entries, 0);
        assert_true(counts.bytes <= 2 * 4096);
    }
    assert_int_equal(counts.acked, 1000);
    assert_int_equal(counts.lost_records, 0);
}

static void a_full_queue_loses_its_oldest_and_counts_them(void **state)
{
    (void)state;
    struct spool *spool = open_small(65536, 4096);
    append(spool, 1000);
    struct spool_counts counts;
    spool_count(spool, &counts);
    assert_true(counts.bytes <= 65536);
    assert_true(counts.lost_records > 0);
    assert_int_equal(counts.lost_records + counts.records, 1000);
    assert_int_equal(counts.lost_entries + counts.entries, 1000 * 1001 / 2);
    expect(spool, 0, 1000, counts.records);
    uint64_t lost = counts.lost_records;
    spool_close(spool);
    spool = open_small(65536, 4096);
    spool_count(spool, &counts);
    assert_int_equal(counts.lost_records, lost);
    expect(spool, spool_acked(spool), 1000, 1000 - lost);
    spool_close(spool);
}

static void a_record_too_large_is_refused(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_small(65536, 4096);
    static char large[65536];
    struct err err = { 0 };
    append(spool, 3);
    assert_int_equal(spool_append(spool, (struct span){ large, sizeof large }, 1, &err),
                     -EMSGSIZE);
    assert_int_equal(spool_append(spool, (struct span){ large, 60000 }, 1, &err), 0);
    assert_int_equal(spool_next_sequence(spool), 5);
}

static void a_torn_tail_is_cut_at_every_length(void **state)
{
    (void)state;
    struct spool *spool = open_small(1 << 20, 1 << 16);
    append(spool, 5);
    spool_close(spool);
    char path[128];
    path_of(1, path, sizeof path);
    AUTO_CLOSE int fd = open(path, O_RDWR);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    AUTO_FREE char *bytes = malloc((size_t)st.st_size);
    assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
    for (off_t size = 0; size <= st.st_size; size += size < 200 ? 1 : 13) {
        (void)unlink(path);
        AUTO_CLOSE int torn = open(path, O_RDWR | O_CREAT, 0600);
        assert_int_equal(write(torn, bytes, (size_t)size), size);
        spool = open_small(1 << 20, 1 << 16);
        size_t count = 0;
        uint64_t last = read_all(spool, 0, &count);
        assert_int_equal(last, count);
        append(spool, 1);
        expect(spool, 0, last + 1, count + 1);
        spool_close(spool);
    }
}

/* What is missing of records 1 .. last, whose counts are their numbers: each is either
 * read, or in the counts, once. */
static void expect_accounts(struct spool *spool, uint64_t last)
{
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct spool_record record;
    uint64_t records = 0, entries = 0;
    while (spool_read(spool, spool_acked(spool), &got, &record, NULL) == 0) {
        /* A second reading counts nothing twice. */
        assert_int_equal(spool_read(spool, spool_acked(spool), &got, &record, NULL), 0);
        records++;
        entries += record.count;
        assert_int_equal(spool_ack(spool, record.sequence, NULL), 0);
    }
    struct spool_counts counts;
    spool_count(spool, &counts);
    assert_int_equal(records + counts.damaged_records + counts.lost_records, last);
    assert_int_equal(entries + counts.lost_entries, last * (last + 1) / 2);
    assert_int_equal(counts.records, 0);
    assert_int_equal(counts.entries, 0);
}

static void forget_acked(void)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/acknowledged", dir);
    assert_int_equal(unlink(path), 0);
}

static void a_flipped_bit_costs_its_record_only(void **state)
{
    (void)state;
    struct spool *spool = open_small(1 << 20, 1 << 16);
    append(spool, 20);
    spool_close(spool);
    char path[128];
    path_of(1, path, sizeof path);
    AUTO_CLOSE int fd = open(path, O_RDWR);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t at = FRAME_HEADER_BYTES; at < st.st_size; at += 17) {
        char byte = 0;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        char flipped = (char)(byte ^ 0x10);
        assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
        spool = open_small(1 << 20, 1 << 16);
        size_t count = 0;
        uint64_t last = read_all(spool, 0, &count);
        struct spool_counts counts;
        spool_count(spool, &counts);
        bool is_tail = counts.torn_bytes > 0;
        expect_accounts(spool, is_tail ? 19 : 20);
        spool_count(spool, &counts);
        assert_int_equal(count, 19);
        assert_int_equal(last, is_tail ? 19 : 20);
        assert_int_equal(counts.damaged_records, is_tail ? 0 : 1);
        spool_close(spool);
        forget_acked();
        if (is_tail)
            break; /* the file has been cut: as meant, and the end of this table */
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
}

static void a_segment_without_a_header_keeps_its_records(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    append(spool, 100);
    spool_close(spool);
    char path[128];
    path_of(1, path, sizeof path);
    AUTO_CLOSE int fd = open(path, O_RDWR);
    assert_int_equal(pwrite(fd, "x", 1, 20), 1);
    spool = open_spool();
    size_t count = 0;
    assert_int_equal(read_all(spool, 0, &count), 100);
    assert_int_equal(count, 100);
    spool_close(spool);
    spool = open_spool(); /* and has it again */
    expect(spool, 0, 100, 100);
    spool_close(spool);
}

static void what_damage_took_is_counted_by_records_and_entries(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t first; /* of the segment; 0: the third */
        off_t cut_at;   /* a part of its size, of 8; 8: not cut */
        int wiped;      /* bytes from the beginning */
        bool is_removed;
    } cases[] = {
        { "cut in half", 0, 4, 0, false },
        { "cut to an eighth", 0, 1, 0, false },
        { "its header and first records wiped", 0, 8, 1000, false },
        { "all of it wiped", 0, 8, 1 << 20, false },
        { "removed", 0, 8, 0, true },
        { "the first one cut in half", 1, 4, 0, false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        (void)teardown(NULL);
        (void)setup(NULL);
        struct spool *spool = open_spool();
        uint64_t first = cases[i].first;
        char path[128];
        append(spool, 100);
        spool_close(spool);
        for (uint64_t n = 20; first == 0; n++) {
            path_of(n, path, sizeof path);
            if (access(path, F_OK) == 0)
                first = n;
        }
        path_of(first, path, sizeof path);
        AUTO_CLOSE int fd = open(path, O_RDWR);
        struct stat st;
        assert_int_equal(fstat(fd, &st), 0);
        assert_int_equal(ftruncate(fd, st.st_size * cases[i].cut_at / 8), 0);
        for (off_t at = 0; at < cases[i].wiped && at < st.st_size; at++)
            assert_int_equal(pwrite(fd, "", 1, at), 1);
        if (cases[i].is_removed)
            assert_int_equal(unlink(path), 0);
        spool = open_spool();
        struct spool_counts counts;
        expect_accounts(spool, 100);
        spool_count(spool, &counts);
        if (counts.damaged_records == 0)
            fail_msg("%s: nothing was lost", cases[i].name);
        spool_close(spool);
    }
}

static void what_is_missing_at_the_end_is_counted_by_who_knows(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    append(spool, 100);
    const uint32_t mark = spool_mark(spool);
    spool_close(spool);
    char path[128];
    for (uint64_t n = 100; n > 60; n--) {
        path_of(n, path, sizeof path);
        (void)unlink(path);
    }
    spool = open_spool();
    assert_true(spool_next_sequence(spool) < 101);
    spool_raise_sequence(spool, 101, mark);
    append(spool, 1);
    expect_accounts(spool, 101);
    spool_close(spool);
}

static void a_removed_directory_is_made_again_and_its_records_counted(void **state)
{
    (void)state;
    static const enum {
        REMOVED,
        MOVED,
        ONE_FILE
    } cases[] = { REMOVED, MOVED, ONE_FILE };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct spool *spool = open_spool();
        size_t count = 0;
        append(spool, 30);
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        struct spool_record record;
        uint64_t acked = 7;
        for (uint64_t n = 1; n <= acked; n++) {
            assert_int_equal(spool_read(spool, n - 1, &got, &record, NULL), 0);
            assert_int_equal(spool_ack(spool, n, NULL), 0);
        }
        char other[128], path[128];
        (void)snprintf(other, sizeof other, "%s.moved", dir);
        path_of(1, path, sizeof path);
        if (cases[i] == REMOVED)
            assert_int_equal(teardown(NULL), 0);
        else if (cases[i] == MOVED)
            assert_int_equal(rename(dir, other), 0);
        else
            assert_int_equal(unlink(path), 0);
        append(spool, 5);
        struct spool_counts counts;
        spool_count(spool, &counts);
        uint64_t gone = 30 - acked;
        if (cases[i] == ONE_FILE)
            assert_int_equal(read_all(spool, acked, &count), 35);
        else
            assert_int_equal(counts.lost_records, gone);
        uint64_t entries = 0;
        while (spool_read(spool, spool_acked(spool), &got, &record, NULL) == 0) {
            entries += record.count;
            assert_int_equal(spool_ack(spool, record.sequence, NULL), 0);
        }
        spool_count(spool, &counts);
        assert_int_equal(entries + counts.lost_entries,
                         35 * 36 / 2 - acked * (acked + 1) / 2);
        spool_close(spool);
        spool = open_spool(); /* it is a whole one */
        assert_int_equal(spool_next_sequence(spool), 36);
        spool_close(spool);
        (void)nftw(other, unlink_one, 8, FTW_DEPTH | FTW_PHYS);
        (void)teardown(NULL);
        (void)setup(NULL);
    }
}

static void another_version_is_refused_by_name(void **state)
{
    (void)state;
    struct frame_header header = { .kind = "spol", .version = 9, .first = 1 };
    uint8_t bytes[FRAME_HEADER_BYTES];
    frame_write_header(&header, bytes);
    char path[128];
    path_of(1, path, sizeof path);
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    struct spool_opts opts = { .dir = dir, .bytes_max = 1 << 20 };
    struct spool *spool = NULL;
    struct err err = { 0 };
    assert_int_equal(spool_open(&opts, &spool, &err), -EPROTONOSUPPORT);
    assert_non_null(strstr(err.text, "version 9"));
    assert_null(spool);
}

/* Its hashes are right: it was written so, by whomever.  The numbers behind it must not
 * begin again at 0. */
static void a_number_that_nobody_counts_to_is_damage(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    append(spool, 3);
    spool_close(spool);
    struct frame_record record = { .sequence = UINT64_MAX, .count = 1 };
    uint8_t head[FRAME_RECORD_BYTES];
    char path[128];
    frame_write_record(&record, SPAN("far"), head);
    path_of(1, path, sizeof path);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, head, sizeof head), sizeof head);
    assert_int_equal(write(fd, "far", 3), 3);
    spool = open_spool();
    assert_int_equal(spool_next_sequence(spool), 4);
    append(spool, 2);
    expect(spool, 0, 5, 5);
    spool_close(spool);
}

static void a_number_of_a_later_segment_is_damage(void **state)
{
    (void)state;
    struct spool *spool = open_small(1 << 20, 256);
    append(spool, 20);
    spool_close(spool);
    struct frame_record record = { .sequence = 1000, .count = 1 };
    uint8_t head[FRAME_RECORD_BYTES];
    char path[128];
    frame_write_record(&record, SPAN("far"), head);
    path_of(1, path, sizeof path);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, head, sizeof head), sizeof head);
    assert_int_equal(write(fd, "far", 3), 3);
    spool = open_small(1 << 20, 256);
    struct spool_counts counts;
    spool_count(spool, &counts);
    assert_int_equal(counts.records, 20);
    append(spool, 2);
    expect(spool, 0, 22, 22);
    spool_close(spool);
}

static void the_last_number_is_given_once(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    spool_raise_sequence(spool, FRAME_SEQUENCE_MAX, 0);
    append(spool, 1);
    assert_int_equal(spool_append(spool, SPAN("more"), 1, NULL), -EOVERFLOW);
    expect(spool, 0, FRAME_SEQUENCE_MAX, 1);
    spool_close(spool);
}

static void what_never_came_to_count_is_cut(void **state)
{
    (void)state;
    struct spool *spool = open_spool();
    append(spool, 60);
    assert_int_equal(spool_cut(spool, 40, NULL), 0);
    assert_int_equal(spool_next_sequence(spool), 41);
    expect(spool, 0, 40, 40);
    append(spool, 2);
    expect(spool, 0, 42, 42);
    struct spool_counts counts;
    spool_count(spool, &counts);
    assert_int_equal(counts.records, 42);
    spool_close(spool);
    spool = open_spool();
    expect(spool, 0, 42, 42);
    spool_raise_sequence(spool, 100, 0);
    append(spool, 1);
    size_t count = 0;
    assert_int_equal(read_all(spool, 0, &count), 100);
    assert_int_equal(count, 43);
    spool_count(spool, &counts);
    assert_int_equal(counts.entries, 42 * 43 / 2 + 100);
    spool_close(spool);
}

static void two_processes_do_not_share_one(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_spool();
    struct spool_opts opts = { .dir = dir, .bytes_max = 1 << 20 };
    struct spool *other = NULL;
    assert_int_equal(spool_open(&opts, &other, NULL), -EBUSY);
}

/* A killed agent's child holds its lock until it execs: half a second here. */
static void a_lock_that_goes_soon_is_waited_for(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct spool *spool = open_spool();
    spool_close(spool);
    strbuf_addf(&path, "%s/acknowledged", dir);
    int fd = open(path.data, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)usleep(500000);
        _exit(0);
    }
    (void)close(fd); /* the child has it now */
    AUTO(spool_close) struct spool *next = open_spool();
    assert_non_null(next);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A file size limit stands for the full disk: write(2) stops short, then fails. */
static void a_full_disk_breaks_nothing(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_small(1 << 20, 1 << 16);
    append(spool, 10);
    struct rlimit was, small = { 3000, 3000 };
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small.rlim_max = was.rlim_max;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    static char payload[2000];
    int failed = 0;
    for (int i = 0; i < 5; i++)
        failed +=
            spool_append(spool, (struct span){ payload, sizeof payload }, 1, NULL) < 0;
    assert_true(failed > 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    uint64_t next = spool_next_sequence(spool);
    assert_true(next < 16);
    /* It goes on where it stopped. */
    append(spool, 2);
    size_t count = 0;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct spool_record record;
    uint64_t after = 0;
    while (spool_read(spool, after, &got, &record, NULL) == 0) {
        assert_int_equal(record.sequence, after + 1);
        after = record.sequence;
        count++;
    }
    assert_int_equal(after, next + 1);
}

/* What is acknowledged needs no room, though it stands in the segment that grows. */
static void a_full_disk_gives_back_what_is_acknowledged(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_small(1 << 20, 1 << 16);
    struct rlimit was, small = { 5000, 5000 };
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small.rlim_max = was.rlim_max;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    static char payload[2000];
    for (uint64_t i = 1; i <= 20; i++) {
        int rc = spool_append(spool, (struct span){ payload, sizeof payload }, 1, NULL);
        if (rc < 0)
            fail_msg("record %d: %d", (int)i, rc);
        assert_int_equal(spool_ack(spool, i, NULL), 0);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    struct spool_counts counts;
    spool_count(spool, &counts);
    assert_int_equal(counts.records, 0);
    assert_int_equal(counts.lost_records, 0);
    assert_true(counts.bytes < 5000);
    assert_int_equal(spool_next_sequence(spool), 21);
}

/* The child tells on a pipe what it was told is kept; then it is shot. */
static void append_until_killed(int told)
{
    struct spool *spool = open_spool();
    for (;;) {
        append(spool, 1);
        uint64_t kept = spool_next_sequence(spool) - 1;
        if (write(told, &kept, sizeof kept) != sizeof kept)
            _exit(1);
    }
}

static void what_was_kept_survives_kill_9(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        int told[2];
        assert_int_equal(pipe(told), 0);
        pid_t pid = fork();
        if (pid == 0)
            append_until_killed(told[1]);
        (void)close(told[1]);
        uint64_t kept = 0, last = 0;
        for (int i = 0; i < 20 + k * 7; i++)
            assert_int_equal(read(told[0], &kept, sizeof kept), sizeof kept);
        (void)kill(pid, SIGKILL);
        while (read(told[0], &last, sizeof last) == sizeof last)
            kept = last;
        (void)close(told[0]);
        (void)waitpid(pid, NULL, 0);
        AUTO(spool_close) struct spool *spool = open_spool();
        size_t count = 0;
        uint64_t acked = spool_acked(spool);
        last = read_all(spool, acked, &count);
        assert_true(last == kept || last == kept + 1);
        assert_int_equal(count, last - acked);
        assert_int_equal(spool_ack(spool, last - 3, NULL), 0);
    }
}

/* ---- synced later ---- */

static bool is_disk_broken;
static ino_t synced_files[64];
static size_t synced_count;

/* Instead of the C library's, which no test can look into. */
int fdatasync(int fd)
{
    struct stat st;
    if (is_disk_broken) {
        errno = EIO;
        return -1;
    }
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(synced_count < COUNT_OF(synced_files));
    synced_files[synced_count++] = st.st_ino;
    return 0;
}

static bool is_synced(uint64_t first)
{
    char path[128];
    struct stat st;
    path_of(first, path, sizeof path);
    assert_int_equal(stat(path, &st), 0);
    for (size_t i = 0; i < synced_count; i++)
        if (synced_files[i] == st.st_ino)
            return true;
    return false;
}

static void each_segment_is_synced_once(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_spool();
    synced_count = 0;
    append(spool, 40); /* several segments of 4 KiB */
    assert_int_equal(synced_count, 0);
    assert_int_equal(spool_sync(spool, 1, NULL), 0);
    assert_int_equal(synced_count, 1);
    assert_true(is_synced(1));
    assert_int_equal(spool_sync(spool, 40, NULL), 0);
    size_t all = synced_count;
    assert_true(all > 2);
    assert_int_equal(spool_sync(spool, 40, NULL), 0);
    assert_int_equal(synced_count, all);
    append(spool, 1);
    assert_int_equal(spool_sync(spool, 41, NULL), 0);
    assert_int_equal(synced_count, all + 1);
    spool_close(TAKE(spool));
    /* What the process before left may be in memory only. */
    spool = open_spool();
    synced_count = 0;
    assert_int_equal(spool_sync(spool, 41, NULL), 0);
    assert_true(synced_count >= all - 1);
    assert_true(is_synced(1));
    expect(spool, 0, 41, 41);
}

static void a_segment_that_cannot_be_synced_is_not_appended_to(void **state)
{
    (void)state;
    AUTO(spool_close) struct spool *spool = open_spool();
    struct err err = { 0 };
    append(spool, 1);
    is_disk_broken = true;
    assert_int_equal(spool_sync(spool, 1, &err), -EIO);
    assert_true(strstr(err.text, dir) != NULL);
    is_disk_broken = false;
    synced_count = 0;
    append(spool, 1);
    assert_int_equal(spool_sync(spool, 2, NULL), 0);
    assert_true(is_synced(2)); /* a file of its own */
    assert_int_equal(synced_count, 1);
    expect(spool, 0, 2, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(records_come_back_in_order_over_many_segments),
        TEST(what_is_kept_is_there_after_reopening),
        TEST(acknowledged_segments_give_their_space_back),
        TEST(a_full_queue_loses_its_oldest_and_counts_them),
        TEST(a_record_too_large_is_refused),
        TEST(a_torn_tail_is_cut_at_every_length),
        TEST(a_flipped_bit_costs_its_record_only),
        TEST(a_segment_without_a_header_keeps_its_records),
        TEST(what_damage_took_is_counted_by_records_and_entries),
        TEST(what_is_missing_at_the_end_is_counted_by_who_knows),
        TEST(a_removed_directory_is_made_again_and_its_records_counted),
        TEST(what_damage_took_is_counted_by_records_and_entries),
        TEST(what_is_missing_at_the_end_is_counted_by_who_knows),
        TEST(a_removed_directory_is_made_again_and_its_records_counted),
        TEST(another_version_is_refused_by_name),
        TEST(a_number_that_nobody_counts_to_is_damage),
        TEST(a_number_of_a_later_segment_is_damage),
        TEST(the_last_number_is_given_once),
        TEST(what_never_came_to_count_is_cut),
        TEST(two_processes_do_not_share_one),
        TEST(a_lock_that_goes_soon_is_waited_for),
        TEST(a_full_disk_breaks_nothing),
        TEST(a_full_disk_gives_back_what_is_acknowledged),
        TEST(what_was_kept_survives_kill_9),
        TEST(each_segment_is_synced_once),
        TEST(a_segment_that_cannot_be_synced_is_not_appended_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
