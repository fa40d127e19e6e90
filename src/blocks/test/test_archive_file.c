/* SPDX-License-Identifier: Apache-2.0 */
/* test_archive_file - blocks packed in frames, and found there with what they are of.
 */
#include "base/span.h"
#include "base/test/directory.h"
#include "blocks/archive_file.h"

#define STEP INT64_C(10000000000)
#define BEGIN INT64_C(1700000000000000000)
#define SERIES 40
#define BLOCKS 30 /* of a series: more than one frame in all */

static char dir[DIRECTORY_PATH_MAX], path[DIRECTORY_PATH_MAX];

static int make(void **state)
{
    (void)state;
    directory_make(dir);
    (void)snprintf(path, sizeof path, "%.500s/archive", dir);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

static double value_of(uint32_t number, unsigned block, size_t i)
{
    return (double)((number * 31 + block * 7 + i * i) % 1009) / 3;
}

static void add_block(struct archive_writer *writer, uint32_t number, unsigned n)
{
    struct block_buffer buffer;
    int64_t times[60];
    double values[60];
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        times[i] = BEGIN + (int64_t)(n * COUNT_OF(times) + i) * STEP;
        values[i] = value_of(number, n, i);
    }
    struct block *block = block_encode(&buffer, STEP, times, values, COUNT_OF(times));
    block->is_filed = 1;
    assert_int_equal(archive_writer_add(writer, number, 100 + n, block), 0);
}

static void write_archive(void)
{
    AUTO(archive_writer_close) struct archive_writer *writer = NULL;
    struct err err = { 0 };
    assert_int_equal(archive_writer_open(path, 17, &writer, &err), 0);
    for (uint32_t number = 1; number <= SERIES; number++)
        for (unsigned n = 0; n < BLOCKS; n++)
            add_block(writer, number, n);
    for (uint32_t number = 1; number <= SERIES; number++) {
        char host[32];
        (void)snprintf(host, sizeof host, "c/h%u", number);
        const struct record_name name = { number, span_of(host), SPAN("load"), STEP };
        assert_int_equal(archive_writer_name(writer, &name), 0);
    }
    assert_int_equal(archive_writer_finish(writer, &err), 0);
}

static void check_block(const struct archive_file *file, const struct archive_entry *e,
                        unsigned n)
{
    AUTO_FREE void *frame = NULL;
    struct samples samples;
    assert_int_equal(e->checkpoint, 100 + n);
    assert_int_equal(archive_file_unpack(file, e->frame, &frame), 0);
    const struct block *block = archive_file_at(file, e, frame);
    assert_non_null(block);
    assert_int_equal(block_decode(block, &samples), 0);
    assert_int_equal(samples.count, 60);
    for (size_t i = 0; i < samples.count; i++)
        assert_true(samples.values[i] == value_of(e->number, n, i));
}

static void blocks_are_found_by_series_in_order_of_time(void **state)
{
    (void)state;
    AUTO(archive_file_close) struct archive_file *file = NULL;
    struct err err = { 0 };
    write_archive();
    assert_int_equal(archive_file_open(path, &file, &err), 0);
    assert_int_equal(file->checkpoint, 17);
    assert_int_equal(file->entry_count, (size_t)SERIES * BLOCKS);
    assert_true(file->frame_count > 1);
    assert_true(file->min_ns == BEGIN);
    assert_true(file->max_ns == BEGIN + (BLOCKS * 60 - 1) * STEP);
    for (uint32_t number = 1; number <= SERIES; number += 13) {
        size_t count = 0;
        const struct archive_entry *e = archive_file_find(file, number, &count);
        assert_int_equal(count, BLOCKS);
        for (unsigned n = 0; n < count; n++)
            check_block(file, &e[n], n);
    }
    archive_file_forget(file);
    check_block(file, &file->entries[1], 1);
}

static int check_name(void *arg, const struct record_name *name)
{
    uint32_t *seen = arg;
    char host[32];
    (void)snprintf(host, sizeof host, "c/h%u", ++*seen);
    assert_int_equal(name->number, *seen);
    assert_true(span_is(name->path, host) && span_is(name->metric, "load"));
    assert_true(name->step_ns == STEP);
    return *seen == SERIES ? -EDOM : 0;
}

static void names_say_what_numbers_stand_for(void **state)
{
    (void)state;
    AUTO(archive_file_close) struct archive_file *file = NULL;
    uint32_t seen = 0;
    write_archive();
    assert_int_equal(archive_file_open(path, &file, NULL), 0);
    /* What the function returns ends the reading. */
    assert_int_equal(archive_file_names(file, check_name, &seen), -EDOM);
    assert_int_equal(seen, SERIES);
}

static void a_damaged_frame_costs_itself(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(archive_file_close) struct archive_file *file = NULL;
    AUTO_FREE void *frame = NULL;
    write_archive();
    directory_read(dir, "archive", &bytes);
    bytes.data[100] ^= 1; /* in the first frame */
    directory_write(dir, "archive", bytes.data, bytes.size);
    assert_int_equal(archive_file_open(path, &file, NULL), 0);
    assert_int_equal(archive_file_unpack(file, 0, &frame), -EBADMSG);
    assert_null(frame);
    assert_int_equal(archive_file_unpack(file, 1, &frame), 0);
}

static void a_frame_that_is_not_there_is_refused(void **state)
{
    (void)state;
    AUTO(archive_file_close) struct archive_file *file = NULL;
    AUTO_FREE void *frame = NULL;
    write_archive();
    assert_int_equal(archive_file_open(path, &file, NULL), 0);
    assert_int_equal(archive_file_unpack(file, (uint32_t)file->frame_count, &frame),
                     -EBADMSG);
    assert_int_equal(archive_file_unpack(file, UINT32_MAX, &frame), -EBADMSG);
}

static void an_entry_of_another_block_finds_none(void **state)
{
    (void)state;
    AUTO(archive_file_close) struct archive_file *file = NULL;
    AUTO_FREE void *frame = NULL;
    write_archive();
    assert_int_equal(archive_file_open(path, &file, NULL), 0);
    assert_int_equal(archive_file_unpack(file, 0, &frame), 0);
    struct archive_entry good = file->entries[0], bad[5];
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].number++;
    bad[1].start_ns++;
    bad[2].end_ns++;
    bad[3].offset = 0;
    bad[4].offset = UINT32_MAX;
    assert_non_null(archive_file_at(file, &good, frame));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (archive_file_at(file, &bad[i], frame))
            fail_msg("bad entry %zu finds a block", i);
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make, remove_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_directory(blocks_are_found_by_series_in_order_of_time),
        in_a_directory(names_say_what_numbers_stand_for),
        in_a_directory(a_damaged_frame_costs_itself),
        in_a_directory(a_frame_that_is_not_there_is_refused),
        in_a_directory(an_entry_of_another_block_finds_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
