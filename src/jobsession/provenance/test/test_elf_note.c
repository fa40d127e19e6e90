/* SPDX-License-Identifier: Apache-2.0 */
/* test_elf_note - a build-id is read, and of a file that is none nothing. */
#include "base/span.h"
#include "base/test/testing.h"
#include "jobsession/provenance/elf_note.h"
#include "jobsession/provenance/maps_line.h"

#include <elf.h>

struct image {
    Elf64_Ehdr header;
    Elf64_Phdr program;
    Elf64_Nhdr note;
    char name[4];
    unsigned char value[20];
};

static struct image image_new(void)
{
    struct image image = {
        .header = { .e_phoff = offsetof(struct image, program),
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_phnum = 1 },
        .program = { .p_type = PT_NOTE,
                     .p_offset = offsetof(struct image, note),
                     .p_filesz = sizeof(Elf64_Nhdr) + 4 + 20 },
        .note = { .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID },
        .name = "GNU",
    };
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    for (size_t i = 0; i < sizeof image.value; i++)
        image.value[i] = (unsigned char)(0xa0 + i);
    return image;
}

static void id_of(const struct image *image, size_t size, char ret[ELF_NAME_BYTES])
{
    /* Of its own size, so that a read beyond it is found. */
    AUTO_FREE char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, image, size);
    elf_build_id((struct span){ copy, size }, ret);
}

static void a_build_id_is_read(void **state)
{
    const struct image image = image_new();
    char id[ELF_NAME_BYTES];
    (void)state;
    id_of(&image, sizeof image, id);
    assert_string_equal(id, "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3");
}

static void any_cut_and_any_bit_is_survived(void **state)
{
    char id[ELF_NAME_BYTES];
    (void)state;
    for (size_t size = 0; size < offsetof(struct image, value) + 20; size++) {
        const struct image image = image_new();
        id_of(&image, size, id);
        assert_string_equal(id, "");
    }
    for (size_t bit = 0; bit < 8 * offsetof(struct image, value); bit++) {
        struct image image = image_new();
        ((unsigned char *)&image)[bit / 8] ^= (unsigned char)(1 << bit % 8);
        id_of(&image, sizeof image, id);
        assert_true(strlen(id) < ELF_NAME_BYTES);
    }
}

static void sizes_that_overflow_are_none(void **state)
{
    struct image image = image_new();
    char id[ELF_NAME_BYTES];
    (void)state;
    image.note.n_namesz = UINT32_MAX;
    id_of(&image, sizeof image, id);
    assert_string_equal(id, "");
    image = image_new();
    image.program.p_offset = UINT64_MAX;
    id_of(&image, sizeof image, id);
    assert_string_equal(id, "");
    image = image_new();
    image.header.e_phoff = UINT64_MAX - 8;
    id_of(&image, sizeof image, id);
    assert_string_equal(id, "");
    image = image_new();
    image.note.n_descsz = 33; /* longer than an id may be */
    image.program.p_filesz = sizeof image - image.program.p_offset;
    id_of(&image, sizeof image, id);
    assert_string_equal(id, "");
}

static void lines_of_files_are_parsed(void **state)
{
    static const struct {
        const char *line, *path;
        bool is_executed, is_written, is_deleted;
    } lines[] = {
        { "7f00-7f10 r-xp 00026000 08:01 1311                  /usr/lib/libc.so.6",
          "/usr/lib/libc.so.6", true, false, false },
        { "7f00-7f10 rw-s 00000000 08:01 9 /home/eva/a b", "/home/eva/a b", false, true,
          false },
        { "7f00-7f10 rw-p 00000000 08:01 9 /tmp/x (deleted)", "/tmp/x", false, false,
          true },
        { "7f00-7f10 rw-p 00000000 00:00 0", NULL, false, false, false },
        { "7f00-7f10 rw-p 00000000 00:00 0 [heap]", NULL, false, false, false },
        { "7f00-7f10 rw-p 00000000 08:01 9 anon_inode:[perf]", NULL, false, false,
          false },
        { "7f00-7f10 r-xpp 00000000 08:01 9 /x", NULL, false, false, false },
        { "7f00-7f10 r-xp 00000000 08:01 -9 /x", NULL, false, false, false },
        { "7f00-7f10 r-xp", NULL, false, false, false },
        { "", NULL, false, false, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct maps_line got;
        assert_int_equal(maps_line_parse(span_of(lines[i].line), &got),
                         lines[i].path != NULL);
        if (!lines[i].path)
            continue;
        assert_true(span_is(got.path, lines[i].path));
        assert_int_equal(got.is_executed, lines[i].is_executed);
        assert_int_equal(got.is_written, lines[i].is_written);
        assert_int_equal(got.is_deleted, lines[i].is_deleted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_id_is_read),
        cmocka_unit_test(any_cut_and_any_bit_is_survived),
        cmocka_unit_test(sizes_that_overflow_are_none),
        cmocka_unit_test(lines_of_files_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
