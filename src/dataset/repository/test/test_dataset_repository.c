/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_repository - random datasets, tags, references and removals: what is
 * referred to stays whole, what is not goes, and the store has no damage. */
#include "base/clock.h"
#include "base/span.h"
#include "dataset/repository/store.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char scratch[] = "/tmp/baro-repository.XXXXXX";
static uint64_t seed = 5;

static unsigned draw(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

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

/* A file whose content is by its number. */
static void numbered_file(const char *dir, unsigned i)
{
    char path[128];
    uint64_t state = i;
    size_t size = 100000 + (size_t)i * 25000;
    AUTO_FREE uint8_t *data = malloc(size);
    assert_non_null(data);
    for (size_t k = 0; k < size; k++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
        data[k] = (uint8_t)(state >> 56);
    }
    (void)snprintf(path, sizeof path, "%s/%u", dir, i);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(file_write_all(fd, data, size), 0);
}

/* A tree of some of twelve files. */
static void tree_make(const char *dir)
{
    assert_int_equal(mkdir(dir, 0755), 0);
    for (unsigned i = 0; i < 12; i++)
        if (!draw(2))
            numbered_file(dir, i);
}

enum { DATASETS = 24 };

struct kept {
    struct digest name;
    bool is_there, has_tag;
    uint64_t ref;
};

static bool is_referred(const struct kept *all, const struct kept *one)
{
    for (size_t i = 0; i < DATASETS; i++)
        if (all[i].is_there && digest_eq(&all[i].name, &one->name) &&
            (all[i].has_tag || all[i].ref))
            return true;
    return false;
}

static void store_check(struct repository *r)
{
    AUTO(table_done) struct table table;
    struct repository_state store_state = { 0 };
    table_init(&table);
    assert_int_equal(repository_fsck(r, &table, &store_state, NULL), 0);
    assert_int_equal(store_state.damages, 0);
    assert_int_equal(store_state.notes, 0);
}

static void dataset_add(struct repository *r, struct kept *kept, unsigned number)
{
    char dir[64];
    struct dataset_added added;
    struct err err = { 0 };
    (void)snprintf(dir, sizeof dir, "%s/tree%u", scratch, number);
    tree_make(dir);
    const struct dataset_admission in = { .path = dir };
    int rc = repository_create(r, &in, &added, &err);
    if (rc == -ENOENT && strstr(err.text, "no mkfs.erofs"))
        skip();
    if (rc < 0)
        fail_msg("%s", err.text);
    *kept = (struct kept){ .name = added.name, .is_there = true };
}

static void refs_change(struct repository *r, struct kept *kept, unsigned number)
{
    const struct dataset_ref ref = { .kind = "job", .detail = "4711" };
    char tag[16];
    (void)snprintf(tag, sizeof tag, "tag%u", number);
    if (draw(2)) {
        assert_int_equal(
            repository_tag(r, tag, kept->has_tag ? NULL : &kept->name, NULL), 0);
        kept->has_tag = !kept->has_tag;
    } else if (kept->ref) {
        assert_int_equal(repository_unref(r, kept->ref, NULL), 0);
        kept->ref = 0;
    } else {
        assert_int_equal(repository_ref(r, &kept->name, &ref, &kept->ref, NULL), 0);
    }
}

static void garbage_collect(struct repository *r, struct kept *all)
{
    AUTO(table_done) struct table table;
    const struct repository_gc opts = { 0 };
    struct repository_freed freed;
    bool referred[DATASETS] = { 0 };
    table_init(&table);
    for (size_t i = 0; i < DATASETS; i++)
        referred[i] = is_referred(all, &all[i]);
    assert_int_equal(repository_gc(r, &opts, &table, &freed, NULL), 0);
    for (size_t i = 0; i < DATASETS; i++) {
        if (!all[i].is_there)
            continue;
        assert_int_equal(repository_verify(r, &all[i].name, NULL),
                         referred[i] ? 0 : -ENOENT);
        all[i].is_there = referred[i];
    }
    store_check(r);
}

static void what_is_referred_to_stays_and_nothing_else(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    struct kept all[DATASETS] = { 0 };
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/store", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    for (unsigned i = 0; i < DATASETS; i++) {
        dataset_add(r, &all[i], i);
        for (unsigned k = 0; k < 3; k++) {
            unsigned which = draw(i + 1);
            if (all[which].is_there)
                refs_change(r, &all[which], which);
        }
        if (i % 4 == 3)
            garbage_collect(r, all);
    }
    garbage_collect(r, all);
}

static void a_reader_that_does_not_end_holds_up_no_writer(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(repository_free) struct repository *other = NULL;
    AUTO(table_done) struct table table, trial_table;
    const struct repository_gc opts = { 0 }, trial = { .is_trial = true };
    struct repository_freed freed;
    struct kept kept = { 0 };
    struct err err = { 0 };
    char dir[64];
    int reader_fd = -1;
    (void)snprintf(dir, sizeof dir, "%s/reader", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    assert_int_equal(repository_open(dir, false, &other, NULL), 0);
    assert_int_equal(chunk_store_lock_reader(other, &reader_fd, NULL), 0);
    AUTO_CLOSE int reader = reader_fd;
    dataset_add(r, &kept, 3000);
    table_init(&table);
    table_init(&trial_table);
    assert_int_equal(repository_gc(r, &opts, &table, &freed, &err), -EBUSY);
    assert_non_null(strstr(err.text, "a process reads"));
    assert_int_equal(table.row_count, 0);
    assert_int_equal(repository_verify(r, &kept.name, NULL), 0);
    assert_int_equal(repository_gc(r, &trial, &trial_table, &freed, NULL), 0);
    assert_int_equal(freed.datasets, 1);
    assert_int_equal(repository_verify(r, &kept.name, NULL), 0);
}

/* create has the writer's lock for as long as it stores; the prolog of a job does not
 * wait for it. */
static void references_need_no_lock(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(repository_free) struct repository *other = NULL;
    AUTO(table_done) struct table table;
    const struct repository_gc trial = { .is_trial = true };
    const struct dataset_ref ref = { .kind = "mount",
                                     .detail = "",
                                     .lasts_ns = 1000000000 };
    struct repository_freed freed;
    struct kept kept = { 0 };
    char dir[64];
    int lock_fd = -1;
    (void)snprintf(dir, sizeof dir, "%s/locks", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    assert_int_equal(repository_open(dir, false, &other, NULL), 0);
    dataset_add(r, &kept, 4000);
    assert_int_equal(chunk_store_lock_writer(other, &lock_fd, NULL), 0);
    AUTO_CLOSE int lock = lock_fd;
    (void)alarm(20); /* a wait would be for ever */
    assert_int_equal(repository_ref(r, &kept.name, &ref, &kept.ref, NULL), 0);
    assert_int_equal(repository_ref_renew(r, kept.ref, 2000000000, NULL), 0);
    assert_int_equal(repository_tag(r, "locked", &kept.name, NULL), 0);
    assert_int_equal(repository_tag(r, "locked", NULL, NULL), 0);
    assert_int_equal(repository_unref(r, kept.ref, NULL), 0);
    table_init(&table);
    assert_int_equal(repository_gc(r, &trial, &table, &freed, NULL), 0);
    (void)alarm(0);
    assert_int_equal(freed.datasets, 1);
}

static void a_reference_has_an_end_that_is_possible_or_none(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    const struct dataset_ref longest = { .kind = "hold",
                                         .detail = "",
                                         .lasts_ns = INT64_MAX };
    const struct dataset_ref hold = { .kind = "hold", .detail = "" };
    const struct dataset_ref lease = { .kind = "mount",
                                       .detail = "",
                                       .lasts_ns = 1000000000 };
    struct kept kept = { 0 };
    uint64_t id = 0;
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/ends", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    dataset_add(r, &kept, 5000);
    assert_int_equal(repository_ref(r, &kept.name, &longest, &id, NULL), -EINVAL);
    assert_int_equal(repository_ref(r, &kept.name, &lease, &id, NULL), 0);
    assert_int_equal(repository_ref_renew(r, id, INT64_MAX, NULL), -EINVAL);
    assert_int_equal(repository_ref_renew(r, id, 1000000000, NULL), 0);
    assert_int_equal(repository_ref(r, &kept.name, &hold, &id, NULL), 0);
    assert_int_equal(repository_ref_renew(r, id, 1000000000, NULL), -EINVAL);
    assert_int_equal(repository_ref_renew(r, 4711, 1000000000, NULL), -ENOENT);
}

static int64_t number(struct repository *r, const char *sql)
{
    int64_t value = 0;
    assert_int_equal(catalogue_number(r->db, sql, &value, NULL), 0);
    return value;
}

/* As many as may be, which ended an hour ago. */
static void mounts_that_ended(struct repository *r)
{
    assert_int_equal(
        catalogue_exec(r->db,
                       "WITH RECURSIVE n(i) AS"
                       " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)"
                       " INSERT INTO ref(dataset, kind, detail, owner, created_ns,"
                       "  expires_ns) SELECT (SELECT min(id) FROM dataset), 'mount',"
                       "  'node' || i, 'x', 1, 2 FROM n",
                       NULL),
        0);
}

/* A job's reference on a node: once, of its user, and without an end. */
static void jobs_hold_until_they_give_back(void **state)
{
    static const char holder[] = "job:4711:0:node1:/run/baro-dataset";
    AUTO(repository_free) struct repository *r = NULL;
    struct kept kept = { 0 };
    char dir[64];
    (void)state;
    (void)snprintf(dir, sizeof dir, "%s/jobs", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    dataset_add(r, &kept, 5600);
    for (int i = 0; i < 2; i++)
        assert_int_equal(repository_lease(r, &kept.name, holder, INT64_MAX, NULL), 0);
    assert_int_equal(number(r,
                            "SELECT count(*) FROM ref WHERE kind = 'job' AND detail ="
                            " '4711 node1:/run/baro-dataset' AND owner = 'root' AND"
                            " expires_ns IS NULL"),
                     1);
    assert_int_equal(number(r, "SELECT count(*) FROM ref"), 1);
    assert_int_equal(repository_lease(r, &kept.name, holder, 1, NULL), -EINVAL);
    assert_int_equal(
        repository_lease(r, &kept.name, "job:/run/baro-dataset", INT64_MAX, NULL),
        -EINVAL); /* a host that is called job has leases */
    assert_int_equal(repository_lease(r, &kept.name, holder, 0, NULL), 0);
    assert_int_equal(repository_lease(r, &kept.name, holder, 0, NULL), 0);
    assert_int_equal(number(r, "SELECT count(*) FROM ref"), 0);
    assert_int_equal(number(r, "SELECT count(*) FROM used WHERE until_ns > 0"), 1);
}

static void leases_that_ended_make_way(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(repository_free) struct repository *other = NULL;
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    AUTO(table_done) struct table table;
    const struct repository_gc opts = { .grace_ns = INT64_C(3600000000000) };
    struct repository_freed freed;
    struct kept kept = { 0 };
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/leases", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    dataset_add(r, &kept, 5500);
    mounts_that_ended(r);
    assert_int_equal(
        repository_lease(r, &kept.name, "me", INT64_C(3600000000000), NULL), 0);
    assert_int_equal(number(r, "SELECT count(*) FROM ref"), 1);
    mounts_that_ended(r);
    table_init(&table);
    assert_int_equal(repository_gc(r, &opts, &table, &freed, NULL), 0);
    assert_int_equal(freed.datasets, 0);
    assert_int_equal(number(r, "SELECT count(*) FROM ref"), 1);
    /* While another process writes it is not waited for. */
    assert_int_equal(repository_open(dir, false, &other, NULL), 0);
    assert_int_equal(catalogue_begin(other->db, &change, NULL), 0);
    assert_int_equal(repository_lease(r, &kept.name, "me", 0, NULL), -EAGAIN);
    catalogue_change_done(&change);
    assert_int_equal(repository_lease(r, &kept.name, "me", 0, NULL), 0);
    assert_int_equal(number(r, "SELECT count(*) FROM ref"), 0);
}

static void what_is_created_again_is_young_again(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(table_done) struct table table;
    const struct repository_gc opts = { .grace_ns = INT64_C(3600000000000),
                                        .is_trial = true };
    struct repository_freed freed;
    struct dataset_added added;
    struct kept kept = { 0 };
    char dir[64], tree[64];
    (void)snprintf(dir, sizeof dir, "%s/again", scratch);
    (void)snprintf(tree, sizeof tree, "%s/tree6000", scratch);
    const struct dataset_admission in = { .path = tree };
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    dataset_add(r, &kept, 6000);
    assert_int_equal(
        catalogue_exec(r->db, "UPDATE dataset SET created_ns = 1, admitted_ns = 1",
                       NULL),
        0);
    assert_int_equal(repository_create(r, &in, &added, NULL), 0);
    assert_true(added.is_known);
    table_init(&table);
    assert_int_equal(repository_gc(r, &opts, &table, &freed, NULL), 0);
    assert_int_equal(freed.datasets, 0);
    assert_int_equal(number(r, "SELECT created_ns FROM dataset"), 1);
}

/* In a process of its own: the catalogue is locked for a while. */
static void catalogue_hold(const char *dir, int fd)
{
    AUTO(repository_free) struct repository *r = NULL;
    struct catalogue_change change;
    int64_t now_ns = 0;
    if (repository_open(dir, false, &r, NULL) < 0 ||
        catalogue_begin(r->db, &change, NULL) < 0 || write(fd, &now_ns, 8) != 8)
        _exit(1);
    (void)usleep(150000);
    now_ns = clock_now_ns();
    if (write(fd, &now_ns, 8) != 8 || catalogue_commit(&change, NULL) < 0)
        _exit(1);
    _exit(0);
}

static void what_lasts_does_so_from_when_it_is_there(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    const struct dataset_ref ref = { .kind = "mount", .detail = "", .lasts_ns = 1000 };
    struct kept kept = { 0 };
    char dir[64];
    int ends[2];
    int64_t released_ns = 0;
    (void)snprintf(dir, sizeof dir, "%s/clock", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    dataset_add(r, &kept, 7000);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        catalogue_hold(dir, ends[1]);
    assert_int_equal(read(ends[0], &released_ns, 8), 8); /* it is locked */
    assert_int_equal(repository_ref(r, &kept.name, &ref, &kept.ref, NULL), 0);
    assert_int_equal(read(ends[0], &released_ns, 8), 8);
    assert_true(number(r, "SELECT created_ns FROM ref") >= released_ns);
    assert_true(number(r, "SELECT expires_ns FROM ref") >= released_ns + 1000);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void no_number_of_a_pack_is_given_twice(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(table_done) struct table table;
    const struct repository_gc opts = { 0 };
    struct repository_freed freed;
    struct kept kept = { 0 };
    uint64_t before = 0, after = 0;
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/numbers", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    dataset_add(r, &kept, 2000);
    assert_int_equal(chunk_store_next_pack(r, &before, NULL), 0);
    table_init(&table);
    assert_int_equal(repository_gc(r, &opts, &table, &freed, NULL), 0);
    assert_int_equal(freed.packs_removed, 1);
    assert_int_equal(chunk_store_next_pack(r, &after, NULL), 0);
    assert_int_equal(after, before);
    store_check(r);
}

static void a_changed_byte_of_a_pack_is_found(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(table_done) struct table table;
    struct repository_state store_state = { 0 };
    struct kept kept = { 0 };
    char dir[64], path[STORE_PATH_SIZE];
    (void)snprintf(dir, sizeof dir, "%s/damaged", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    dataset_add(r, &kept, 1000);
    chunk_store_pack_path(r, 1, path);
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t byte = 0;
    assert_int_equal(pread(fd, &byte, 1, 5000), 1);
    byte ^= 4;
    assert_int_equal(pwrite(fd, &byte, 1, 5000), 1);
    table_init(&table);
    assert_int_equal(repository_fsck(r, &table, &store_state, NULL), 0);
    assert_true(store_state.damages > 0);
    assert_int_equal(repository_verify(r, &kept.name, NULL), -EUCLEAN);
}

static void byte_flip(const char *path, int64_t at)
{
    uint8_t byte = 0;
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 4;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

static void created(struct repository *r, const char *tree, const char *tag,
                    struct dataset_added *ret)
{
    char dir[64];
    struct err err = { 0 };
    (void)snprintf(dir, sizeof dir, "%s/%s", scratch, tree);
    const struct dataset_admission in = { .path = dir, .tag = tag };
    int rc = repository_create(r, &in, ret, &err);
    if (rc == -ENOENT && strstr(err.text, "no mkfs.erofs"))
        skip();
    if (rc < 0)
        fail_msg("%s", err.text);
}

static void tree_of(const char *tree, unsigned first, unsigned count)
{
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/%s", scratch, tree);
    assert_int_equal(mkdir(dir, 0755), 0);
    for (unsigned i = first; i < first + count; i++)
        numbered_file(dir, i);
}

static uint64_t damages(struct repository *r)
{
    AUTO(table_done) struct table table;
    struct repository_state found = { 0 };
    table_init(&table);
    assert_int_equal(repository_fsck(r, &table, &found, NULL), 0);
    return found.damages;
}

/* Of the first pack a small part is needed, which is damaged; the second one is not
 * needed at all. */
static void gc_goes_on_behind_damage_which_an_import_repairs(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(table_done) struct table table, again;
    const struct repository_gc opts = { 0 };
    struct repository_freed freed = { 0 };
    struct dataset_added all, part, other;
    char dir[64], pack[STORE_PATH_SIZE];
    (void)snprintf(dir, sizeof dir, "%s/repair", scratch);
    tree_of("all", 0, 10); /* the first files are cut at the same bytes in both */
    tree_of("part", 0, 3);
    tree_of("other", 20, 4);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    created(r, "all", NULL, &all);
    created(r, "other", NULL, &other);
    created(r, "part", "part", &part);
    chunk_store_pack_path(r, 1, pack);
    byte_flip(pack, 200 + number(r, "SELECT min(at) FROM chunk JOIN dataset_chunk d"
                                    " ON d.chunk = chunk.id JOIN tag USING(dataset)"
                                    " WHERE pack = 1"));
    table_init(&table);
    table_init(&again);
    assert_int_equal(repository_gc(r, &opts, &table, &freed, NULL), -EUCLEAN);
    assert_int_equal(table.row_count, 3);
    assert_int_equal(freed.datasets, 2);
    assert_int_equal(freed.packs_damaged, 1);
    assert_int_equal(freed.packs_removed, 1);
    assert_true(damages(r) > 0);
    assert_int_equal(repository_verify(r, &part.name, NULL), -EUCLEAN);

    created(r, "part", NULL, &part);
    assert_true(part.is_known);
    assert_int_equal(part.repaired_chunk_count, 1);
    assert_int_equal(part.new_chunk_count, 0);
    assert_int_equal(repository_verify(r, &part.name, NULL), 0);
    assert_int_equal(damages(r), 0);
    assert_int_equal(repository_gc(r, &opts, &again, &freed, NULL), 0);
    assert_int_equal(freed.packs_rewritten, 1);
    assert_int_equal(repository_verify(r, &part.name, NULL), 0);
    store_check(r);
}

static void a_new_dataset_is_not_built_on_damage(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    struct dataset_added first, second;
    char dir[64], pack[STORE_PATH_SIZE];
    (void)snprintf(dir, sizeof dir, "%s/built", scratch);
    tree_of("built1", 0, 2);
    tree_of("built2", 0, 3);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    created(r, "built1", NULL, &first);
    chunk_store_pack_path(r, 1, pack);
    assert_int_equal(unlink(pack), 0);
    created(r, "built2", NULL, &second);
    assert_true(second.repaired_chunk_count > 0);
    assert_int_equal(repository_verify(r, &second.name, NULL), 0);
    created(r, "built1", NULL, &first);
    assert_int_equal(repository_verify(r, &first.name, NULL), 0);
    assert_int_equal(damages(r), 0);
}

/* Another zstd frame: by itself it is whole. */
static void a_changed_list_of_files_is_found_and_repaired(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(strbuf_done) struct strbuf manifest = STRBUF_INIT;
    struct dataset_added first, second;
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/lists", scratch);
    tree_of("list1", 0, 1);
    tree_of("list2", 0, 2);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    created(r, "list1", NULL, &first);
    created(r, "list2", NULL, &second);
    assert_int_equal(
        catalogue_exec(r->db,
                       "UPDATE dataset SET manifest = (SELECT manifest FROM dataset"
                       " WHERE id = 1) WHERE id = 2",
                       NULL),
        0);
    assert_int_equal(damages(r), 1);
    assert_int_equal(repository_manifest(r, &second.name, &manifest, NULL), -EUCLEAN);
    assert_int_equal(manifest.size, 0);
    created(r, "list2", NULL, &second);
    assert_int_equal(damages(r), 0);
    assert_int_equal(repository_manifest(r, &second.name, &manifest, NULL), 0);
}

/* Reads the chunks of one dataset again and again, as a server does. */
struct serving {
    const char *dir;
    struct digest name;
    _Atomic bool is_over;
    _Atomic unsigned rounds, failures;
};

static void chunks_read(struct repository *r, const struct dataset_index *index,
                        struct serving *serving, uint8_t *stored)
{
    uint32_t stored_size = 0, size = 0;
    struct err err = { 0 };
    for (size_t i = 0; i < index->count; i++)
        if (repository_chunk(r, &index->chunks[i].digest, stored, &stored_size, &size,
                             &err) < 0 ||
            size != index->chunks[i].size || stored_size > size) {
            serving->failures++;
            printf("# %s\n", err.text);
        }
    serving->rounds++;
}

static void *serve(void *arg)
{
    struct serving *serving = arg;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    AUTO_FREE uint8_t *stored = malloc(CHUNK_SIZE_MAX);
    if (!stored || repository_open(serving->dir, false, &r, NULL) < 0 ||
        repository_index(r, &serving->name, &index, NULL) < 0)
        serving->failures++;
    while (!serving->is_over && !serving->failures)
        chunks_read(r, &index, serving, stored);
    return NULL;
}

/* It holds no lock, and gc moves what it reads to another pack. */
static void a_server_reads_while_gc_moves_chunks(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    const struct repository_gc opts = { 0 };
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/served", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    for (unsigned i = 0; i < 6; i++) {
        AUTO(table_done) struct table table;
        struct repository_freed freed;
        struct dataset_added large, small;
        struct serving serving = { .dir = dir };
        char tree[16], part[16];
        pthread_t thread;
        (void)snprintf(tree, sizeof tree, "large%u", i);
        (void)snprintf(part, sizeof part, "small%u", i);
        tree_of(tree, 100 + i * 5, 5);
        tree_of(part, 100 + i * 5, 1);
        created(r, tree, NULL, &large);
        created(r, part, part, &small);
        serving.name = small.name;
        assert_int_equal(pthread_create(&thread, NULL, serve, &serving), 0);
        while (!serving.rounds && !serving.failures)
            (void)usleep(1000);
        table_init(&table);
        assert_int_equal(repository_gc(r, &opts, &table, &freed, NULL), 0);
        unsigned before = serving.rounds;
        while (serving.rounds < before + 2 && !serving.failures)
            (void)usleep(1000);
        serving.is_over = true;
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(freed.packs_rewritten, 1);
        assert_int_equal(serving.failures, 0);
    }
    store_check(r);
}

static void what_is_not_there_is_not_served(void **state)
{
    (void)state;
    AUTO(repository_free) struct repository *r = NULL;
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    AUTO_FREE uint8_t *stored = malloc(CHUNK_SIZE_MAX);
    struct digest none = { { 1 } };
    struct err err = { 0 };
    uint32_t stored_size = 0, size = 0;
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%s/nothing", scratch);
    assert_int_equal(repository_open(dir, true, &r, NULL), 0);
    assert_int_equal(repository_index(r, &none, &index, &err), -ENOENT);
    assert_int_equal(repository_chunk(r, &none, stored, &stored_size, &size, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "there is no chunk 01000000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_referred_to_stays_and_nothing_else),
        cmocka_unit_test(a_reader_that_does_not_end_holds_up_no_writer),
        cmocka_unit_test(references_need_no_lock),
        cmocka_unit_test(a_reference_has_an_end_that_is_possible_or_none),
        cmocka_unit_test(jobs_hold_until_they_give_back),
        cmocka_unit_test(leases_that_ended_make_way),
        cmocka_unit_test(what_is_created_again_is_young_again),
        cmocka_unit_test(what_lasts_does_so_from_when_it_is_there),
        cmocka_unit_test(no_number_of_a_pack_is_given_twice),
        cmocka_unit_test(gc_goes_on_behind_damage_which_an_import_repairs),
        cmocka_unit_test(a_new_dataset_is_not_built_on_damage),
        cmocka_unit_test(a_changed_list_of_files_is_found_and_repaired),
        cmocka_unit_test(a_changed_byte_of_a_pack_is_found),
        cmocka_unit_test(a_server_reads_while_gc_moves_chunks),
        cmocka_unit_test(what_is_not_there_is_not_served),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
