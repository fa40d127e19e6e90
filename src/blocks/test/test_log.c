/* SPDX-License-Identifier: Apache-2.0 */
/* test_log - what was appended is read, after death, cuts, flipped bits and a full
 * disk. */
#include "base/test/testing.h"
#include "blocks/log.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define SEGMENT 7

static char dir[64], path[96];

static int make_dir(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/baro-log.XXXXXX");
    (void)snprintf(path, sizeof path, "%s/1.log", mkdtemp(dir) ? dir : "");
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(dir);
}

/* Record n says so, and is as long as n says. */
static size_t make_record(uint64_t n, char out[512])
{
    size_t size = 9 + n * 37 % 400;
    memset(out, (int)(n & 0xFF), size);
    memcpy(out, &n, sizeof n);
    return size;
}

static int append(struct log *log, uint64_t n)
{
    char record[512];
    size_t size = make_record(n, record);
    return log_append(log, (struct span){ record, size });
}

static int check_record(void *arg, struct span payload)
{
    uint64_t *expected = arg;
    char record[512];
    size_t size = make_record(*expected, record);
    if (size != payload.size || memcmp(record, payload.data, size) != 0)
        return -EILSEQ;
    ++*expected;
    return 0;
}

static struct log_read read_all(int want)
{
    struct log_read got = { .end = LOG_DAMAGED };
    uint64_t expected = 0;
    assert_int_equal(log_read(path, check_record, &expected, &got, NULL), want);
    return got;
}

static void make_log(uint64_t count)
{
    AUTO(log_close) struct log *log = NULL;
    (void)unlink(path);
    assert_int_equal(log_create(path, LOG_BATCHES, SEGMENT, &log, NULL), 0);
    for (uint64_t n = 0; n < count; n++)
        assert_int_equal(append(log, n), 0);
    assert_int_equal(log_sync(log), 0);
}

static void what_was_appended_is_read(void **state)
{
    (void)state;
    make_log(1000);
    struct log_read got = read_all(0);
    assert_int_equal(got.records, 1000);
    assert_int_equal(got.number, SEGMENT);
    assert_int_equal(got.end, LOG_WHOLE);
    struct log *again = NULL;
    assert_int_equal(log_create(path, LOG_BATCHES, SEGMENT, &again, NULL), -EEXIST);
    make_log(0);
    assert_int_equal(read_all(0).end, LOG_WHOLE);
}

static void a_torn_tail_costs_what_is_torn(void **state)
{
    (void)state;
    make_log(20);
    struct log_read whole = read_all(0);
    uint64_t left = 20;
    for (uint64_t size = whole.good_bytes - 1; size > 40; size--) {
        assert_int_equal(truncate(path, (off_t)size), 0);
        struct log_read got = read_all(0);
        assert_true(got.records == left || got.records == left - 1);
        left = got.records;
        assert_int_equal(got.end, got.good_bytes == size ? LOG_WHOLE : LOG_TORN);
    }
    make_log(20);
    assert_int_equal(truncate(path, (off_t)whole.good_bytes + 5000), 0); /* zeros */
    struct log_read got = read_all(0);
    assert_int_equal(got.records, 20);
    assert_int_equal(got.end, LOG_TORN);
}

static void a_log_that_was_only_begun_has_nothing(void **state)
{
    (void)state;
    for (off_t size = 39; size >= 0; size -= 13) {
        make_log(0);
        assert_int_equal(truncate(path, size), 0);
        struct log_read got = read_all(0);
        assert_int_equal(got.end, LOG_TORN);
        assert_int_equal(got.good_bytes, 0);
    }
}

/* The first bytes of the header, then zeros up to size. */
static void leave_of_header(size_t bytes, off_t size)
{
    make_log(0);
    assert_int_equal(truncate(path, (off_t)bytes), 0);
    assert_int_equal(truncate(path, size), 0);
}

static void a_begun_log_may_be_longer_by_zeros_of_a_block(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t header_bytes;
        off_t size;
        int want;
    } cases[] = {
        { "zeros in place of the header", 0, 40, 0 },
        { "zeros of less than a page", 0, 956, 0 },
        { "zeros of a page", 0, 4096, 0 },
        { "zeros of the largest block", 0, 65536, 0 },
        { "more zeros than a block has", 0, 65537, -EBADMSG },
        { "the magic, then zeros", 8, 4096, 0 },
        { "a part of the magic, then zeros", 3, 41, 0 },
        { "half a header, then zeros", 20, 4096, 0 },
        { "a header whose checksum is cut, then zeros", 36, 65536, 0 },
        { "a header whose checksum is cut, then too many zeros", 36, 65537, -EBADMSG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct log_read got = { 0 };
        uint64_t expected = 0;
        leave_of_header(cases[i].header_bytes, cases[i].size);
        int rc = log_read(path, check_record, &expected, &got, NULL);
        if (rc != cases[i].want || (rc == 0 && got.end != LOG_TORN))
            fail_msg("%s: %d, ends as %d", cases[i].name, rc, (int)got.end);
        assert_int_equal(got.good_bytes, 0);
    }
    /* A whole header is one, whatever follows; zeros then are a torn record. */
    leave_of_header(40, 4096);
    struct log_read got = read_all(0);
    assert_int_equal(got.end, LOG_TORN);
    assert_int_equal(got.good_bytes, 40);
    /* Bytes behind the zeros were written after the header was durable. */
    leave_of_header(0, 4095);
    FILE *f = fopen(path, "ae");
    assert_non_null(f);
    assert_int_equal(fputc('x', f), 'x');
    assert_int_equal(fclose(f), 0);
    (void)read_all(-EBADMSG);
}

/* What has changed in the last record is no tail that a crash left: whatever byte it
 * is, also those of its length. */
static void a_last_record_that_has_changed_is_damaged(void **state)
{
    (void)state;
    make_log(19);
    off_t good = (off_t)read_all(0).good_bytes;
    make_log(20);
    off_t all = (off_t)read_all(0).good_bytes;
    for (off_t at = good; at < all; at++) {
        make_log(20);
        FILE *f = fopen(path, "re+");
        assert_non_null(f);
        assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
        int c = fgetc(f);
        assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
        assert_true(fputc(c ^ 0x41, f) != EOF);
        assert_int_equal(fclose(f), 0);
        struct log_read got = read_all(0);
        assert_int_equal(got.records, 19);
        if (got.end != LOG_DAMAGED)
            fail_msg("byte %lld of %lld: torn", (long long)at, (long long)all);
    }
}

/* Nor one before it whose length seems to reach beyond the end of the file. */
static void records_behind_a_damaged_length_are_seen(void **state)
{
    (void)state;
    make_log(10);
    off_t at = (off_t)read_all(0).good_bytes;
    make_log(20);
    FILE *f = fopen(path, "re+");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)at + 2, SEEK_SET), 0);
    assert_true(fputc(0x7f, f) != EOF);
    assert_int_equal(fclose(f), 0);
    struct log_read got = read_all(0);
    assert_int_equal(got.records, 10);
    assert_int_equal(got.end, LOG_DAMAGED);
}

/* A record of which some bytes came, and zeros up to the end of the block. */
static void half_a_record_and_zeros_are_torn(void **state)
{
    (void)state;
    make_log(19);
    off_t good = (off_t)read_all(0).good_bytes;
    make_log(20);
    off_t all = (off_t)read_all(0).good_bytes;
    for (off_t bytes = good; bytes < all; bytes += 7) {
        make_log(20);
        assert_int_equal(truncate(path, bytes), 0);
        assert_int_equal(truncate(path, all + 3000), 0);
        struct log_read got = read_all(0);
        assert_int_equal(got.records, 19);
        assert_int_equal(got.good_bytes, good);
        assert_int_equal(got.end, LOG_TORN);
        assert_int_equal(got.has_left_data, bytes > good);
    }
    /* With a record behind it, it is none that a crash leaves. */
    make_log(20);
    assert_int_equal(truncate(path, good + 40), 0);
    assert_int_equal(truncate(path, all), 0);
    FILE *f = fopen(path, "ae");
    assert_non_null(f);
    assert_true(fputs("a record that was appended later", f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(read_all(0).end, LOG_DAMAGED);
}

/* A record of numbers in which every place looks like a header of a long record: they
 * are not all tried, and what was not tried is not cut. */
static void looking_for_records_ends(void **state)
{
    static const char number[16] = { 0, 0, 0x40 };
    const size_t size = (size_t)12 << 20;
    AUTO(log_close) struct log *log = NULL;
    AUTO_FREE char *record = malloc(size);
    (void)state;
    assert_non_null(record);
    for (size_t i = 0; i < size; i += sizeof number)
        memcpy(record + i, number, sizeof number);
    (void)unlink(path);
    assert_int_equal(log_create(path, LOG_BATCHES, SEGMENT, &log, NULL), 0);
    assert_int_equal(log_append(log, (struct span){ record, size }), 0);
    assert_int_equal(truncate(path, (off_t)log_size(log) - 1), 0);
    struct log_read got = read_all(0);
    assert_int_equal(got.records, 0);
    assert_int_equal(got.end, LOG_DAMAGED);
    assert_true(got.has_left_data);
}

static void a_flipped_bit_is_found(void **state)
{
    (void)state;
    make_log(10);
    struct log_read whole = read_all(0);
    for (uint64_t at = 0; at < whole.good_bytes; at++) {
        char byte;
        FILE *f = fopen(path, "r+e");
        assert_non_null(f);
        assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
        assert_int_equal(fread(&byte, 1, 1, f), 1);
        char flipped = (char)(byte ^ (1 << at % 8));
        assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
        assert_int_equal(fwrite(&flipped, 1, 1, f), 1);
        assert_int_equal(fflush(f), 0);
        struct log_read got = read_all(at < 40 ? -EBADMSG : 0);
        assert_true(at < 40 || (got.records < 10 && got.end != LOG_WHOLE));
        assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
        assert_int_equal(fwrite(&byte, 1, 1, f), 1);
        assert_int_equal(fclose(f), 0);
    }
    assert_int_equal(read_all(0).records, 10);
}

/* Append and tell each record's number, until killed. */
static void append_for_ever(int fd)
{
    struct log *log = NULL;
    if (log_create(path, LOG_BATCHES, SEGMENT, &log, NULL) < 0)
        _exit(1);
    for (uint64_t n = 0;; n++) {
        if (append(log, n) < 0 || write(fd, &n, sizeof n) != sizeof n)
            _exit(1);
    }
}

static void what_was_acknowledged_survives_kill(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        int fds[2];
        uint64_t acknowledged = 0, n;
        (void)unlink(path);
        assert_int_equal(pipe(fds), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            append_for_ever(fds[1]);
        assert_int_equal(close(fds[1]), 0);
        for (; acknowledged < 50 + round * 61; acknowledged++)
            assert_int_equal(read(fds[0], &n, sizeof n), sizeof n);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        while (read(fds[0], &n, sizeof n) == sizeof n)
            acknowledged++;
        assert_int_equal(close(fds[0]), 0);
        struct log_read got = read_all(0);
        assert_true(got.records >= acknowledged && got.end != LOG_DAMAGED);
    }
}

static void a_full_disk_refuses_and_harms_nothing(void **state)
{
    (void)state;
    (void)unlink(path);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        AUTO(log_close) struct log *log = NULL;
        struct rlimit limit = { 1000, 1000 };
        uint64_t n = 0;
        (void)signal(SIGXFSZ, SIG_IGN);
        if (log_create(path, LOG_BATCHES, SEGMENT, &log, NULL) < 0 ||
            setrlimit(RLIMIT_FSIZE, &limit) < 0)
            _exit(100);
        while (append(log, n) == 0)
            n++;
        _exit((int)n);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) > 0 &&
                WEXITSTATUS(status) < 100);
    struct log_read got = read_all(0);
    assert_int_equal(got.records, WEXITSTATUS(status));
    assert_int_equal(got.end, LOG_WHOLE);
}

static void what_is_no_log_is_refused_by_name(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct log_read got;
    uint64_t expected = 0;
    (void)unlink(path);
    assert_int_equal(log_read(path, check_record, &expected, &got, &err), -ENOENT);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs("something else that is long enough for a header", f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(log_read(path, check_record, &expected, &got, &err), -EBADMSG);
    assert_non_null(strstr(err.text, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_appended_is_read),
        cmocka_unit_test(a_torn_tail_costs_what_is_torn),
        cmocka_unit_test(a_log_that_was_only_begun_has_nothing),
        cmocka_unit_test(a_begun_log_may_be_longer_by_zeros_of_a_block),
        cmocka_unit_test(a_last_record_that_has_changed_is_damaged),
        cmocka_unit_test(records_behind_a_damaged_length_are_seen),
        cmocka_unit_test(half_a_record_and_zeros_are_torn),
        cmocka_unit_test(looking_for_records_ends),
        cmocka_unit_test(a_flipped_bit_is_found),
        cmocka_unit_test(what_was_acknowledged_survives_kill),
        cmocka_unit_test(a_full_disk_refuses_and_harms_nothing),
        cmocka_unit_test(what_is_no_log_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
