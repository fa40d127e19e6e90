/* SPDX-License-Identifier: Apache-2.0 */
/* admission - a directory or an image becomes a dataset. */
#include "base/hashmap.h"
#include "base/span.h"
#include "dataset/repository/facts.h"
#include "dataset/repository/owners.h"
#include "dataset/repository/quota.h"

#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define COPY_BYTES (1U << 20)

struct admission {
    struct repository *r;
    const struct dataset_admission *in;
    struct dataset_facts facts;
    struct strbuf manifest;
    const uint8_t *image;
    uint64_t image_bytes;
    struct chunk_store_filler filler;
    uint8_t *stored; /* a chunk that is read back */
    /* Chunks that are written, in the order of their first appearance. */
    struct admission_chunk {
        struct digest digest;
        int64_t damaged_id; /* the row whose chunk this replaces; 0: a new one */
        struct pack_position position;
    } * chunks;
    size_t chunk_count, chunk_capacity, repaired_count;
    struct hashmap met; /* digests of this image -> 1 + its row, or of chunks */
    int64_t *known;     /* rows of chunks that were stored before */
    size_t known_count, known_capacity;
};

static void admission_done(struct admission *admission)
{
    dataset_index_done(&admission->facts.index);
    strbuf_done(&admission->manifest);
    if (admission->image)
        (void)munmap((void *)(uintptr_t)admission->image,
                     (size_t)admission->image_bytes);
    chunk_store_filler_done(&admission->filler);
    hashmap_done(&admission->met);
    free(admission->stored);
    free(admission->chunks);
    free(admission->known);
}
DEFINE_AUTO_DONE(struct admission, admission_done);

/* ---- chunks ---- */

static int chunk_write(struct admission *admission, const struct digest *digest,
                       const uint8_t *data, uint32_t size, int64_t damaged_id,
                       struct err *err)
{
    if (admission->chunk_count == admission->chunk_capacity) {
        size_t capacity =
            admission->chunk_capacity ? admission->chunk_capacity * 2 : 256;
        struct admission_chunk *more =
            reallocarray(admission->chunks, capacity, sizeof admission->chunks[0]);
        if (!more)
            return -ENOMEM;
        admission->chunks = more;
        admission->chunk_capacity = capacity;
    }
    struct admission_chunk *chunk = &admission->chunks[admission->chunk_count];
    chunk->digest = *digest;
    chunk->damaged_id = damaged_id;
    int rc = chunk_store_filler_add(&admission->filler, digest, data, size,
                                    &chunk->position, err);
    if (rc < 0)
        return rc;
    admission->chunk_count++;
    admission->repaired_count += damaged_id != 0;
    admission->facts.new_bytes += PACK_RECORD_HEAD_SIZE + chunk->position.stored;
    return 0;
}

static int known_chunk(struct admission *admission, int64_t id)
{
    if (admission->known_count == admission->known_capacity) {
        size_t capacity =
            admission->known_capacity ? admission->known_capacity * 2 : 256;
        int64_t *more =
            reallocarray(admission->known, capacity, sizeof admission->known[0]);
        if (!more)
            return -ENOMEM;
        admission->known = more;
        admission->known_capacity = capacity;
    }
    admission->known[admission->known_count++] = id;
    return 0;
}

/* 1: what is stored of a chunk cannot be read, or is another one.  It is read back, so
 * that no dataset is built on a chunk that is damaged, and so that its content, which
 * is here now, replaces it. */
static int chunk_is_damaged(struct admission *admission, const struct digest *digest,
                            const struct pack_position *position, uint32_t size)
{
    if (!admission->stored)
        admission->stored = malloc(CHUNK_SIZE_MAX);
    if (!admission->stored)
        return -ENOMEM;
    int rc = chunk_store_read(admission->r, position, digest, admission->stored, NULL);
    if (rc == -EUCLEAN || rc == -EIO)
        return 1;
    return rc < 0 ? rc : position->size != size;
}

static int chunk_accept(struct admission *admission, const uint8_t *data, uint32_t size,
                        struct err *err)
{
    struct digest digest;
    struct pack_position position;
    bool is_new = false;
    int64_t id = 0;
    int rc = digest_of(data, size, &digest);
    if (rc == 0)
        rc = dataset_index_add(&admission->facts.index, size, &digest);
    if (rc < 0)
        return rc;
    struct span key = { (const char *)digest.bytes, DIGEST_SIZE };
    if (!hashmap_put(&admission->met, key, &is_new))
        return -ENOMEM;
    if (!is_new)
        return 0;
    rc = chunk_store_find(admission->r, &digest, &position, &id, err);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return chunk_write(admission, &digest, data, size, 0, err);
    rc = chunk_is_damaged(admission, &digest, &position, size);
    if (rc > 0)
        rc = chunk_write(admission, &digest, data, size, id, err);
    return rc < 0 ? rc : known_chunk(admission, id);
}

static int image_cut(struct admission *admission, struct err *err)
{
    int rc = 0;
    for (uint64_t at = 0; rc == 0 && at < admission->image_bytes;) {
        size_t size =
            chunk_cut(admission->image + at, (size_t)(admission->image_bytes - at));
        rc = chunk_accept(admission, admission->image + at, (uint32_t)size, err);
        at += size;
        chunk_store_progress(admission->r, at, admission->image_bytes);
    }
    return rc;
}

/* ---- the transaction ---- */

/* A new row, or the row of the damaged one moved to where it is whole. */
static int chunk_record(const struct admission_chunk *chunk, sqlite3_stmt *insert,
                        sqlite3_stmt *update, struct err *err)
{
    sqlite3_stmt *row = chunk->damaged_id ? update : insert;
    (void)sqlite3_bind_int64(row, 1, (int64_t)chunk->position.pack);
    (void)sqlite3_bind_int64(row, 2, (int64_t)chunk->position.offset);
    (void)sqlite3_bind_int64(row, 3, chunk->position.stored);
    (void)sqlite3_bind_int64(row, 4, chunk->position.size);
    if (chunk->damaged_id)
        (void)sqlite3_bind_int64(row, 5, chunk->damaged_id);
    else
        catalogue_bind_digest(row, 5, &chunk->digest);
    return catalogue_run(row, err);
}

static int pair_record(sqlite3_stmt *pair, int64_t chunk, struct err *err)
{
    (void)sqlite3_bind_int64(pair, 2, chunk);
    return catalogue_run(pair, err);
}

static int chunks_record(struct admission *admission, int64_t dataset, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *insert = NULL;
    AUTO_STATEMENT sqlite3_stmt *update = NULL;
    AUTO_STATEMENT sqlite3_stmt *pair = NULL;
    sqlite3 *db = admission->r->db;
    int rc = catalogue_prepare(db,
                               "INSERT INTO chunk(pack, at, stored, size, digest) "
                               "VALUES(?, ?, ?, ?, ?)",
                               &insert, err);
    if (rc == 0)
        rc = catalogue_prepare(db,
                               "UPDATE chunk SET pack = ?, at = ?, stored = ?, size = ?"
                               " WHERE id = ?",
                               &update, err);
    if (rc == 0)
        rc = catalogue_prepare(
            db, "INSERT OR IGNORE INTO dataset_chunk(dataset, chunk) VALUES(?, ?)",
            &pair, err);
    if (rc == 0)
        (void)sqlite3_bind_int64(pair, 1, dataset);
    for (size_t i = 0; rc == 0 && i < admission->chunk_count; i++) {
        const struct admission_chunk *chunk = &admission->chunks[i];
        rc = chunk_record(chunk, insert, update, err);
        if (rc == 0 && !chunk->damaged_id)
            rc = pair_record(pair, sqlite3_last_insert_rowid(db), err);
    }
    for (size_t i = 0; rc == 0 && i < admission->known_count; i++)
        rc = pair_record(pair, admission->known[i], err);
    return rc;
}

/* Who sends what another user has becomes an owner, too; what is stated of it is as the
 * first owner has it, but for the tag. */
static int origin_record(struct admission *admission, int64_t dataset, bool is_known,
                         struct err *err)
{
    const struct dataset_origin *origin = admission->in->origin;
    struct dataset_admission marks = *admission->in;
    int rc = is_known ? owners_has_first(admission->r, dataset, origin->uid, err) : 1;
    bool is_own = rc > 0;
    if (rc == 0)
        rc = owners_add(admission->r, dataset, &admission->facts.access, err);
    if (!is_own)
        marks.label_count = 0;
    if (rc >= 0)
        rc = facts_mark(admission->r, dataset, &marks, err);
    for (size_t i = 0; rc == 0 && is_own && i < origin->view_count; i++)
        rc = facts_view_set(admission->r, dataset, origin->views[i].name,
                            origin->views[i].text, err);
    return rc;
}

/* dataset 0: it is new.  Of one that is there labels and the tag may be new, and what
 * was damaged is written again. */
static int admission_commit(struct admission *admission, int64_t dataset,
                            struct err *err)
{
    bool is_known = dataset != 0;
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int rc = chunk_store_filler_publish(&admission->filler, err);
    if (rc == 0)
        rc = catalogue_begin(admission->r->db, &change, err);
    if (rc == 0)
        rc = chunk_store_filler_record(&admission->filler, err);
    if (rc == 0)
        rc = dataset ? facts_repair(admission->r, &admission->facts, dataset, err)
                     : facts_record(admission->r, &admission->facts, &dataset, err);
    if (rc == 0)
        rc = chunks_record(admission, dataset, err);
    if (rc == 0 && admission->in->parent) /* before labels of its own */
        rc = facts_parent_set(admission->r, dataset, admission->in->parent, err);
    if (rc == 0)
        rc = admission->in->origin
                 ? origin_record(admission, dataset, is_known, err)
                 : facts_mark(admission->r, dataset, admission->in, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

static int admission_store(struct admission *admission, const struct staging *staging,
                           bool *ret_is_known, struct err *err)
{
    AUTO_CLOSE int lock = -1;
    int64_t dataset = 0;
    int rc = chunk_store_lock_writer(admission->r, &lock, err);
    if (rc == 0)
        rc = facts_find(admission->r, &admission->facts.index.image, &dataset, err);
    if (rc < 0)
        return rc;
    *ret_is_known = rc > 0;
    if (rc > 0 && admission->in->origin)
        rc = owners_has_first(admission->r, dataset, admission->facts.access.uid, err);
    if (rc == 0)
        rc = quota_check(admission->r, admission->facts.access.uid,
                         admission->image_bytes, err);
    if (rc < 0)
        return rc;
    rc = chunk_store_filler_begin(admission->r, staging, &admission->filler, err);
    if (rc == 0)
        rc = image_cut(admission, err);
    return rc < 0 ? rc : admission_commit(admission, dataset, err);
}

/* ---- before it ---- */

static int image_map(struct admission *admission, int fd, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_set(err, errno, "image: %s", strerror(errno));
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        return err_set(err, errno, "map the image: %s", strerror(errno));
    (void)madvise(data, (size_t)st.st_size, MADV_SEQUENTIAL);
    admission->image = data;
    admission->image_bytes = (uint64_t)st.st_size;
    return digest_of(data, (size_t)st.st_size, &admission->facts.index.image);
}

static void creator_print(char *out, size_t size)
{
    const struct passwd *user = getpwuid(geteuid());
    if (user)
        (void)snprintf(out, size, "%s", user->pw_name);
    else
        (void)snprintf(out, size, "%u", (unsigned)geteuid());
}

static void origin_use(const struct dataset_admission *in, struct dataset_facts *facts)
{
    const struct dataset_origin *origin = in->origin;
    facts->source = origin->source;
    facts->tool = origin->tool;
    facts->arguments = origin->arguments;
    facts->access = (struct dataset_access){ origin->uid, origin->gid, in->audience };
    (void)snprintf(facts->creator, sizeof facts->creator, "%s", origin->creator);
}

/* The staged image is checked, and stored. */
static int staged_accept(struct repository *r, const struct dataset_admission *in,
                         const struct staging *staging, const char *tool,
                         const char *arguments, struct dataset_added *ret,
                         struct err *err)
{
    AUTO(admission_done) struct admission admission = { .r = r, .in = in };
    char path[STORE_PATH_SIZE];
    struct dataset_facts *facts = &admission.facts;
    (void)snprintf(path, sizeof path, "%s/image", staging->dir);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    int rc = image_inspect(fd, &in->policy, &admission.manifest, &facts->totals, err);
    if (in->origin && (rc == -EBADMSG || rc == -EPERM))
        *in->origin->is_refused = true;
    if (rc < 0)
        return in->origin ? err_prefix(err, rc, "the image is refused")
                          : err_prefix(err, rc, "'%s' is refused", in->path);
    AUTO_FREE char *source = in->origin ? NULL : realpath(in->path, NULL);
    facts->source = source ? source : in->path;
    facts->tool = tool;
    facts->arguments = arguments;
    facts->manifest = strbuf_span(&admission.manifest);
    creator_print(facts->creator, sizeof facts->creator);
    facts->access = (struct dataset_access){ geteuid(), getegid(), in->audience };
    if (in->origin)
        origin_use(in, facts);
    bool is_known = false;
    rc = image_map(&admission, fd, err);
    if (rc == 0 && in->origin && !digest_eq(&facts->index.image, in->origin->name))
        rc = err_set(err, EUCLEAN, "the image has changed on the server's disk");
    if (rc == 0)
        rc = admission_store(&admission, staging, &is_known, err);
    if (rc < 0)
        return rc;
    *ret = (struct dataset_added){
        .name = facts->index.image,
        .is_known = is_known,
        .image_bytes = admission.image_bytes,
        .new_bytes = facts->new_bytes,
        .chunk_count = facts->index.count,
        .new_chunk_count = admission.chunk_count - admission.repaired_count,
        .repaired_chunk_count = admission.repaired_count,
        .totals = facts->totals,
    };
    return 0;
}

/* It would be packed into itself, and grow each time. */
static int check_outside(const struct repository *r, const char *directory,
                         struct err *err)
{
    AUTO_FREE char *path = realpath(directory, NULL);
    size_t size = path ? strlen(path) : 0;
    if (!path || strncmp(path, r->dir, size) != 0 ||
        (size > 1 && r->dir[size] != '/' && r->dir[size] != '\0'))
        return 0; /* image_build() reports one that is not there */
    return err_set(err, EINVAL,
                   "the repository '%s' is in the directory '%s': name one that is "
                   "elsewhere (--repository)",
                   r->dir, path);
}

int repository_create(struct repository *r, const struct dataset_admission *in,
                      struct dataset_added *ret, struct err *err)
{
    AUTO(staging_done) struct staging staging = { .fd = -1 };
    AUTO(image_source_done) struct image_source source = { .kind = "" };
    char path[STORE_PATH_SIZE], tool[IMAGE_BUILD_VERSION_SIZE], arguments[256];
    int rc = facts_check(in, err);
    if (rc == 0)
        rc = check_outside(r, in->path, err);
    if (rc == 0)
        rc = staging_new(r, &staging, err);
    (void)snprintf(path, sizeof path, "%s/image", staging.dir);
    if (rc == 0)
        rc = image_source_open(in->path, staging.dir, &source, err);
    if (rc == 0)
        rc = image_build(source.directory, path, err);
    if (rc < 0)
        return rc;
    image_build_version(tool, sizeof tool);
    (void)snprintf(arguments, sizeof arguments, IMAGE_BUILD_ARGUMENTS "%s%s",
                   *source.kind ? " of " : "", source.kind);
    image_source_done(&source); /* the same files are in the image now */
    return staged_accept(r, in, &staging, tool, arguments, ret, err);
}

int repository_update(struct repository *r, const struct digest *base,
                      const struct dataset_admission *in, struct dataset_added *ret,
                      struct err *err)
{
    struct dataset_admission next = *in;
    int64_t dataset = 0;
    int rc = facts_need(r, base, &dataset, err); /* before anything is built */
    next.parent = base;
    return rc < 0 ? rc : repository_create(r, &next, ret, err);
}

static int image_copy(const char *from, const char *to, struct err *err)
{
    AUTO_CLOSE int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return err_set(err, errno, "'%s': %s", from, strerror(errno));
    AUTO_CLOSE int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    AUTO_FREE char *buffer = malloc(COPY_BYTES);
    if (out < 0 || !buffer)
        return err_set(err, errno, "'%s': %s", to, strerror(errno));
    for (;;) {
        ssize_t count = read(in, buffer, COPY_BYTES);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return err_set(err, errno, "read '%s': %s", from, strerror(errno));
        if (count == 0)
            return 0;
        int rc = file_write_all(out, buffer, (size_t)count);
        if (rc < 0)
            return err_set(err, -rc, "write '%s': %s", to, strerror(-rc));
    }
}

int repository_import(struct repository *r, const struct dataset_admission *in,
                      struct dataset_added *ret, struct err *err)
{
    AUTO(staging_done) struct staging staging = { .fd = -1 };
    char path[STORE_PATH_SIZE];
    int rc = facts_check(in, err);
    if (rc == 0)
        rc = staging_new(r, &staging, err);
    (void)snprintf(path, sizeof path, "%s/image", staging.dir);
    if (rc == 0 && in->origin && link(in->path, path) < 0)
        rc = err_set(err, errno, "'%s': %s", path, strerror(errno));
    if (rc == 0 && !in->origin)
        rc = image_copy(in->path, path, err);
    return rc < 0 ? rc : staged_accept(r, in, &staging, "import", "", ret, err);
}
