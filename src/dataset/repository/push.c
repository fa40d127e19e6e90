/* SPDX-License-Identifier: Apache-2.0 */
/* push - an image that a user sends: what has come of it, until it is a dataset. */
#include "dataset/repository/push_store.h"

#include "base/span.h"
#include "dataset/repository/owners.h"
#include "dataset/repository/push_area.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACE_CHECK_BYTES (UINT64_C(16) << 20) /* between looks at the space */

/* ---- the index ---- */

static int order_compare(const void *a, const void *b, void *arg)
{
    const struct index_chunk *chunks = arg;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int order = memcmp(chunks[i].digest.bytes, chunks[k].digest.bytes, DIGEST_SIZE);
    return order ? order : i < k ? -1 : i > k;
}

/* Equal chunks are sent once. */
static int first_find(struct push *push)
{
    size_t count = push->index.count;
    AUTO_FREE uint32_t *order = reallocarray(NULL, count + 1, sizeof *order);
    push->first = reallocarray(NULL, count + 1, sizeof *push->first);
    if (!order || !push->first)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof order[0], order_compare, push->index.chunks);
    for (size_t i = 0; i < count; i++) {
        const struct index_chunk *chunks = push->index.chunks;
        bool is_equal =
            i > 0 && digest_eq(&chunks[order[i]].digest, &chunks[order[i - 1]].digest);
        push->first[order[i]] = is_equal ? push->first[order[i - 1]] : order[i];
    }
    return 0;
}

/* What cannot be right is removed: nothing of it is of use. */
static int index_load(struct push *push, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    if (lseek(push->index_fd, 0, SEEK_SET) < 0)
        return err_set(err, errno, "'%s': %s", push->dir, strerror(errno));
    int rc = file_read_fd(push->index_fd, (size_t)push->terms.index_bytes + 1, &bytes);
    if (rc == 0)
        rc = dataset_index_decode(strbuf_span(&bytes), &push->index, err);
    if (rc == 0 &&
        (!digest_eq(&push->index.image, &push->terms.name) ||
         push->index.image_bytes != push->terms.image_bytes || !push->index.count))
        rc = err_set(err, EBADMSG, "the index is of another image");
    if (rc == 0)
        rc = first_find(push);
    push->is_wrong = rc == -EBADMSG;
    if (push->is_wrong)
        push_remove(push);
    if (rc == 0)
        push->has_index = true;
    return rc;
}

int push_index_add(struct push *push, uint64_t offset, struct span bytes,
                   struct err *err)
{
    if (push->has_index || offset != push->index_size ||
        bytes.size > push->terms.index_bytes - offset)
        return err_set(err, EINVAL, "this part of the index does not follow");
    ssize_t size = pwrite(push->index_fd, bytes.data, bytes.size, (off_t)offset);
    if (size != (ssize_t)bytes.size)
        return err_set(err, size < 0 ? errno : ENOSPC, "the index: %s",
                       strerror(size < 0 ? errno : ENOSPC));
    push->index_size += bytes.size;
    return push->index_size < push->terms.index_bytes ? 0 : index_load(push, err);
}

uint64_t push_index_size(const struct push *push)
{
    return push->index_size;
}

bool push_has_index(const struct push *push)
{
    return push->has_index;
}

/* ---- the files ---- */

static int push_file_open(const struct push *push, const char *name, int *ret_fd,
                          struct err *err)
{
    int fd = openat(push->fd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set(err, errno, "'%s/%s': %s", push->dir, name, strerror(errno));
    *ret_fd = fd;
    return 0;
}

void push_remove(struct push *push)
{
    static const char *const names[] = { "index", "part", "have", "facts" };
    for (size_t i = 0; push->fd >= 0 && i < COUNT_OF(names); i++)
        (void)unlinkat(push->fd, names[i], 0);
    (void)rmdir(push->dir);
}

/* Of another size than now it was begun with another index. */
static int push_files_open(struct push *push, struct err *err)
{
    struct stat part, index;
    int rc = push_file_open(push, "part", &push->part_fd, err);
    if (rc == 0)
        rc = push_file_open(push, "have", &push->have_fd, err);
    if (rc == 0)
        rc = push_file_open(push, "index", &push->index_fd, err);
    if (rc < 0)
        return rc;
    if (fstat(push->part_fd, &part) < 0 || fstat(push->index_fd, &index) < 0)
        return err_set(err, errno, "'%s': %s", push->dir, strerror(errno));
    push->index_size = (uint64_t)index.st_size;
    if ((part.st_size && (uint64_t)part.st_size != push->terms.image_bytes) ||
        push->index_size > push->terms.index_bytes) {
        push->index_size = 0;
        if (ftruncate(push->part_fd, 0) < 0 || ftruncate(push->have_fd, 0) < 0 ||
            ftruncate(push->index_fd, 0) < 0)
            return err_set(err, errno, "'%s': %s", push->dir, strerror(errno));
    }
    if (ftruncate(push->part_fd, (off_t)push->terms.image_bytes) < 0)
        return err_set(err, errno, "'%s': %s", push->dir, strerror(errno));
    return 0;
}

void push_close(struct push *push)
{
    if (!push)
        return;
    auto_close(&push->part_fd);
    auto_close(&push->have_fd);
    auto_close(&push->index_fd);
    auto_close(&push->fd);
    dataset_index_done(&push->index);
    free(push->first);
    free(push->readable);
    free(push);
}

static int terms_check(const struct push_terms *terms, struct err *err)
{
    uint64_t chunks_max = terms->image_bytes / CHUNK_SIZE_MIN + 2;
    if (terms->image_bytes == 0 || terms->image_bytes > INT64_MAX / 2 ||
        terms->index_bytes > PUSH_INDEX_BYTES_MAX ||
        terms->index_bytes > INDEX_HEAD_SIZE + chunks_max * INDEX_CHUNK_SIZE)
        return err_set(err, EFBIG, "an image or index of a size that is not possible");
    return 0;
}

static int push_lock(struct repository *r, struct push *push, struct err *err)
{
    AUTO(push_area_lock_done) struct push_area_lock lock = { -1, -1 };
    int rc = push_area_admit(r, &push->terms, push->dir, &lock, err);
    if (rc < 0)
        return rc;
    push->fd = open(push->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (push->fd < 0)
        return err_set(err, errno, "'%s': %s", push->dir, strerror(errno));
    if (flock(push->fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, EBUSY, "it is being pushed by another connection");
    return push_files_open(push, err);
}

int push_open(struct repository *r, const struct push_terms *terms, struct push **ret,
              struct err *err)
{
    char text[DIGEST_TEXT_SIZE];
    AUTO(push_close) struct push *push = calloc(1, sizeof *push);
    if (!push)
        return -ENOMEM;
    push->terms = *terms;
    push->fd = push->part_fd = push->have_fd = push->index_fd = -1;
    digest_print(&terms->name, text);
    (void)snprintf(push->dir, sizeof push->dir, "%s/pushes/%u/%s", r->dir, terms->uid,
                   text);
    int rc = terms_check(terms, err);
    if (rc == 0)
        rc = push_lock(r, push, err);
    if (rc == 0 && push->index_size == push->terms.index_bytes)
        rc = index_load(push, err);
    if (rc == 0)
        *ret = TAKE(push);
    return rc;
}

/* ---- chunks ---- */

int push_have_read(const struct push *push, uint8_t *have, struct err *err)
{
    ssize_t size = pread(push->have_fd, have, push->index.count, 0);
    if (size < 0)
        return err_set(err, errno, "'%s/have': %s", push->dir, strerror(errno));
    memset(have + size, 0, push->index.count - (size_t)size);
    return 0;
}

/* What the user can read here is looked up once, which takes long. */
static int readable_find(struct repository *r, struct push *push, const uint8_t *have,
                         struct err *err)
{
    size_t count = push->index.count;
    AUTO_FREE uint8_t *bits = calloc((count + 7) / 8, 1);
    if (!bits)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct pack_position unused;
        if (have[i] || push->first[i] != i)
            continue;
        int rc = push_find_readable(r, &push->terms, &push->index.chunks[i].digest,
                                    &unused, err);
        if (rc < 0)
            return rc;
        if (rc > 0)
            bits[i / 8] |= (uint8_t)(1U << i % 8);
    }
    push->readable = TAKE(bits);
    return 0;
}

int push_missing(struct repository *r, struct push *push, struct strbuf *out,
                 struct err *err)
{
    size_t count = push->index.count, size = (count + 7) / 8;
    AUTO_FREE uint8_t *have = calloc(count + 1, 1);
    int rc = have ? strbuf_reserve(out, size) : -ENOMEM;
    if (rc == 0)
        rc = push_have_read(push, have, err);
    if (rc == 0 && !push->readable)
        rc = readable_find(r, push, have, err);
    if (rc < 0)
        return rc;
    uint8_t *bits = (uint8_t *)out->data + out->size;
    memset(bits, 0, size);
    for (size_t i = 0; i < count; i++)
        if (have[i] != PUSH_HAVE && push->first[i] == i &&
            !(push->readable[i / 8] >> i % 8 & 1))
            bits[i / 8] |= (uint8_t)(1U << i % 8);
    out->size += size;
    return 0;
}

bool push_has_chunk(const struct push *push, uint32_t number)
{
    uint8_t have = 0;
    return pread(push->have_fd, &have, 1, number) == 1 && have == PUSH_HAVE;
}

const struct index_chunk *push_chunk(const struct push *push, uint32_t number)
{
    return push->has_index && number < push->index.count ? &push->index.chunks[number]
                                                         : NULL;
}

/* Its byte in `have` last: where the process ends between, it is sent again. */
int push_write(struct push *push, uint32_t number, const uint8_t *plain,
               struct err *err)
{
    static const uint8_t one = PUSH_HAVE;
    const struct index_chunk *chunk = &push->index.chunks[number];
    uint64_t before = atomic_fetch_add(&push->written, chunk->size);
    int rc = before / SPACE_CHECK_BYTES != (before + chunk->size) / SPACE_CHECK_BYTES
                 ? push_area_space(push->fd, SPACE_CHECK_BYTES, err)
                 : 0;
    if (rc < 0)
        return rc;
    ssize_t size = pwrite(push->part_fd, plain, chunk->size, (off_t)chunk->offset);
    if (size == (ssize_t)chunk->size)
        size = pwrite(push->have_fd, &one, 1, number) == 1 ? size : -1;
    if (size != (ssize_t)chunk->size)
        return err_set(err, size < 0 ? errno : ENOSPC,
                       "what was sent cannot be written: %s",
                       strerror(size < 0 ? errno : ENOSPC));
    return 0;
}

int push_facts_set(struct push *push, struct span facts, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    int rc = push_file_open(push, "facts", &fd, err);
    if (rc == 0 && ftruncate(fd, 0) < 0)
        rc = err_set(err, errno, "'%s/facts': %s", push->dir, strerror(errno));
    if (rc == 0)
        rc = file_write_all(fd, facts.data, facts.size);
    return rc;
}

/* ---- what is here already ---- */

int push_find_readable(struct repository *r, const struct push_terms *terms,
                       const struct digest *digest, struct pack_position *ret,
                       struct err *err)
{
    int64_t id = 0;
    int rc = chunk_store_find(r, digest, ret, &id, err);
    return rc <= 0 || terms->uid == 0
               ? rc
               : owners_chunk_is_readable(r, id, terms->uid, terms->groups, err);
}
