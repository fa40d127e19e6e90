/* SPDX-License-Identifier: Apache-2.0 */
/* test_old_blocks - the blocks of a series out of several files and an archive: of
 * those that overlap the newest counts. */
#include "base/test/directory.h"
#include "store/files/old_blocks.h"
#include "store/files/store_files.h"

#define STEP INT64_C(10000000000)
#define BEGIN INT64_C(1700000000000000000)
#define SLOTS 10

static char dir[DIRECTORY_PATH_MAX];
static struct store_files *files;

/* Slots first .. first + SLOTS - 1 of a series, all of one value. */
static struct block *make_block(struct block_buffer *buffer, int64_t first,
                                double value)
{
    int64_t times[SLOTS];
    double values[SLOTS];
    for (size_t i = 0; i < SLOTS; i++) {
        times[i] = BEGIN + (first + (int64_t)i) * STEP;
        values[i] = value;
    }
    return block_encode(buffer, STEP, times, values, SLOTS);
}

static void add_file(uint64_t checkpoint, int64_t first, double value)
{
    AUTO(block_writer_close) struct block_writer *writer = NULL;
    struct block_buffer buffer;
    char path[DIRECTORY_PATH_MAX];
    uint32_t offset;
    (void)snprintf(path, sizeof path, "%.480s/blocks-%u", dir, (unsigned)checkpoint);
    assert_int_equal(block_writer_open(path, checkpoint, 0, &writer, NULL), 0);
    assert_int_equal(
        block_writer_add(writer, 1, make_block(&buffer, first, value), &offset), 0);
    assert_int_equal(
        block_writer_add(writer, 2, make_block(&buffer, first, -1), &offset), 0);
    assert_int_equal(block_writer_finish(writer, NULL), 0);
    assert_int_equal(block_file_open(path, &files->blocks[files->block_count++], NULL),
                     0);
}

static void add_archive(uint64_t checkpoint, int64_t first, double value)
{
    AUTO(archive_writer_close) struct archive_writer *writer = NULL;
    struct block_buffer buffer;
    char path[DIRECTORY_PATH_MAX];
    (void)snprintf(path, sizeof path, "%.480s/archive", dir);
    assert_int_equal(archive_writer_open(path, checkpoint, &writer, NULL), 0);
    struct block *block = make_block(&buffer, first, value);
    block->is_filed = 1;
    assert_int_equal(archive_writer_add(writer, 1, (uint32_t)checkpoint, block), 0);
    assert_int_equal(archive_writer_finish(writer, NULL), 0);
    assert_int_equal(
        archive_file_open(path, &files->archives[files->archive_count++], NULL), 0);
}

static int make(void **state)
{
    (void)state;
    directory_make(dir);
    return store_files_new(4, 1, &files);
}

static int remove_all(void **state)
{
    (void)state;
    store_files_close(files);
    directory_remove(dir);
    return 0;
}

static const struct old_range all = { INT64_MIN, INT64_MAX, INT64_MAX };

static void check_values(struct old_range range, const double *values, size_t count)
{
    AUTO(old_blocks_done) struct old_blocks old = OLD_BLOCKS_INIT;
    assert_int_equal(old_blocks_find(&old, files, 1, range), 0);
    assert_int_equal(old.unreadable, 0);
    assert_int_equal(old.count, count);
    for (size_t i = 0; i < count; i++) {
        struct samples samples;
        assert_int_equal(block_decode(old.blocks[i].block, &samples), 0);
        if (samples.values[0] != values[i])
            fail_msg("block %zu: %g, not %g", i, samples.values[0], values[i]);
        assert_true(i == 0 || old.blocks[i].start_ns > old.blocks[i - 1].end_ns);
    }
}

static void blocks_come_in_order_of_time(void **state)
{
    (void)state;
    add_file(7, 20, 2);
    add_file(8, 30, 3);
    add_file(9, 10, 1);
    add_archive(3, 0, 0);
    check_values(all, (const double[]){ 0, 1, 2, 3 }, 4);
}

static void of_blocks_that_overlap_the_newest_counts(void **state)
{
    (void)state;
    add_file(7, 0, 7);
    add_file(9, 5, 9); /* late samples came: it was written again */
    add_file(8, 20, 8);
    add_archive(3, 21, 3);
    check_values(all, (const double[]){ 9, 8 }, 2);
}

static void only_what_is_in_the_range_comes(void **state)
{
    (void)state;
    static const struct {
        int64_t from, to, before; /* slots */
        double values[4];
        size_t count;
    } cases[] = {
        { 0, 40, 40, { 0, 1, 2, 3 }, 4 }, { 9, 10, 40, { 0 }, 1 },
        { 10, 20, 40, { 1 }, 1 },         { 15, 21, 40, { 1, 2 }, 2 },
        { 40, 50, 60, { 0 }, 0 },         { -9, 0, 40, { 0 }, 0 },
        { 0, 40, 20, { 0, 1 }, 2 }, /* memory begins there */
        { 0, 40, 19, { 0 }, 1 },
    };
    add_file(7, 10, 1);
    add_file(8, 20, 2);
    add_file(9, 30, 3);
    add_archive(3, 0, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct old_range range = { BEGIN + cases[i].from * STEP,
                                         BEGIN + cases[i].to * STEP,
                                         BEGIN + cases[i].before * STEP };
        check_values(range, cases[i].values, cases[i].count);
    }
}

static void damaged_blocks_are_counted(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(old_blocks_done) struct old_blocks old = OLD_BLOCKS_INIT;
    add_file(7, 0, 7);
    add_file(8, 10, 8);
    directory_read(dir, "blocks-7", &bytes);
    bytes.data[60] ^= 1; /* in its first block */
    directory_write(dir, "blocks-7", bytes.data, bytes.size);
    assert_int_equal(old_blocks_find(&old, files, 1, all), 0);
    assert_int_equal(old.count, 1);
    assert_int_equal(old.unreadable, 1);
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make, remove_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_directory(blocks_come_in_order_of_time),
        in_a_directory(of_blocks_that_overlap_the_newest_counts),
        in_a_directory(only_what_is_in_the_range_comes),
        in_a_directory(damaged_blocks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
