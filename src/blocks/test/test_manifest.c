/* SPDX-License-Identifier: Apache-2.0 */
/* test_manifest - what was written is read; what is not whole or not understood is
 * refused, with its line. */
#include "base/test/directory.h"
#include "blocks/manifest.h"

#include <inttypes.h>
#include <xxhash.h>

static char dir[DIRECTORY_PATH_MAX];

static int make(void **state)
{
    (void)state;
    directory_make(dir);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    AUTO(manifest_done) struct manifest read = { 0 };
    AUTO(manifest_done)
    struct manifest m = {
        .checkpoint = 17,
        .t_ns = 1700000000123456789,
        .seed = UINT64_MAX,
        .next_number = UINT32_MAX,
        .shard_count = 3,
        .segments = { 5, 0, UINT64_MAX },
    };
    struct err err = { 0 };
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(
            manifest_add(&m, MANIFEST_BLOCKS, (struct manifest_file){ i + 1, i % 3 }),
            0);
    assert_int_equal(
        manifest_add(&m, MANIFEST_ARCHIVES, (struct manifest_file){ 9, 0 }), 0);
    assert_int_equal(manifest_write(&m, dir, &err), 0);
    assert_int_equal(manifest_read(dir, 17, &read, &err), 0);
    assert_true(read.checkpoint == 17 && read.t_ns == m.t_ns && read.seed == m.seed &&
                read.next_number == m.next_number && read.shard_count == 3);
    assert_memory_equal(read.segments, m.segments, sizeof m.segments);
    assert_int_equal(read.block_count, 100);
    for (unsigned i = 0; i < 100; i++)
        assert_true(read.blocks[i].checkpoint == i + 1 &&
                    read.blocks[i].shard == i % 3);
    assert_int_equal(read.archive_count, 1);
    assert_true(read.archives[0].checkpoint == 9);
}

/* As manifest-00000017, with a right end. */
static void write_lines(const char *lines)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, lines);
    strbuf_addf(&text, "end %016" PRIx64 "\n", XXH3_64bits(text.data, text.size));
    directory_write(dir, "manifest-00000017", text.data, text.size);
}

#define FIRST "baro-store-manifest 1\n"

static void lines_that_are_not_understood_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *text;
    } cases[] = {
        { "baro-store-manifest 2\ncheckpoint 17\nlog 0 1\n", ":1: " },
        { "checkpoint 17\nlog 0 1\n", ":1: " },
        { FIRST "checkpoint 17\nlog 1 1\n", ":3: 'log'" }, /* not in order */
        { FIRST "checkpoint 17\nlog 0 1 2\n", ":3: 'log'" },
        { FIRST "checkpoint 17\nlog 0\n", ":3: 'log'" },
        { FIRST "checkpoint\nlog 0 1\n", ":2: 'checkpoint'" },
        { FIRST "checkpoint 1 7\n", ":2: 'checkpoint'" },
        { FIRST "checkpoint 17\nblocks 1 64\n", ":3: 'blocks'" },
        { FIRST "checkpoint 17\nblocks 1 -1\n", ":3: 'blocks'" },
        { FIRST "checkpoint 17\nnext_number 4294967296\n", ":3: 'next_number'" },
        { FIRST "checkpoint 17\ntime 9223372036854775808\n", ":3: 'time'" },
        { FIRST "checkpoint 17\narchive 1 2 3 4 5\n", ":3: 'archive'" },
        { FIRST "checkpoint 17\nfuture 1\n", ":3: 'future'" },
        { FIRST "checkpoint 18\nlog 0 1\n", "of another checkpoint" },
        { FIRST "checkpoint 17\n", "of another checkpoint" }, /* no logs */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct manifest m = { .checkpoint = 99 };
        struct err err = { 0 };
        write_lines(cases[i].lines);
        int rc = manifest_read(dir, 17, &m, &err);
        if (rc != -EBADMSG || !strstr(err.text, cases[i].text) || m.checkpoint != 99)
            fail_msg("case %zu: %d, '%s'", i, rc, err.text);
    }
}

static void every_changed_or_missing_byte_is_found(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct manifest m = { 0 };
    write_lines(FIRST "checkpoint 17\ntime 1\nseed 2\nnext_number 3\nlog 0 1\n");
    directory_read(dir, "manifest-00000017", &bytes);
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= 1;
        directory_write(dir, "manifest-00000017", bytes.data, bytes.size);
        assert_int_equal(manifest_read(dir, 17, &m, NULL), -EBADMSG);
        bytes.data[i] ^= 1;
        directory_write(dir, "manifest-00000017", bytes.data, i);
        assert_int_equal(manifest_read(dir, 17, &m, NULL), -EBADMSG);
    }
}

static void one_that_is_not_there_is_enoent(void **state)
{
    (void)state;
    struct manifest m = { 0 };
    assert_int_equal(manifest_read(dir, 17, &m, NULL), -ENOENT);
}

static void lists_have_a_limit(void **state)
{
    (void)state;
    AUTO(manifest_done) struct manifest m = { 0 };
    const struct manifest_file file = { 1, 0 };
    for (size_t i = 0; i < MANIFEST_FILES_MAX; i++)
        assert_int_equal(manifest_add(&m, MANIFEST_ARCHIVES, file), 0);
    assert_int_equal(manifest_add(&m, MANIFEST_ARCHIVES, file), -E2BIG);
    assert_int_equal(manifest_add(&m, MANIFEST_BLOCKS, file), 0);
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make, remove_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_directory(what_was_written_is_read),
        in_a_directory(lines_that_are_not_understood_are_refused),
        in_a_directory(every_changed_or_missing_byte_is_found),
        in_a_directory(one_that_is_not_there_is_enoent),
        cmocka_unit_test(lists_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
