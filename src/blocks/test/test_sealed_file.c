/* SPDX-License-Identifier: Apache-2.0 */
/* test_sealed_file - what was written is mapped again; what is cut, changed or of
 * another form is refused, by name. */
#include "base/span.h"
#include "base/test/directory.h"
#include "blocks/sealed_file.h"

static const struct sealed_form form = {
    .noun = "a test file",
    .magic = { 'b', 'a', 'r', 'o', 't', 's', 't', '\n' },
    .end_magic = { 'b', 'a', 'r', 'o', 't', 'e', 'n', 'd' },
    .version = 3,
    .header_words = 2,
    .footer_words = 2,
    .slack_bytes = 4096,
};

#define HEADER_BYTES (16 + 2 * 8 + 8)
#define FOOTER_BYTES (2 * 8 + 8 + 8)

static char dir[DIRECTORY_PATH_MAX], path[DIRECTORY_PATH_MAX];

static int make(void **state)
{
    (void)state;
    directory_make(dir);
    (void)snprintf(path, sizeof path, "%.500s/file", dir);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

static const uint64_t header[] = { 17, 4 };
static const uint64_t footer[] = { 0, 4711 };

/* Eleven bytes, so that the directory is behind padding. */
static void write_file(void)
{
    AUTO(sealed_writer_close) struct sealed_writer *writer = NULL;
    struct err err = { 0 };
    assert_int_equal(sealed_writer_open(&form, path, header, &writer, &err), 0);
    assert_int_equal(sealed_writer_size(writer), HEADER_BYTES);
    assert_int_equal(sealed_writer_add(writer, "eleven byte", 11), 0);
    assert_int_equal(sealed_writer_size(writer), HEADER_BYTES + 11);
    assert_int_equal(sealed_writer_finish(writer, SPAN("a directory"), footer, &err),
                     0);
}

static void what_was_written_is_mapped_again(void **state)
{
    (void)state;
    AUTO(sealed_file_close) struct sealed_file file = { 0 };
    struct err err = { 0 };
    write_file();
    assert_int_equal(sealed_file_open(&form, path, &file, &err), 0);
    assert_true(file.header[0] == 17 && file.header[1] == 4);
    assert_true(file.footer[0] == HEADER_BYTES + 16 && file.footer[1] == 4711);
    assert_memory_equal(file.map + sealed_file_begin(&form), "eleven byte", 11);
    assert_true(span_is(file.directory, "a directory"));
    assert_int_equal((uintptr_t)file.directory.data % SEALED_UNIT_BYTES, 0);
    /* The slack can be read, and is zeros. */
    assert_true(file.map_size >= file.size + form.slack_bytes);
    assert_int_equal(file.map[file.map_size - 1], 0);
}

static void without_finish_the_file_is_gone(void **state)
{
    (void)state;
    struct sealed_writer *writer = NULL;
    assert_int_equal(sealed_writer_open(&form, path, header, &writer, NULL), 0);
    assert_int_equal(access(path, F_OK), 0);
    sealed_writer_close(writer);
    assert_int_equal(access(path, F_OK), -1);
    sealed_writer_close(NULL);
}

static void a_file_that_is_there_is_left_alone(void **state)
{
    (void)state;
    struct sealed_writer *writer = NULL;
    struct err err = { 0 };
    directory_write(dir, "file", "mine", 4);
    assert_int_equal(sealed_writer_open(&form, path, header, &writer, &err), -EEXIST);
    assert_null(writer);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(access(path, F_OK), 0);
}

/* Writes the bytes of a good file with byte at changed, and its end cut. */
static int open_changed(size_t at, size_t cut, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(sealed_file_close) struct sealed_file file = { 0 };
    (void)unlink(path);
    write_file();
    directory_read(dir, "file", &bytes);
    if (at < bytes.size)
        bytes.data[at] ^= 1;
    directory_write(dir, "file", bytes.data, bytes.size - cut);
    int rc = sealed_file_open(&form, path, &file, err);
    assert_true(rc == 0 || !file.map);
    return rc;
}

static void every_change_outside_the_bytes_is_refused(void **state)
{
    (void)state;
    size_t directory = HEADER_BYTES + 16, size = directory + 11 + FOOTER_BYTES;
    for (size_t at = 0; at < size; at++) {
        bool is_owners = at >= HEADER_BYTES && at < directory;
        /* The size of the header is not looked at, but for its checksum. */
        int rc = open_changed(at, 0, NULL);
        if (rc != (is_owners ? 0 : -EBADMSG))
            fail_msg("byte %zu: %d", at, rc);
    }
    assert_int_equal(open_changed(SIZE_MAX, 0, NULL), 0);
}

static void a_file_that_is_cut_anywhere_is_refused(void **state)
{
    (void)state;
    size_t size = HEADER_BYTES + 16 + 11 + FOOTER_BYTES;
    for (size_t cut = 1; cut <= size; cut++)
        assert_int_equal(open_changed(SIZE_MAX, cut, NULL), -EBADMSG);
}

static void what_is_wrong_is_reported(void **state)
{
    (void)state;
    static const struct {
        size_t at, cut;
        const char *text;
    } cases[] = {
        { 0, 0, "is not a test file" },
        { 8, 0, "is of version 2, this reads 3" },
        { 16, 0, "its header is damaged" },
        { HEADER_BYTES + 16, 0, "its directory is damaged" },
        { SIZE_MAX, 3, "its end is damaged or missing" },
        { SIZE_MAX, HEADER_BYTES + 16 + 11 + FOOTER_BYTES, "is not a test file" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        assert_int_equal(open_changed(cases[i].at, cases[i].cut, &err), -EBADMSG);
        if (!strstr(err.text, cases[i].text) || !strstr(err.text, path))
            fail_msg("'%s' is not '%s'", err.text, cases[i].text);
    }
}

static void a_file_that_is_not_there_is_enoent(void **state)
{
    (void)state;
    struct sealed_file file = { 0 };
    assert_int_equal(sealed_file_open(&form, path, &file, NULL), -ENOENT);
}

static void entries_are_found_by_their_number(void **state)
{
    (void)state;
    static const struct {
        uint32_t number, other;
    } entries[] = { { 1, 10 }, { 3, 30 }, { 3, 31 }, { 3, 32 }, { UINT32_MAX, 40 } };
    static const struct {
        uint32_t number;
        size_t first, count;
    } cases[] = { { 0, 0, 0 }, { 1, 0, 1 }, { 2, 1, 0 },
                  { 3, 1, 3 }, { 4, 4, 0 }, { UINT32_MAX, 4, 1 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t count = 99;
        const void *found = sealed_find(entries, COUNT_OF(entries), sizeof entries[0],
                                        cases[i].number, &count);
        assert_int_equal(count, cases[i].count);
        assert_ptr_equal(found, &entries[cases[i].first]);
    }
    size_t count = 99;
    (void)sealed_find(entries, 0, sizeof entries[0], 1, &count);
    assert_int_equal(count, 0);
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make, remove_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_directory(what_was_written_is_mapped_again),
        in_a_directory(without_finish_the_file_is_gone),
        in_a_directory(a_file_that_is_there_is_left_alone),
        in_a_directory(every_change_outside_the_bytes_is_refused),
        in_a_directory(a_file_that_is_cut_anywhere_is_refused),
        in_a_directory(what_is_wrong_is_reported),
        in_a_directory(a_file_that_is_not_there_is_enoent),
        cmocka_unit_test(entries_are_found_by_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
