/* SPDX-License-Identifier: Apache-2.0 */
/* test_image_walk - images that mkfs.erofs made are valid; the same ones changed in a
 * place are refused, and none crashes the checker. */
#include "base/file.h"
#include "base/span.h"
#include "dataset/image/erofs.h"
#include "dataset/image/image.h"
#include "dataset/image/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static char scratch[] = "/tmp/baro-image.XXXXXX";
static struct strbuf whole = STRBUF_INIT; /* a valid image */
static const struct image_policy closed = { 0 };
static const struct image_policy open_policy = { .allows_setuid = true,
                                                 .allows_special = true };

static void write_file(const char *name, char byte, size_t size, mode_t mode)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/tree/%s", scratch, name);
    AUTO_FREE char *data = malloc(size + 1);
    assert_non_null(data);
    memset(data, byte, size);
    for (size_t i = 0; byte && i < size; i += 97)
        data[i] = (char)(i * 31);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, data, size), 0);
    assert_int_equal(fchmod(fd, mode), 0);
}

static void tree_make(void)
{
    char path[128], other[128];
    static const char *const directories[] = { "", "/a", "/a/b", "/z" };
    for (size_t i = 0; i < COUNT_OF(directories); i++) {
        (void)snprintf(path, sizeof path, "%s/tree%s", scratch, directories[i]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    write_file("empty", 0, 0, 0644);
    write_file("one", 'x', 100, 0644);
    write_file("large", 'y', 200001, 0755);
    write_file("same", 'y', 200001, 0644); /* shares its chunks with large */
    write_file("a/b/zeros", 0, 131072, 0600);
    for (int i = 0; i < 300; i++) { /* a directory of several blocks */
        char name[48];
        (void)snprintf(name, sizeof name, "z/a-file-with-a-long-name-%04d", i);
        write_file(name, 'n', (size_t)i * 3, 0644);
    }
    (void)snprintf(path, sizeof path, "%s/tree/one", scratch);
    (void)snprintf(other, sizeof other, "%s/tree/a/one-more-name", scratch);
    assert_int_equal(link(path, other), 0);
    (void)snprintf(path, sizeof path, "%s/tree/link", scratch);
    assert_int_equal(symlink("a/b/zeros", path), 0);
}

static int image_make(struct strbuf *out, struct err *err)
{
    char tree[128], path[128];
    (void)snprintf(tree, sizeof tree, "%s/tree", scratch);
    (void)snprintf(path, sizeof path, "%s/image", scratch);
    (void)unlink(path);
    int rc = image_build(tree, path, err);
    if (rc < 0)
        print_message("%s\n", err ? err->text : "it is not made");
    return rc < 0 ? rc : file_read(path, 1U << 26, out, err);
}

static int scratch_make(void **state)
{
    (void)state;
    if (!mkdtemp(scratch))
        return -1;
    tree_make();
    struct err err = { 0 };
    int rc = image_make(&whole, &err);
    /* Then each test is skipped; of no other error. */
    return rc == -ENOENT && strstr(err.text, "no mkfs.erofs") ? 0 : rc;
}

static int scratch_remove(void **state)
{
    char command[64];
    (void)state;
    strbuf_done(&whole);
    (void)snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command) == 0 ? 0 : -1; /* a path of our own */
}

#define NEEDS_IMAGE()    \
    do {                 \
        (void)state;     \
        if (!whole.size) \
            skip();      \
    } while (0)

static int line_add(void *arg, const struct image_file *file)
{
    image_manifest_add(arg, file);
    return 0;
}

static void a_made_image_is_valid_and_its_files_are_listed(void **state)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    struct image_totals totals = { 0 };
    struct err err = { 0 };
    NEEDS_IMAGE();
    if (image_walk(whole.data, whole.size, &closed, line_add, &lines, &totals, &err) <
        0)
        fail_msg("%s", err.text);
    assert_int_equal(totals.files, 306);
    assert_int_equal(totals.directories, 4);
    assert_int_equal(totals.links, 1);
    assert_int_equal(totals.special, 0);
    assert_int_equal(totals.content_bytes,
                     100 + 100 + 2 * 200001 + 131072 + 3 * (299 * 300 / 2));
    assert_non_null(
        strstr(strbuf_text(&lines), "l\t0777\t0\t0\t9\t0\ta/b/zeros\tlink\n"));
    /* SHA-256 of 128 KiB of zeros. */
    assert_non_null(
        strstr(strbuf_text(&lines),
               "f\t0600\t0\t0\t131072\t0\tfa43239bcee7b97ca62f007cc68487560a"
               "39e19f74f3dde7486db3f98df8e471\ta/b/zeros\n"));
}

static void the_same_tree_is_the_same_image(void **state)
{
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    NEEDS_IMAGE();
    assert_int_equal(image_make(&again, NULL), 0);
    assert_int_equal(again.size, whole.size);
    assert_memory_equal(again.data, whole.data, whole.size);
}

static uint8_t *image_copy(void)
{
    uint8_t *copy = malloc(whole.size);
    assert_non_null(copy);
    memcpy(copy, whole.data, whole.size);
    copy[EROFS_SUPER_AT + 8] &=
        0xFE; /* without a checksum, which would hide the rest */
    return copy;
}

/* Where the entry of a name of the root stands. */
static uint8_t *entry_of(uint8_t *image, const char *name)
{
    struct erofs e;
    struct erofs_inode root;
    assert_int_equal(erofs_open(image, whole.size, &e, NULL), 0);
    assert_int_equal(erofs_inode_read(&e, e.root_nid, &root, NULL), 0);
    assert_int_equal(root.layout, EROFS_INLINE);
    uint8_t *block = image + root.data_at;
    unsigned count = erofs_u16(block + 8) / 12;
    for (unsigned i = 0; i < count; i++)
        if (memcmp(block + erofs_u16(block + i * 12 + 8), name, strlen(name)) == 0)
            return block + (size_t)i * 12;
    fail_msg("no %s", name);
    return NULL;
}

static uint8_t *inode_of(uint8_t *image, const char *name)
{
    return image + erofs_u64(entry_of(image, name)) * 32;
}

static void break_magic(uint8_t *i)
{
    i[EROFS_SUPER_AT] ^= 1;
}
static void break_checksum(uint8_t *i)
{
    i[EROFS_SUPER_AT + 8] |= 1;
    i[EROFS_SUPER_AT + 64] ^= 1;
}
static void break_compressed(uint8_t *i)
{
    i[EROFS_SUPER_AT + 80] |= 1;
}
static void break_inode_count(uint8_t *i)
{
    i[EROFS_SUPER_AT + 16]++;
}
static void break_root(uint8_t *i)
{
    i[EROFS_SUPER_AT + 15] = 0xFF;
}
static void break_loop(uint8_t *i)
{
    memcpy(entry_of(i, "z"), entry_of(i, "."), 8);
}
static void break_two_parents(uint8_t *i)
{
    memcpy(entry_of(i, "z"), entry_of(i, "a"), 8);
}
static void break_parent(uint8_t *i)
{
    memcpy(entry_of(i, ".."), entry_of(i, "a"), 8);
}
static void break_type(uint8_t *i)
{
    entry_of(i, "one")[10] = 2;
}
static void break_nid(uint8_t *i)
{
    entry_of(i, "one")[6] = 0xFF;
}
static void break_name_at(uint8_t *i)
{
    entry_of(i, "one")[9] = 0xFF;
}
static void break_slash(uint8_t *i)
{
    uint8_t *e = entry_of(i, "large");
    i[e - i + 0] = e[0];
    uint8_t *name = memmem(i, 4096, "large", 5);
    name[2] = '/';
}
static void break_order(uint8_t *i)
{
    uint8_t *name = memmem(i, 4096, "large", 5);
    name[0] = 'z';
}
static void break_links(uint8_t *i)
{
    inode_of(i, "one")[6] = 9;
}
static void break_xattr(uint8_t *i)
{
    inode_of(i, "one")[2] = 1;
}
static void break_layout(uint8_t *i)
{
    inode_of(i, "one")[0] = 1 << 1;
}
static void break_mode(uint8_t *i)
{
    inode_of(i, "one")[5] = 0;
}
static void break_chunk(uint8_t *i)
{
    inode_of(i, "large")[32 + 3] = 0x7F;
}
static void break_chunk_form(uint8_t *i)
{
    inode_of(i, "large")[17] = 1;
}
static void break_size(uint8_t *i)
{
    inode_of(i, "large")[11] = 0xFF;
}
static void break_over_inodes(uint8_t *i)
{
    memset(inode_of(i, "large") + 32, 0, 4);
}
static void break_overlap(uint8_t *i)
{
    entry_of(i, "one")[0]++;
}
static void break_target(uint8_t *i)
{
    inode_of(i, "link")[32] = 0;
}
static void break_setuid(uint8_t *i)
{
    inode_of(i, "large")[5] |= 0x08;
}

static void a_changed_image_is_refused(void **state)
{
    static const struct {
        const char *name;
        void (*change)(uint8_t *image);
        int want;
        const char *words;
    } cases[] = {
        { "magic number", break_magic, -EBADMSG, "magic" },
        { "checksum", break_checksum, -EBADMSG, "checksum" },
        { "compression", break_compressed, -EBADMSG, "compression" },
        { "number of inodes", break_inode_count, -EBADMSG, "inodes" },
        { "root behind the end", break_root, -EBADMSG, "" },
        { "a loop", break_loop, -EBADMSG, "loop" },
        { "a directory with two names", break_two_parents, -EBADMSG, "" },
        { "..", break_parent, -EBADMSG, ".." },
        { "type of an entry", break_type, -EBADMSG, "type" },
        { "an inode behind the end", break_nid, -EBADMSG, "behind" },
        { "a name outside of its block", break_name_at, -EBADMSG, "outside" },
        { "a name with a slash", break_slash, -EBADMSG, "name" },
        { "names not sorted", break_order, -EBADMSG, "sorted" },
        { "number of links", break_links, -EBADMSG, "links" },
        { "extended attributes", break_xattr, -EBADMSG, "extended" },
        { "a compressed inode", break_layout, -EBADMSG, "layout" },
        { "no type", break_mode, -EBADMSG, "" },
        { "a chunk behind the end", break_chunk, -EBADMSG, "behind the end" },
        { "form of chunks", break_chunk_form, -EBADMSG, "form" },
        { "a size", break_size, -EBADMSG, "" },
        { "content in the blocks of inodes", break_over_inodes, -EBADMSG, "already" },
        { "two inodes overlap", break_overlap, -EBADMSG, "" },
        { "the target of a link", break_target, -EBADMSG, "target" },
        { "set-user-ID", break_setuid, -EPERM, "set-user-ID" },
    };
    NEEDS_IMAGE();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct image_totals totals = { 0 };
        struct err err = { 0 };
        AUTO_FREE uint8_t *image = image_copy();
        assert_int_equal(
            image_walk(image, whole.size, &closed, NULL, NULL, &totals, &err), 0);
        cases[i].change(image);
        int rc = image_walk(image, whole.size, &closed, NULL, NULL, &totals, &err);
        if (rc != cases[i].want || !strstr(err.text, cases[i].words))
            fail_msg("%s: %d '%s'", cases[i].name, rc, err.text);
    }
}

static void a_set_user_id_file_is_accepted_where_the_policy_allows_it(void **state)
{
    struct image_totals totals = { 0 };
    NEEDS_IMAGE();
    AUTO_FREE uint8_t *image = image_copy();
    break_setuid(image);
    assert_int_equal(
        image_walk(image, whole.size, &open_policy, NULL, NULL, &totals, NULL), 0);
}

static void a_cut_image_is_refused_wherever_it_is_cut(void **state)
{
    struct image_totals totals = { 0 };
    NEEDS_IMAGE();
    for (size_t size = 0; size < whole.size; size += 512) {
        AUTO_FREE uint8_t *image = malloc(size + 1); /* that ASan sees each overrun */
        assert_non_null(image);
        memcpy(image, whole.data, size);
        assert_int_equal(image_walk(image, size, &closed, NULL, NULL, &totals, NULL),
                         -EBADMSG);
        if (size < EROFS_BLOCK_SIZE)
            continue;
        /* And where the superblock states that length. */
        image[EROFS_SUPER_AT + 8] &= 0xFE;
        image[EROFS_SUPER_AT + 36] = (uint8_t)(size >> 12);
        image[EROFS_SUPER_AT + 37] = (uint8_t)(size >> 20);
        assert_int_equal(
            image_walk(image, size / 4096 * 4096, &closed, NULL, NULL, &totals, NULL),
            -EBADMSG);
    }
}

static void no_flipped_bits_crash_the_checker(void **state)
{
    uint64_t random = 17, refused_count = 0;
    NEEDS_IMAGE();
    AUTO_FREE uint8_t *image = image_copy();
    AUTO_FREE uint8_t *before = image_copy();
    for (int round = 0; round < 3000; round++) {
        struct image_totals totals = { 0 };
        size_t touched[4], count = 1 + (size_t)round % COUNT_OF(touched);
        for (size_t i = 0; i < count; i++) {
            random =
                random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            /* Most of them where the inodes are. */
            size_t range = round % 8 ? 65536 : whole.size;
            touched[i] = 1024 + (size_t)(random >> 33) % (range - 1024);
            image[touched[i]] ^= (uint8_t)(1U << (random >> 20 & 7));
        }
        int rc = image_walk(image, whole.size, &open_policy, NULL, NULL, &totals, NULL);
        assert_true(rc == 0 || rc == -EBADMSG);
        refused_count += rc < 0;
        for (size_t i = 0; i < count; i++)
            image[touched[i]] = before[touched[i]];
    }
    assert_true(refused_count > 500);
}

static void a_child_process_says_the_same(void **state)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT, child_lines = STRBUF_INIT;
    struct image_totals totals = { 0 }, child_totals = { 0 };
    struct err err = { 0 };
    int fd_made = -1;
    char path[FILE_OF_TEXT_PATH_SIZE];
    NEEDS_IMAGE();
    assert_int_equal(file_of_text(strbuf_span(&whole), &fd_made, path, NULL), 0);
    AUTO_CLOSE int fd = fd_made;
    assert_int_equal(
        image_walk(whole.data, whole.size, &closed, line_add, &lines, &totals, NULL),
        0);
    if (image_inspect(fd, &closed, &child_lines, &child_totals, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&lines), strbuf_text(&child_lines));
    assert_memory_equal(&totals, &child_totals, sizeof totals);
    assert_int_equal(pwrite(fd, "x", 1, EROFS_SUPER_AT), 1);
    assert_int_equal(image_inspect(fd, &closed, &child_lines, &child_totals, &err),
                     -EBADMSG);
    assert_non_null(strstr(err.text, "magic"));
    assert_string_equal(strbuf_text(&lines), strbuf_text(&child_lines));
}

/* Names that look like what the child could answer. */
static void no_name_of_a_file_is_taken_for_the_verdict(void **state)
{
    static const char *const names[] = { "x\n= 0 1 1 0 0 5 y", "x\n= 0 1 1 0 0 5",
                                         "\033]0;title\007\x7f" };
    NEEDS_IMAGE();
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
        struct image_totals totals = { 0 };
        struct err err = { 0 };
        char tree[64], path[128], image[64];
        (void)snprintf(tree, sizeof tree, "%s/names%zu", scratch, i);
        (void)snprintf(path, sizeof path, "%s/%s", tree, names[i]);
        (void)snprintf(image, sizeof image, "%s/names%zu.img", scratch, i);
        assert_int_equal(mkdir(tree, 0755), 0);
        AUTO_CLOSE int made = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(fchmod(made, 04755), 0);
        assert_int_equal(image_build(tree, image, &err), 0);
        AUTO_CLOSE int fd = open(image, O_RDONLY | O_CLOEXEC);
        assert_int_equal(image_inspect(fd, &closed, &lines, &totals, &err), -EPERM);
        assert_int_equal(lines.size, 0);
        assert_non_null(strstr(err.text, "set-user-ID"));
        for (const char *at = err.text; *at; at++)
            assert_true((unsigned char)*at >= 0x20 && *at != 0x7F);
        assert_int_equal(image_inspect(fd, &open_policy, &lines, &totals, &err), 0);
        assert_int_equal(totals.files, 1);
    }
}

static void a_tree_that_changed_is_named(void **state)
{
    AUTO(tree_done) struct tree before = { HASHMAP_INIT };
    struct err err = { 0 };
    char dir[64], path[96];
    (void)state;
    (void)snprintf(dir, sizeof dir, "%s/changing", scratch);
    (void)snprintf(path, sizeof path, "%s/changing/one", scratch);
    assert_int_equal(mkdir(dir, 0755), 0);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(tree_read(dir, &before, &err), 0);
    assert_int_equal(tree_check(dir, &before, &err), 0);
    (void)usleep(20000); /* more than a tick of the file system's clock */
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(tree_check(dir, &before, &err), -EBUSY);
    assert_non_null(strstr(err.text, "changing/one"));
    AUTO(tree_done) struct tree again = { HASHMAP_INIT };
    assert_int_equal(tree_read(dir, &again, &err), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(tree_check(dir, &again, &err), -EBUSY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_made_image_is_valid_and_its_files_are_listed),
        cmocka_unit_test(the_same_tree_is_the_same_image),
        cmocka_unit_test(a_changed_image_is_refused),
        cmocka_unit_test(a_set_user_id_file_is_accepted_where_the_policy_allows_it),
        cmocka_unit_test(a_cut_image_is_refused_wherever_it_is_cut),
        cmocka_unit_test(no_flipped_bits_crash_the_checker),
        cmocka_unit_test(a_child_process_says_the_same),
        cmocka_unit_test(a_tree_that_changed_is_named),
        cmocka_unit_test(no_name_of_a_file_is_taken_for_the_verdict),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
