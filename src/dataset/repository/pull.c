/* SPDX-License-Identifier: Apache-2.0 */
/* pull - a dataset out of another repository, or from a server: what is missing.
 *
 *     source ─▶ index ─▶ each chunk: in DIR/pulls/DIGEST.part already?
 *                                    in this repository?
 *                                    else fetched ─▶ SHA-256 compared ─▶ part
 *     part ─▶ SHA-256 of the whole ─▶ admission, as of any image
 *
 * What is interrupted goes on where it was: the part stays, and is verified again.
 */
#include "base/span.h"
#include "dataset/repository/store.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

struct pull {
    struct repository *r;
    struct dataset_index index;
    char path[STORE_PATH_SIZE];
    int fd;
    uint8_t *plain, *stored;       /* CHUNK_SIZE_MAX bytes each */
    size_t wanted[PULL_BATCH_MAX]; /* numbers of chunks */
    struct digest digests[PULL_BATCH_MAX];
    size_t wanted_count;
    uint64_t fetched_chunks, fetched_bytes;
};

static void pull_done(struct pull *pull)
{
    dataset_index_done(&pull->index);
    if (pull->fd >= 0)
        (void)close(pull->fd);
    free(pull->plain);
    free(pull->stored);
}
DEFINE_AUTO_DONE(struct pull, pull_done);

/* ---- the part ---- */

static int part_open(struct pull *pull, struct err *err)
{
    char text[DIGEST_TEXT_SIZE], dir[STORE_PATH_SIZE];
    digest_print(&pull->index.image, text);
    (void)snprintf(dir, sizeof dir, "%s/pulls", pull->r->dir);
    (void)snprintf(pull->path, sizeof pull->path, "%s/pulls/%s.part", pull->r->dir,
                   text);
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return err_set(err, errno, "'%s': %s", dir, strerror(errno));
    pull->fd = open(pull->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (pull->fd < 0)
        return err_set(err, errno, "'%s': %s", pull->path, strerror(errno));
    if (flock(pull->fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, EBUSY, "another process pulls %s into this repository",
                       text);
    if (ftruncate(pull->fd, (off_t)pull->index.image_bytes) < 0)
        return err_set(err, errno, "'%s': %s", pull->path, strerror(errno));
    return 0;
}

static bool is_chunk(const struct index_chunk *chunk, const uint8_t *plain)
{
    struct digest digest;
    return digest_of(plain, chunk->size, &digest) == 0 &&
           digest_eq(&digest, &chunk->digest);
}

static bool part_has(const struct pull *pull, const struct index_chunk *chunk)
{
    return pread(pull->fd, pull->plain, chunk->size, (off_t)chunk->offset) ==
               (ssize_t)chunk->size &&
           is_chunk(chunk, pull->plain);
}

/* Expanded, compared, written. */
static int chunk_accept(struct pull *pull, const struct index_chunk *chunk,
                        struct span stored, uint32_t plain_size, struct err *err)
{
    if (plain_size != chunk->size || stored.size > plain_size)
        return err_set(err, EUCLEAN, "a chunk is not as long as the index states");
    if (stored.size == plain_size)
        memcpy(pull->plain, stored.data, stored.size);
    else if (ZSTD_decompress(pull->plain, CHUNK_SIZE_MAX, stored.data, stored.size) !=
             plain_size)
        return err_set(err, EUCLEAN, "a chunk cannot be decompressed");
    if (!is_chunk(chunk, pull->plain))
        return err_set(err, EUCLEAN, "a chunk is not what its SHA-256 states");
    ssize_t size = pwrite(pull->fd, pull->plain, plain_size, (off_t)chunk->offset);
    if (size != (ssize_t)plain_size)
        return err_set(err, size < 0 ? errno : ENOSPC, "write '%s': %s", pull->path,
                       strerror(size < 0 ? errno : ENOSPC));
    return 0;
}

/* ---- chunks ---- */

static int on_source_chunk(void *arg, size_t position, struct span stored,
                           uint32_t plain_size, struct err *err)
{
    struct pull *pull = arg;
    pull->fetched_chunks++;
    pull->fetched_bytes += stored.size;
    return chunk_accept(pull, &pull->index.chunks[pull->wanted[position]], stored,
                        plain_size, err);
}

static int batch_fetch(struct pull *pull, const struct dataset_source *source,
                       struct err *err)
{
    if (!pull->wanted_count)
        return 0;
    int rc = source->chunks(source->arg, pull->digests, pull->wanted_count,
                            on_source_chunk, pull, err);
    pull->wanted_count = 0;
    return rc;
}

/* Of any dataset that is here. */
static bool copy_own(struct pull *pull, const struct index_chunk *chunk)
{
    uint32_t stored = 0, plain = 0;
    return repository_chunk(pull->r, &chunk->digest, pull->stored, &stored, &plain,
                            NULL) == 0 &&
           chunk_accept(pull, chunk,
                        (struct span){ (const char *)pull->stored, stored }, plain,
                        NULL) == 0;
}

static int chunks_pull(struct pull *pull, const struct dataset_source *source,
                       struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < pull->index.count; i++) {
        const struct index_chunk *chunk = &pull->index.chunks[i];
        if (!part_has(pull, chunk) && !copy_own(pull, chunk)) {
            pull->wanted[pull->wanted_count] = i;
            pull->digests[pull->wanted_count++] = chunk->digest;
        }
        if (pull->wanted_count == PULL_BATCH_MAX || i + 1 == pull->index.count)
            rc = batch_fetch(pull, source, err);
        if (pull->r->progress)
            pull->r->progress(pull->r->progress_arg, chunk->offset + chunk->size,
                              pull->index.image_bytes);
    }
    return rc;
}

static int image_check(const struct pull *pull, struct err *err)
{
    struct digest digest;
    size_t size = (size_t)pull->index.image_bytes;
    void *data = mmap(NULL, size, PROT_READ, MAP_SHARED, pull->fd, 0);
    if (data == MAP_FAILED)
        return err_set(err, errno, "map '%s': %s", pull->path, strerror(errno));
    int rc = digest_of(data, size, &digest);
    (void)munmap(data, size);
    if (rc == 0 && !digest_eq(&digest, &pull->index.image))
        return err_set(err, EUCLEAN,
                       "the chunks are right, but the index is of another image");
    return rc;
}

/* ---- the door ---- */

static int pull_begin(struct pull *pull, const struct dataset_source *source,
                      const char *spec, struct err *err)
{
    struct digest name;
    pull->plain = malloc(CHUNK_SIZE_MAX);
    pull->stored = malloc(CHUNK_SIZE_MAX);
    if (!pull->plain || !pull->stored)
        return -ENOMEM;
    int rc = source->resolve(source->arg, spec, &name, err);
    if (rc == 0)
        rc = source->index(source->arg, &name, &pull->index, err);
    if (rc == 0 && (!digest_eq(&name, &pull->index.image) || !pull->index.count))
        return err_set(err, EUCLEAN, "the index is of another dataset");
    return rc < 0 ? rc : part_open(pull, err);
}

int repository_pull(struct repository *r, const struct dataset_source *source,
                    const struct dataset_admission *in, struct dataset_added *ret,
                    struct err *err)
{
    AUTO(pull_done) struct pull pull = { .r = r, .fd = -1 };
    struct dataset_admission local = *in;
    int rc = pull_begin(&pull, source, in->path, err);
    if (rc == 0)
        rc = chunks_pull(&pull, source, err);
    if (rc == 0)
        rc = image_check(&pull, err);
    local.path = pull.path;
    if (rc == 0)
        rc = repository_import(r, &local, ret, err);
    if (rc < 0)
        return rc;
    ret->fetched_chunks = pull.fetched_chunks;
    ret->fetched_bytes = pull.fetched_bytes;
    ret->was_pulled = true;
    (void)unlink(pull.path);
    return 0;
}

/* ---- a repository as a source ---- */

static int source_resolve(void *arg, const char *spec, struct digest *ret,
                          struct err *err)
{
    return repository_resolve(arg, spec, ret, err);
}

static int source_index(void *arg, const struct digest *name, struct dataset_index *ret,
                        struct err *err)
{
    return repository_index(arg, name, ret, err);
}

static int source_chunks(void *arg, const struct digest *digests, size_t count,
                         dataset_source_fn each, void *each_arg, struct err *err)
{
    uint8_t *stored = malloc(CHUNK_SIZE_MAX);
    int rc = stored ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        uint32_t size = 0, plain = 0;
        rc = repository_chunk(arg, &digests[i], stored, &size, &plain, err);
        if (rc == 0)
            rc = each(each_arg, i, (struct span){ (const char *)stored, size }, plain,
                      err);
    }
    free(stored);
    return rc;
}

struct dataset_source repository_source(struct repository *from)
{
    return (struct dataset_source){ source_resolve, source_index, source_chunks, from };
}
