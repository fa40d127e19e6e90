/* SPDX-License-Identifier: Apache-2.0 */
/* store - the directory of a repository: locks, staging, packs. */
#include "dataset/repository/store.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#define LOCK_PAUSE_NS (50 * NS_PER_MS)

/* ---- opening ---- */

static int layout_make(const char *dir, struct err *err)
{
    char path[STORE_PATH_SIZE];
    static const char *const parts[] = { "packs", "staging" };
    /* Now, so that those may lock who cannot write here. */
    static const char *const locks[] = { "writer.lock", "reader.lock" };
    int rc = file_make_dirs(dir, 0755, err);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(parts); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, parts[i]);
        rc = file_make_dirs(path, 0755, err);
    }
    for (size_t i = 0; rc == 0 && i < COUNT_OF(locks); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, locks[i]);
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
        if (fd < 0)
            rc = err_set(err, errno, "create '%s': %s", path, strerror(errno));
    }
    return rc == 0 ? file_sync_dir(dir, err) : rc;
}

static int not_a_repository(const char *dir, struct err *err)
{
    return err_set(err, ENOENT,
                   "'%s' is not a repository of datasets: baro dataset create makes "
                   "one, or name another (--repository, BARO_DATASETS)",
                   dir);
}

static int directory_set(struct repository *r, const char *dir, bool creates,
                         struct err *err)
{
    AUTO_FREE char *absolute = realpath(dir, NULL);
    if (!absolute && errno == ENOENT && !creates)
        return not_a_repository(dir, err);
    if (!absolute)
        return err_set(err, errno, "'%s': %s", dir, strerror(errno));
    if (strlen(absolute) >= sizeof r->dir)
        return err_set(err, ENAMETOOLONG, "'%s': the path is too long", dir);
    (void)snprintf(r->dir, sizeof r->dir, "%s", absolute);
    return 0;
}

static int pack_found(void *arg, uint64_t number, struct err *err)
{
    (void)number;
    (void)err;
    *(bool *)arg = true;
    return 0;
}

/* Packs without a catalogue are the datasets of one that was lost: a new one, which
 * names none of them, would be the end of all attempts to restore it.  The packs are
 * looked for first: another process that makes the repository now has its catalogue
 * before its first pack. */
static int catalogue_need(struct repository *r, bool *creates, struct err *err)
{
    char path[STORE_PATH_SIZE];
    bool has_packs = false;
    int rc = chunk_store_each_pack(r, pack_found, &has_packs, *creates ? err : NULL);
    if (rc < 0 && *creates)
        return rc;
    *creates = *creates && !has_packs;
    (void)snprintf(path, sizeof path, "%s/catalogue.db", r->dir);
    if (*creates || access(path, F_OK) == 0)
        return 0;
    if (has_packs)
        return err_set(err, ENOENT,
                       "'%s' has packs, but no catalogue: restore catalogue.db, or "
                       "name an empty directory",
                       r->dir);
    return not_a_repository(r->dir, err);
}

int repository_open(const char *dir, bool creates, struct repository **ret,
                    struct err *err)
{
    char path[STORE_PATH_SIZE];
    AUTO(repository_free) struct repository *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->pack_fd = -1;
    int rc = creates ? layout_make(dir, err) : 0;
    if (rc == 0)
        rc = directory_set(r, dir, creates, err);
    if (rc == 0)
        rc = catalogue_need(r, &creates, err);
    (void)snprintf(path, sizeof path, "%s/catalogue.db", r->dir);
    if (rc == 0)
        rc = catalogue_open(path, creates, &r->db, err);
    if (rc == 0)
        rc = pack_reader_new(&r->reader);
    if (rc == 0)
        *ret = TAKE(r);
    return rc;
}

void repository_free(struct repository *r)
{
    if (!r)
        return;
    catalogue_finish(&r->find_chunk);
    catalogue_close(&r->db);
    pack_reader_free(r->reader);
    auto_close(&r->pack_fd);
    free(r);
}

void repository_watch(struct repository *r, repository_progress_fn progress, void *arg)
{
    r->progress = progress;
    r->progress_arg = arg;
}

void chunk_store_progress(const struct repository *r, uint64_t done, uint64_t count)
{
    if (r->progress)
        r->progress(r->progress_arg, (size_t)done, (size_t)count);
}

/* ---- locks ---- */

/* Of r->writer_wait_ns, where that is set. */
static int lock_until(int fd, int64_t end_ns, struct err *err)
{
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_set(err, errno, "lock the repository: %s", strerror(errno));
        if (clock_steady_ns() >= end_ns)
            return err_set(err, EAGAIN, "another process writes to the repository");
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}

static int lock_acquire(struct repository *r, const char *name, int how, int *ret_fd,
                        struct err *err)
{
    char path[STORE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", r->dir, name);
    int flags = how == LOCK_SH ? O_RDONLY : O_RDWR | O_CREAT;
    AUTO_CLOSE int fd = open(path, flags | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    int rc = how == LOCK_EX && r->writer_wait_ns
                 ? lock_until(fd, clock_steady_ns() + r->writer_wait_ns, err)
                 : 0;
    if (rc < 0)
        return rc;
    while (flock(fd, how) < 0)
        if (errno == EWOULDBLOCK)
            return -EAGAIN;
        else if (errno != EINTR)
            return err_set(err, errno, "lock '%s': %s", path, strerror(errno));
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int chunk_store_lock_writer(struct repository *r, int *ret_fd, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    int rc = lock_acquire(r, "writer.lock", LOCK_EX, &fd, err);
    if (rc == 0)
        rc = chunk_store_sweep(r, err);
    if (rc == 0)
        *ret_fd = TAKE_FD(fd);
    return rc;
}

int chunk_store_lock_reader(struct repository *r, int *ret_fd, struct err *err)
{
    return lock_acquire(r, "reader.lock", LOCK_SH, ret_fd, err);
}

int chunk_store_lock_readers_out(struct repository *r, int *ret_fd, struct err *err)
{
    return lock_acquire(r, "reader.lock", LOCK_EX | LOCK_NB, ret_fd, err);
}

/* ---- staging ---- */

/* Under the writer's lock, so that no other process holds it for an old one before it
 * is locked. */
int staging_new(struct repository *r, struct staging *ret, struct err *err)
{
    AUTO_CLOSE int lock = -1;
    int rc = chunk_store_lock_writer(r, &lock, err);
    if (rc < 0)
        return rc;
    struct staging staging = { .fd = -1 };
    (void)snprintf(staging.dir, sizeof staging.dir, "%s/staging/XXXXXX", r->dir);
    if (!mkdtemp(staging.dir))
        return err_set(err, errno, "create '%s': %s", staging.dir, strerror(errno));
    staging.fd = open(staging.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (staging.fd < 0 || flock(staging.fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, errno, "lock '%s': %s", staging.dir, strerror(errno));
    *ret = staging;
    return 0;
}

void staging_done(struct staging *staging)
{
    if (staging->fd >= 0) {
        tree_remove_below(staging->fd);
        (void)rmdir(staging->dir);
    }
    auto_close(&staging->fd);
}

static int staging_sweep(struct repository *r, struct err *err)
{
    char path[STORE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/staging", r->dir);
    AUTO_CLOSEDIR DIR *entries = opendir(path);
    struct dirent *entry;
    if (!entries)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    while ((entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        AUTO_CLOSE int fd = openat(dirfd(entries), entry->d_name,
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            tree_remove_below(fd);
            (void)unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
        }
    }
    return 0;
}

/* ---- packs ---- */

void chunk_store_pack_path(const struct repository *r, uint64_t number,
                           char path[static STORE_PATH_SIZE])
{
    (void)snprintf(path, STORE_PATH_SIZE, "%s/packs/%016" PRIx64 ".pack", r->dir,
                   number);
}

static bool pack_name_parse(struct span name, uint64_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = 0;
    if (name.size != 21 || !span_ends(name, ".pack"))
        return false;
    for (size_t i = 0; i < 16; i++) {
        const char *digit = memchr(digits, name.data[i], sizeof digits - 1);
        if (!digit)
            return false;
        number = number << 4 | (uint64_t)(digit - digits);
    }
    *ret = number;
    return true;
}

int chunk_store_each_pack(struct repository *r, chunk_store_pack_fn each, void *arg,
                          struct err *err)
{
    char path[STORE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/packs", r->dir);
    AUTO_CLOSEDIR DIR *entries = opendir(path);
    struct dirent *entry;
    int rc = 0;
    if (!entries)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    while (rc == 0 && (errno = 0, entry = readdir(entries)) != NULL) {
        uint64_t number = 0;
        if (pack_name_parse(span_of(entry->d_name), &number))
            rc = each(arg, number, err);
    }
    if (rc == 0 && !entry && errno) /* not "there are no packs" */
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    return rc;
}

int chunk_store_each_chunk(struct repository *r, uint64_t pack,
                           chunk_store_chunk_fn each, void *arg, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    AUTO_FREE uint8_t *content = malloc(CHUNK_SIZE_MAX);
    int rc = content ? catalogue_prepare(r->db,
                                         "SELECT id, digest, at, stored, size"
                                         " FROM chunk WHERE pack = ? ORDER BY at",
                                         &rows, err)
                     : -ENOMEM;
    if (rc == 0)
        (void)sqlite3_bind_int64(rows, 1, (int64_t)pack);
    while (rc == 0 && (rc = catalogue_step(rows, err)) > 0) {
        struct stored_chunk chunk = {
            .id = sqlite3_column_int64(rows, 0),
            .position = { .pack = pack,
                          .offset = (uint64_t)sqlite3_column_int64(rows, 2),
                          .stored = (uint32_t)sqlite3_column_int64(rows, 3),
                          .size = (uint32_t)sqlite3_column_int64(rows, 4) },
        };
        rc = catalogue_digest(rows, 1, &chunk.digest, err);
        if (rc == 0)
            rc = each(arg, &chunk, content, err);
    }
    return rc;
}

int chunk_store_leftover_add(struct repository *r, uint64_t number, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc =
        catalogue_prepare(r->db, "INSERT OR IGNORE INTO leftover VALUES(?)", &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, (int64_t)number);
    return catalogue_run(row, err);
}

/* The files first: a row that is left without its file harms nothing. */
int chunk_store_leftovers_remove(struct repository *r, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    char path[STORE_PATH_SIZE];
    size_t count = 0;
    int rc = catalogue_prepare(r->db, "SELECT number FROM leftover", &rows, err);
    while (rc == 0 && (rc = catalogue_step(rows, err)) > 0) {
        chunk_store_pack_path(r, (uint64_t)sqlite3_column_int64(rows, 0), path);
        if (unlink(path) < 0 && errno != ENOENT)
            return err_set(err, errno, "remove '%s': %s", path, strerror(errno));
        count++;
        rc = 0;
    }
    catalogue_finish(&rows);
    if (rc < 0 || !count)
        return rc;
    (void)snprintf(path, sizeof path, "%s/packs", r->dir);
    rc = file_sync_dir(path, err);
    return rc < 0 ? rc : catalogue_exec(r->db, "DELETE FROM leftover", err);
}

int chunk_store_sweep(struct repository *r, struct err *err)
{
    int rc = staging_sweep(r, err);
    return rc < 0 ? rc : chunk_store_leftovers_remove(r, err);
}

static int number_larger(void *arg, uint64_t number, struct err *err)
{
    uint64_t *last = arg;
    (void)err;
    *last = number > *last ? number : *last;
    return 0;
}

/* Behind each number that the catalogue ever gave, and each file that is there: a
 * catalogue that was restored does not know of all. */
int chunk_store_next_pack(struct repository *r, uint64_t *ret, struct err *err)
{
    int64_t given = 0;
    int rc = catalogue_number(
        r->db, "SELECT seq FROM sqlite_sequence WHERE name = 'leftover'", &given, err);
    uint64_t last = (uint64_t)given;
    if (rc == 0)
        rc = chunk_store_each_pack(r, number_larger, &last, err);
    if (rc == 0)
        *ret = last + 1;
    return rc;
}

/* ---- chunks that are stored ---- */

int chunk_store_find(struct repository *r, const struct digest *digest,
                     struct pack_position *ret, int64_t *ret_id, struct err *err)
{
    int rc = 0;
    if (!r->find_chunk)
        rc = catalogue_prepare(
            r->db, "SELECT id, pack, at, stored, size FROM chunk WHERE digest = ?",
            &r->find_chunk, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_reset(r->find_chunk);
    catalogue_bind_digest(r->find_chunk, 1, digest);
    rc = catalogue_step(r->find_chunk, err);
    if (rc > 0) {
        if (ret_id)
            *ret_id = sqlite3_column_int64(r->find_chunk, 0);
        *ret = (struct pack_position){
            .pack = (uint64_t)sqlite3_column_int64(r->find_chunk, 1),
            .offset = (uint64_t)sqlite3_column_int64(r->find_chunk, 2),
            .stored = (uint32_t)sqlite3_column_int64(r->find_chunk, 3),
            .size = (uint32_t)sqlite3_column_int64(r->find_chunk, 4),
        };
    }
    (void)sqlite3_reset(r->find_chunk);
    return rc;
}

static int pack_open(struct repository *r, const struct pack_position *position,
                     char path[static STORE_PATH_SIZE], struct err *err)
{
    chunk_store_pack_path(r, position->pack, path);
    if (r->pack_fd >= 0 && r->pack_number == position->pack)
        return 0;
    auto_close(&r->pack_fd);
    r->pack_fd = open(path, O_RDONLY | O_CLOEXEC);
    r->pack_number = position->pack;
    if (r->pack_fd < 0)
        return err_set(err, errno == ENOENT ? EUCLEAN : errno, "'%s': %s", path,
                       strerror(errno));
    return 0;
}

int chunk_store_read(struct repository *r, const struct pack_position *position,
                     const struct digest *digest, uint8_t *data, struct err *err)
{
    char path[STORE_PATH_SIZE];
    int rc = pack_open(r, position, path, err);
    if (rc < 0)
        return rc;
    return err_prefix(err,
                      pack_read(r->reader, r->pack_fd, position, digest, data, err),
                      "'%s'", path);
}

int chunk_store_read_stored(struct repository *r, const struct pack_position *position,
                            const struct digest *digest, uint8_t *stored,
                            struct err *err)
{
    char path[STORE_PATH_SIZE];
    int rc = pack_open(r, position, path, err);
    if (rc < 0)
        return rc;
    rc = pack_read_stored(r->reader, r->pack_fd, position, digest, stored, err);
    return err_prefix(err, rc, "'%s'", path);
}

int chunk_store_index(struct repository *r, const struct digest *name,
                      struct dataset_index *ret, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    char text[DIGEST_TEXT_SIZE];
    digest_print(name, text);
    int rc = catalogue_prepare(r->db, "SELECT chunk_index FROM dataset WHERE name = ?",
                               &statement, err);
    if (rc < 0)
        return rc;
    catalogue_bind_digest(statement, 1, name);
    rc = catalogue_step(statement, err);
    if (rc == 0)
        return err_set(err, ENOENT, "there is no dataset %s", text);
    if (rc > 0)
        rc = dataset_index_decode(catalogue_span(statement, 0), ret, err);
    if (rc == -EBADMSG)
        rc = -EUCLEAN;
    if (rc == 0 && !digest_eq(&ret->image, name))
        rc = err_set(err, EUCLEAN, "its index is of another image");
    return err_prefix(err, rc, "dataset %s", text);
}
