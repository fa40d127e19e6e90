/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_push - images that are sent: what the server's own damage does to them,
 * and what one user may have there. */
#include "base/file.h"
#include "base/span.h"
#include "dataset/repository/push_store.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static char scratch[] = "/tmp/baro-push.XXXXXX";
static unsigned made;

static int scratch_make(void **state)
{
    (void)state;
    return mkdtemp(scratch) ? 0 : -1;
}

static int scratch_remove(void **state)
{
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command) == 0 ? 0 : -1; /* a path of our own */
}

/* ---- images ---- */

struct sent {
    struct dataset_index index;
    struct strbuf encoded, image;
};

static void sent_done(struct sent *sent)
{
    dataset_index_done(&sent->index);
    strbuf_done(&sent->encoded);
    strbuf_done(&sent->image);
}
DEFINE_AUTO_DONE(struct sent, sent_done);

static void file_make(const char *dir, unsigned seed, size_t size)
{
    char path[128];
    uint64_t state = seed;
    AUTO_FREE uint8_t *data = malloc(size);
    assert_non_null(data);
    for (size_t k = 0; k < size; k++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data[k] = (uint8_t)(state >> 56);
    }
    (void)snprintf(path, sizeof path, "%s/%u", dir, seed);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(file_write_all(fd, data, size), 0);
}

static struct repository *repository_new(void)
{
    struct repository *r = NULL;
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/r%u", scratch, made++);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    return r;
}

/* Of files seed to seed + count - 1, as a client has it. */
static void sent_make(unsigned seed, unsigned count, struct sent *ret)
{
    AUTO(repository_free) struct repository *own = repository_new();
    char tree[64], path[80];
    struct dataset_admission in = { .path = tree, .audience = DATASET_PUBLIC };
    struct dataset_added added;
    struct err err = { 0 };
    *ret = (struct sent){ .encoded = STRBUF_INIT, .image = STRBUF_INIT };
    (void)snprintf(tree, sizeof tree, "%s/tree%u", scratch, made++);
    (void)snprintf(path, sizeof path, "%s.image", tree);
    assert_int_equal(mkdir(tree, 0755), 0);
    for (unsigned i = 0; i < count; i++)
        file_make(tree, seed + i, 400000);
    if (repository_create(own, &in, &added, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(repository_export_file(own, &added.name, path, NULL), 0);
    assert_int_equal(file_read(path, 1U << 30, &ret->image, NULL), 0);
    assert_int_equal(repository_index(own, &added.name, &ret->index, NULL), 0);
    assert_int_equal(dataset_index_encode(&ret->index, &ret->encoded), 0);
}

/* ---- pushes ---- */

static struct push_terms terms_of(const struct sent *sent, uint32_t uid)
{
    struct push_terms terms = { .name = sent->index.image,
                                .uid = uid,
                                .image_bytes = sent->index.image_bytes,
                                .index_bytes = sent->encoded.size,
                                .user_bytes_max = UINT64_C(1) << 40 };
    (void)snprintf(terms.groups, sizeof terms.groups, "%u", uid);
    return terms;
}

static struct push *begun(struct repository *r, const struct sent *sent, uint32_t uid)
{
    struct push *push = NULL;
    struct err err = { 0 };
    struct push_terms terms = terms_of(sent, uid);
    if (push_open(r, &terms, &push, &err) < 0)
        fail_msg("%s", err.text);
    if (!push_has_index(push))
        assert_int_equal(push_index_add(push, 0, strbuf_span(&sent->encoded), NULL), 0);
    return push;
}

/* What is missing is sent; returns how many chunks. */
static size_t sent_push(struct repository *r, const struct sent *sent, uint32_t uid,
                        const char *facts)
{
    AUTO(push_close) struct push *push = begun(r, sent, uid);
    AUTO(strbuf_done) struct strbuf missing = STRBUF_INIT;
    size_t count = 0;
    assert_int_equal(push_missing(r, push, &missing, NULL), 0);
    for (uint32_t i = 0; i < sent->index.count; i++) {
        if (!((uint8_t)missing.data[i / 8] >> i % 8 & 1))
            continue;
        assert_int_equal(
            push_write(push, i,
                       (const uint8_t *)sent->image.data + sent->index.chunks[i].offset,
                       NULL),
            0);
        count++;
    }
    assert_int_equal(push_facts_set(push, span_of(facts), NULL), 0);
    return count;
}

static int admitted_as(struct repository *r, const struct sent *sent, uint32_t uid,
                       struct push_admitted *ret, struct err *err)
{
    struct push_admission in = { .name = sent->index.image,
                                 .uid = uid,
                                 .image_bytes = sent->index.image_bytes,
                                 .index_bytes = sent->encoded.size };
    (void)snprintf(in.groups, sizeof in.groups, "%u", uid);
    return repository_push_admit(r, &in, ret, err);
}

static int admitted(struct repository *r, const struct sent *sent, uint32_t uid,
                    struct err *err)
{
    struct push_admitted ret = { 0 };
    return admitted_as(r, sent, uid, &ret, err);
}

static bool is_under_way(struct repository *r, const struct sent *sent, uint32_t uid)
{
    char text[DIGEST_TEXT_SIZE], path[STORE_PATH_SIZE + 128];
    digest_print(&sent->index.image, text);
    (void)snprintf(path, sizeof path, "%s/pushes/%u/%s/part", r->dir, uid, text);
    return access(path, F_OK) == 0;
}

/* Every pack, behind its header. */
static void packs_damage(struct repository *r)
{
    char path[STORE_PATH_SIZE];
    uint8_t zeros[4096] = { 0 };
    (void)snprintf(path, sizeof path, "%s/packs", r->dir);
    AUTO_CLOSEDIR DIR *entries = opendir(path);
    struct dirent *entry;
    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL) {
        struct stat st;
        if (entry->d_name[0] == '.')
            continue;
        AUTO_CLOSE int fd = openat(dirfd(entries), entry->d_name, O_RDWR | O_CLOEXEC);
        assert_true(fd >= 0 && fstat(fd, &st) == 0);
        for (off_t at = 64; at + 4096 < st.st_size; at += 16384)
            assert_int_equal(pwrite(fd, zeros, sizeof zeros, at), sizeof zeros);
    }
}

/* ---- tests ---- */

static void damage_of_the_store_is_sent_again_and_removes_nothing(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = repository_new();
    AUTO(sent_done) struct sent first, second;
    struct err err = { 0 };
    sent_make(10, 4, &first);
    sent_make(10, 5, &second);
    assert_true(sent_push(r, &first, 4001, "access public\n") == first.index.count);
    assert_int_equal(admitted(r, &first, 4001, &err), 0);
    size_t few = sent_push(r, &second, 4001, "access public\n");
    assert_true(few > 0 && few < second.index.count / 2);
    packs_damage(r);
    assert_int_equal(admitted(r, &second, 4001, &err), -EAGAIN);
    assert_non_null(strstr(err.text, "chunks have to be sent"));
    assert_true(is_under_way(r, &second, 4001));
    size_t more = sent_push(r, &second, 4001, "access public\n");
    assert_true(more > 0 && more + few <= second.index.count);
    if (admitted(r, &second, 4001, &err) < 0)
        fail_msg("%s", err.text);
    assert_false(is_under_way(r, &second, 4001));
    assert_int_equal(repository_verify(r, &second.index.image, NULL), 0);
}

static void what_is_wrong_itself_is_removed(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = repository_new();
    AUTO(sent_done) struct sent sent;
    struct err err = { 0 };
    sent_make(20, 2, &sent);
    sent.index.image.bytes[0] ^= 1;
    strbuf_clear(&sent.encoded);
    assert_int_equal(dataset_index_encode(&sent.index, &sent.encoded), 0);
    (void)sent_push(r, &sent, 4001, "access public\n");
    assert_int_equal(admitted(r, &sent, 4001, &err), -EUCLEAN);
    assert_false(is_under_way(r, &sent, 4001));
}

static int opened(struct repository *r, uint8_t name, uint32_t uid, uint64_t bytes,
                  struct push **ret)
{
    struct push_terms terms = { .name = { { name } },
                                .uid = uid,
                                .image_bytes = bytes,
                                .index_bytes = 1000,
                                .user_bytes_max = UINT64_MAX };
    return push_open(r, &terms, ret, NULL);
}

static void space_is_promised_once(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = repository_new();
    struct statvfs disk;
    assert_int_equal(statvfs(r->dir, &disk), 0);
    uint64_t all = (uint64_t)disk.f_blocks * disk.f_frsize;
    uint64_t available = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (available < all / 20 * 2)
        skip();
    uint64_t much = (available - all / 20) / 10 * 6;
    AUTO(push_close) struct push *first = NULL;
    AUTO(push_close) struct push *second = NULL;
    assert_int_equal(opened(r, 1, 4001, much, &first), 0);
    assert_int_equal(opened(r, 2, 4002, much, &second), -ENOSPC);
    push_close(TAKE(first));
    assert_int_equal(opened(r, 1, 4001, much, &first), 0); /* its own is its own */
    push_close(TAKE(first));
    assert_int_equal(opened(r, 2, 4002, much, &second), 0); /* the other has left */
}

static int64_t number_of(struct repository *r, const char *sql)
{
    int64_t number = -1;
    assert_int_equal(catalogue_number(r->db, sql, &number, NULL), 0);
    return number;
}

static void a_tag_on_what_is_of_another_user_counts_for_who_sets_it(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = repository_new();
    AUTO(sent_done) struct sent sent;
    struct push_admitted ret = { 0 };
    struct err err = { 0 };
    char path[STORE_PATH_SIZE];
    sent_make(30, 2, &sent);
    (void)sent_push(r, &sent, 4001, "access public\n");
    assert_int_equal(admitted(r, &sent, 4001, &err), 0);
    assert_int_equal(catalogue_exec(r->db, "UPDATE dataset SET admitted_ns = 7", NULL),
                     0);
    assert_int_equal(sent_push(r, &sent, 4003, "access public\nlabel a=b\n"), 0);
    assert_int_equal(admitted_as(r, &sent, 4003, &ret, &err), 0);
    assert_true(ret.was_there);
    assert_int_equal(ret.owner, 4001);
    assert_int_equal(number_of(r, "SELECT admitted_ns FROM dataset"), 7);
    assert_int_equal(number_of(r, "SELECT count(*) FROM label"), 0);
    (void)snprintf(path, sizeof path, "%s/quotas", r->dir);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(file_write_all(fd, "4003 1KiB\n", 10), 0);
    (void)sent_push(r, &sent, 4003, "tag 4003/mine\n");
    assert_int_equal(admitted_as(r, &sent, 4003, &ret, &err), -EDQUOT);
    assert_int_equal(number_of(r, "SELECT count(*) FROM tag"), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(admitted_as(r, &sent, 4003, &ret, &err), 0);
    assert_int_equal(ret.owner, 4001);
    assert_int_equal(number_of(r, "SELECT count(*) FROM tag"), 1);
    assert_int_equal(number_of(r, "SELECT uid FROM co_owner WHERE access = 'private'"),
                     4003);
}

static void a_user_has_so_many_tags(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = repository_new();
    AUTO(sent_done) struct sent sent;
    struct err err = { 0 };
    sent_make(40, 1, &sent);
    (void)sent_push(r, &sent, 4001, "tag 4001/first\n");
    assert_int_equal(admitted(r, &sent, 4001, &err), 0);
    assert_int_equal(
        catalogue_exec(r->db,
                       "INSERT INTO tag(name, dataset, set_ns)"
                       " WITH RECURSIVE n(i) AS"
                       " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
                       " SELECT '4001/' || i, (SELECT id FROM dataset), 1 FROM n",
                       NULL),
        0);
    (void)sent_push(r, &sent, 4001, "tag 4001/more\n");
    assert_int_equal(admitted(r, &sent, 4001, &err), -EDQUOT);
    (void)sent_push(r, &sent, 4001, "tag 4001/first\n");
    assert_int_equal(admitted(r, &sent, 4001, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_of_the_store_is_sent_again_and_removes_nothing),
        cmocka_unit_test(what_is_wrong_itself_is_removed),
        cmocka_unit_test(space_is_promised_once),
        cmocka_unit_test(a_tag_on_what_is_of_another_user_counts_for_who_sets_it),
        cmocka_unit_test(a_user_has_so_many_tags),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
