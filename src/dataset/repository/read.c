/* SPDX-License-Identifier: Apache-2.0 */
/* read - a dataset out of the store: by name, verified chunk by chunk. */
#include "base/span.h"
#include "dataset/repository/facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

#define PREFIX_MIN 6U

/* ---- names ---- */

static int by_tag(struct repository *r, const char *spec, struct digest *ret,
                  struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int rc = catalogue_prepare(r->db,
                               "SELECT dataset.name FROM tag JOIN dataset"
                               " ON dataset.id = tag.dataset WHERE tag.name = ?",
                               &statement, err);
    if (rc < 0)
        return rc;
    catalogue_bind_text(statement, 1, span_of(spec));
    rc = catalogue_step(statement, err);
    if (rc <= 0)
        return rc;
    rc = catalogue_digest(statement, 0, ret, err);
    return rc < 0 ? rc : 1;
}

/* Of two datasets that begin with it neither is meant. */
static int by_digits(struct repository *r, const char *spec, struct digest *ret,
                     struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    struct digest found = { 0 };
    size_t size = strlen(spec);
    if (size < PREFIX_MIN || size >= DIGEST_TEXT_SIZE ||
        strspn(spec, "0123456789abcdef") != size)
        return 0;
    int rc = catalogue_prepare(
        r->db,
        "SELECT name FROM dataset WHERE substr(lower(hex(name)), 1, ?) = ? LIMIT 2",
        &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, (int64_t)size);
    catalogue_bind_text(statement, 2, span_of(spec));
    rc = catalogue_step(statement, err);
    if (rc <= 0)
        return rc;
    rc = catalogue_digest(statement, 0, &found, err);
    if (rc < 0)
        return rc;
    rc = catalogue_step(statement, err);
    if (rc > 0)
        return err_set(err, EINVAL,
                       "'%s': several datasets begin so: write more digits", spec);
    if (rc == 0)
        *ret = found;
    return rc < 0 ? rc : 1;
}

int repository_resolve(struct repository *r, const char *spec, struct digest *ret,
                       struct err *err)
{
    int rc = by_tag(r, spec, ret, err);
    if (rc == 0)
        rc = by_digits(r, spec, ret, err);
    if (rc == 0)
        return err_set(err, ENOENT,
                       "there is no dataset '%s': write a tag, or the first %u digits "
                       "or more of a name that baro dataset list prints",
                       spec, PREFIX_MIN);
    return rc < 0 ? rc : 0;
}

/* ---- content ---- */

typedef int (*part_fn)(void *arg, const uint8_t *data, size_t size, struct err *err);

static int image_read(struct repository *r, const struct digest *name, part_fn each,
                      void *arg, struct err *err)
{
    AUTO_CLOSE int lock = -1;
    AUTO(dataset_index_done) struct dataset_index index = { 0 };
    AUTO(digest_sum_free) struct digest_sum *sum = NULL;
    AUTO_FREE uint8_t *data = malloc(CHUNK_SIZE_MAX);
    struct digest made;
    struct pack_position position;
    char text[DIGEST_TEXT_SIZE];
    digest_print(name, text);
    int rc = data ? digest_sum_new(&sum) : -ENOMEM;
    if (rc == 0)
        rc = chunk_store_lock_reader(r, &lock, err);
    if (rc == 0)
        rc = chunk_store_index(r, name, &index, err);
    for (size_t i = 0; rc == 0 && i < index.count; i++) {
        const struct index_chunk *chunk = &index.chunks[i];
        rc = chunk_store_find(r, &chunk->digest, &position, NULL, err);
        if (rc == 0 || (rc > 0 && position.size != chunk->size))
            return err_set(err, EUCLEAN,
                           "dataset %s: the chunk at byte %" PRIu64
                           " is not in the catalogue: see baro dataset fsck",
                           text, chunk->offset);
        if (rc > 0)
            rc = chunk_store_read(r, &position, &chunk->digest, data, err);
        if (rc == 0 && each)
            rc = each(arg, data, chunk->size, err);
        if (rc == 0)
            digest_sum_add(sum, data, chunk->size);
        chunk_store_progress(r, chunk->offset + chunk->size, index.image_bytes);
    }
    if (rc == 0)
        rc = digest_sum_end(sum, &made);
    if (rc == 0 && !digest_eq(&made, name))
        return err_set(err, EUCLEAN, "dataset %s: its bytes have another SHA-256",
                       text);
    return rc;
}

int repository_verify(struct repository *r, const struct digest *name, struct err *err)
{
    return image_read(r, name, NULL, NULL, err);
}

static int part_write(void *arg, const uint8_t *data, size_t size, struct err *err)
{
    int rc = file_write_all(*(const int *)arg, data, size);
    return rc < 0 ? err_set(err, -rc, "write the image: %s", strerror(-rc)) : 0;
}

int repository_export(struct repository *r, const struct digest *name, int fd,
                      struct err *err)
{
    return image_read(r, name, part_write, &fd, err);
}

/* A device, a pipe: written as it is, never replaced by a file. */
static int export_straight(struct repository *r, const struct digest *name,
                           const char *path, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    int rc = repository_export(r, name, fd, err);
    if (rc == 0 && fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
        rc = err_set(err, file_error(errno), "sync '%s': %s", path, strerror(errno));
    return rc;
}

static int export_beside(struct repository *r, const struct digest *name,
                         const char *path, struct err *err)
{
    AUTO_FREE char *partial = NULL;
    AUTO_FREE char *copy = strdup(path);
    if (!copy || asprintf(&partial, "%s.partial.%d", path, (int)getpid()) < 0)
        return -ENOMEM;
    AUTO_CLOSE int fd = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_set(err, errno, "create '%s': %s", partial, strerror(errno));
    int rc = repository_export(r, name, fd, err);
    if (rc == 0 && fdatasync(fd) < 0)
        rc = err_set(err, file_error(errno), "sync '%s': %s", partial, strerror(errno));
    if (rc == 0 && rename(partial, path) < 0)
        rc = err_set(err, errno, "rename '%s': %s", partial, strerror(errno));
    if (rc < 0) {
        (void)unlink(partial);
        return rc;
    }
    return file_sync_dir(dirname(copy), err);
}

/* What a symbolic link leads to is written, and the link stays. */
int repository_export_file(struct repository *r, const struct digest *name,
                           const char *path, struct err *err)
{
    AUTO_FREE char *target = NULL;
    struct stat st;
    if (lstat(path, &st) < 0) {
        if (errno != ENOENT)
            return err_set(err, errno, "'%s': %s", path, strerror(errno));
        return export_beside(r, name, path, err);
    }
    if (S_ISLNK(st.st_mode)) {
        target = realpath(path, NULL);
        path = target ? target : path;
        if (!target || stat(target, &st) < 0)
            return err_set(err, errno, "'%s': %s", path, strerror(errno));
    }
    if (S_ISDIR(st.st_mode))
        return err_set(err, EISDIR, "'%s' is a directory: name a file", path);
    return S_ISREG(st.st_mode) ? export_beside(r, name, path, err)
                               : export_straight(r, name, path, err);
}

/* ---- for those who serve datasets ---- */

int repository_index(struct repository *r, const struct digest *name,
                     struct dataset_index *ret, struct err *err)
{
    return chunk_store_index(r, name, ret, err);
}

/* gc may have moved the chunk between the catalogue's row and the pack: the row is
 * there before the old pack goes, so that it is found at its new position. */
#define MOVES_MAX 3

int repository_chunk(struct repository *r, const struct digest *digest, uint8_t *stored,
                     uint32_t *ret_stored_size, uint32_t *ret_plain_size,
                     struct err *err)
{
    struct pack_position position, before = { 0 };
    char text[DIGEST_TEXT_SIZE];
    digest_print(digest, text);
    for (int i = 0;; i++) {
        int rc = chunk_store_find(r, digest, &position, NULL, err);
        if (rc == 0)
            return err_set(err, ENOENT, "there is no chunk %s", text);
        if (rc < 0)
            return rc;
        rc = chunk_store_read_stored(r, &position, digest, stored, err);
        bool has_moved = i == 0 || position.pack != before.pack;
        if (rc < 0 && (!has_moved || i == MOVES_MAX))
            return rc;
        if (rc == 0)
            break;
        before = position;
    }
    *ret_stored_size = position.stored;
    *ret_plain_size = position.size;
    return 0;
}
