/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_read_streams - windows of reads that go on, and of reads that do not. */
#include "base/test/testing.h"
#include "dataset/forwarder/ahead/read_streams.h"

#define CHUNKS 1000U

/* How many chunks are wanted; they follow each other from `from` on. */
static size_t wanted(struct read_streams *streams, size_t from)
{
    size_t count = 0, number = 0;
    while (read_streams_next(streams, &number)) {
        assert_int_equal(number, from + count);
        count++;
    }
    return count;
}

static void a_window_doubles_and_ends_at_the_last_chunk(void **state)
{
    (void)state;
    struct read_streams streams = { .chunk_count = CHUNKS };
    size_t planned = 2; /* after the second read, of chunk 1 */
    static const size_t more[] = { 0, 2, 3, 5, 9, 17, 1, 1 };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        read_streams_note(&streams, i, 1);
        assert_int_equal(wanted(&streams, planned), more[i]);
        planned += more[i];
    }
    for (size_t i = sizeof more / sizeof more[0]; i < CHUNKS; i++) {
        read_streams_note(&streams, i, 1);
        planned += wanted(&streams, planned);
        assert_true(planned <= CHUNKS && planned <= i + 1 + READ_WINDOW_MAX);
    }
    assert_int_equal(planned, CHUNKS);
}

static void random_reads_want_nothing(void **state)
{
    (void)state;
    struct read_streams streams = { .chunk_count = CHUNKS };
    for (size_t i = 0; i < 200; i++) {
        read_streams_note(&streams, i * 397 % CHUNKS, 1);
        assert_int_equal(wanted(&streams, 0), 0);
    }
}

/* The next read of a file begins in the chunk in which the one before ended. */
static void reads_within_a_chunk_do_not_widen_it(void **state)
{
    (void)state;
    struct read_streams streams = { .chunk_count = CHUNKS };
    for (size_t i = 0; i < 20; i++) {
        read_streams_note(&streams, 5, 1);
        assert_int_equal(wanted(&streams, 0), 0);
    }
    read_streams_note(&streams, 5, 2);
    assert_int_equal(wanted(&streams, 7), 2);
}

static void files_side_by_side_have_a_window_each(void **state)
{
    (void)state;
    struct read_streams streams = { .chunk_count = CHUNKS };
    for (size_t file = 0; file < READ_STREAMS_MAX; file++)
        read_streams_note(&streams, file * 100, 1);
    for (size_t file = 0; file < READ_STREAMS_MAX; file++) {
        read_streams_note(&streams, file * 100 + 1, 1);
        assert_int_equal(wanted(&streams, file * 100 + 2), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_doubles_and_ends_at_the_last_chunk),
        cmocka_unit_test(random_reads_want_nothing),
        cmocka_unit_test(reads_within_a_chunk_do_not_widen_it),
        cmocka_unit_test(files_side_by_side_have_a_window_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
