/* SPDX-License-Identifier: Apache-2.0 */
/* test_block_file - blocks of several series in a file, and found there again. */
#include "base/test/directory.h"
#include "blocks/block_file.h"

#define STEP INT64_C(10000000000)
#define BEGIN INT64_C(1700000000000000000)
#define SERIES 3
#define ROUNDS 4

static char dir[DIRECTORY_PATH_MAX], path[DIRECTORY_PATH_MAX];

static int make(void **state)
{
    (void)state;
    directory_make(dir);
    (void)snprintf(path, sizeof path, "%.500s/blocks", dir);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

static const struct block *make_block(struct block_buffer *buffer, unsigned round,
                                      uint32_t number)
{
    int64_t times[50];
    double values[50];
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        times[i] = BEGIN + (int64_t)(round * COUNT_OF(times) + i) * STEP;
        values[i] = (double)(number * 1000 + round);
    }
    return block_encode(buffer, STEP, times, values, COUNT_OF(times));
}

/* Series 1, 2, 3, in turn, as a checkpoint comes to them. */
static void write_blocks(uint32_t offsets[ROUNDS][SERIES])
{
    AUTO(block_writer_close) struct block_writer *writer = NULL;
    struct err err = { 0 };
    assert_int_equal(block_writer_open(path, 17, 4, &writer, &err), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t s = 0; s < SERIES; s++) {
            struct block_buffer buffer;
            const struct block *block = make_block(&buffer, round, s + 1);
            assert_int_equal(block_writer_add(writer, s + 1, block, &offsets[round][s]),
                             0);
        }
        if (round == 1)
            assert_int_equal(block_writer_flush(writer), 0);
        if (round == 1)
            assert_int_equal(block_writer_buffered(writer), 0);
    }
    assert_int_equal(block_writer_count(writer), (uint64_t)ROUNDS * SERIES);
    assert_int_equal(block_writer_finish(writer, &err), 0);
}

static void blocks_are_found_by_series_in_order_of_time(void **state)
{
    (void)state;
    uint32_t offsets[ROUNDS][SERIES];
    AUTO(block_file_close) struct block_file *file = NULL;
    struct err err = { 0 };
    write_blocks(offsets);
    assert_int_equal(block_file_open(path, &file, &err), 0);
    assert_int_equal(file->checkpoint, 17);
    assert_int_equal(file->shard, 4);
    assert_true(file->min_ns == BEGIN && file->max_ns == BEGIN + 199 * STEP);
    for (uint32_t s = 0; s < SERIES; s++) {
        size_t count = 0;
        const struct block_entry *e = block_file_find(file, s + 1, &count);
        assert_int_equal(count, ROUNDS);
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct samples samples;
            uint32_t offset = 0;
            assert_int_equal(e[round].offset, offsets[round][s]);
            const struct block *block = block_file_at(file, e[round].offset, s + 1);
            assert_non_null(block);
            assert_true(block_file_has(file, block, &offset));
            assert_int_equal(offset, offsets[round][s]);
            assert_int_equal(block_decode(block, &samples), 0);
            assert_true(samples.values[0] == (double)((s + 1) * 1000 + round));
        }
    }
    size_t count = 1;
    (void)block_file_find(file, SERIES + 1, &count);
    assert_int_equal(count, 0);
}

static void an_offset_that_is_none_finds_no_block(void **state)
{
    (void)state;
    uint32_t offsets[ROUNDS][SERIES];
    AUTO(block_file_close) struct block_file *file = NULL;
    static struct block_buffer elsewhere;
    uint32_t offset;
    write_blocks(offsets);
    assert_int_equal(block_file_open(path, &file, NULL), 0);
    assert_null(block_file_at(file, offsets[0][0], 2)); /* another's */
    assert_null(block_file_at(file, offsets[0][0] + 1, 1));
    assert_null(block_file_at(file, 0, 1));
    assert_null(block_file_at(file, UINT32_MAX, 1));
    assert_null(block_file_at(file, (uint32_t)(file->sealed.size / 8), 1));
    assert_false(
        block_file_has(file, (const struct block *)(void *)elsewhere.bytes, &offset));
}

static void a_damaged_block_costs_itself(void **state)
{
    (void)state;
    uint32_t offsets[ROUNDS][SERIES];
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(block_file_close) struct block_file *file = NULL;
    write_blocks(offsets);
    directory_read(dir, "blocks", &bytes);
    bytes.data[offsets[1][1] * 8 + 60] ^= 4;
    directory_write(dir, "blocks", bytes.data, bytes.size);
    assert_int_equal(block_file_open(path, &file, NULL), 0);
    assert_null(block_file_at(file, offsets[1][1], 2));
    assert_non_null(block_file_at(file, offsets[1][0], 1));
    assert_non_null(block_file_at(file, offsets[1][2], 3));
}

static void a_file_without_blocks_can_be_opened(void **state)
{
    (void)state;
    AUTO(block_writer_close) struct block_writer *writer = NULL;
    AUTO(block_file_close) struct block_file *file = NULL;
    size_t count = 1;
    assert_int_equal(block_writer_open(path, 1, 0, &writer, NULL), 0);
    assert_int_equal(block_writer_finish(writer, NULL), 0);
    assert_int_equal(block_file_open(path, &file, NULL), 0);
    (void)block_file_find(file, 1, &count);
    assert_int_equal(count, 0);
    assert_true(file->max_ns < file->min_ns);
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make, remove_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_directory(blocks_are_found_by_series_in_order_of_time),
        in_a_directory(an_offset_that_is_none_finds_no_block),
        in_a_directory(a_damaged_block_costs_itself),
        in_a_directory(a_file_without_blocks_can_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
