/* SPDX-License-Identifier: Apache-2.0 */
/* push_fill - what was not sent of an image comes out of the store. */
#include "base/span.h"
#include "dataset/repository/push_area.h"
#include "dataset/repository/push_store.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOVES_MAX 3 /* of a chunk, by gc, while it is looked up */

struct fill {
    struct repository *r;
    struct push *push;
    uint8_t *have, *plain; /* plain: CHUNK_SIZE_MAX bytes */
    size_t absent;         /* chunks that have to be sent */
};

static int part_write(const struct fill *fill, size_t number, struct err *err)
{
    const struct index_chunk *chunk = &fill->push->index.chunks[number];
    ssize_t size =
        pwrite(fill->push->part_fd, fill->plain, chunk->size, (off_t)chunk->offset);
    return size == (ssize_t)chunk->size
               ? 0
               : err_set(err, size < 0 ? errno : ENOSPC, "the image: %s",
                         strerror(size < 0 ? errno : ENOSPC));
}

/* gc may have moved it between the catalogue's row and the pack, as repository_chunk()
 * has it.  1: read; 0: it is not there for this user. */
static int stored_read(const struct fill *fill, const struct index_chunk *chunk,
                       struct err *err)
{
    struct pack_position position, before = { 0 };
    for (int i = 0;; i++) {
        int rc = push_find_readable(fill->r, &fill->push->terms, &chunk->digest,
                                    &position, err);
        if (rc <= 0)
            return rc;
        rc =
            position.size == chunk->size
                ? chunk_store_read(fill->r, &position, &chunk->digest, fill->plain, err)
                : -EUCLEAN;
        bool has_moved = i == 0 || position.pack != before.pack;
        if (rc == 0)
            return 1;
        if (!has_moved || i == MOVES_MAX)
            return rc;
        before = position;
    }
}

/* What the store has damaged is sent, which repairs the store, too. */
static int chunk_copy(struct fill *fill, size_t number, struct err *err)
{
    static const uint8_t damaged = PUSH_DAMAGED;
    int rc = stored_read(fill, &fill->push->index.chunks[number], err);
    if (rc > 0)
        return part_write(fill, number, err);
    if (rc < 0 && rc != -EUCLEAN && rc != -EIO)
        return rc;
    fill->absent++;
    if (rc < 0 && pwrite(fill->push->have_fd, &damaged, 1, (off_t)number) != 1)
        return err_set(err, EIO, "'%s/have' cannot be written", fill->push->dir);
    return 0;
}

/* The first of those that are equal is in part. */
static int first_read(const struct fill *fill, size_t number, struct err *err)
{
    const struct index_chunk *from =
        &fill->push->index.chunks[fill->push->first[number]];
    if (pread(fill->push->part_fd, fill->plain, from->size, (off_t)from->offset) !=
        (ssize_t)from->size)
        return err_set(err, EIO, "the image cannot be read");
    return 0;
}

static int whole_compare(const struct fill *fill, const struct digest *made,
                         struct err *err)
{
    if (digest_eq(made, &fill->push->terms.name))
        return 0;
    fill->push->is_wrong = true;
    return err_set(err, EUCLEAN,
                   "the image is not what its SHA-256 states: its index is of another "
                   "one");
}

/* Before repeats are written: an index may have one chunk a million times, which is
 * read once. */
static int whole_check(const struct fill *fill, struct err *err)
{
    AUTO(digest_sum_free) struct digest_sum *sum = NULL;
    struct push *push = fill->push;
    struct digest made;
    size_t there = push->index.count; /* in plain */
    int rc = digest_sum_new(&sum);
    for (size_t i = 0; rc == 0 && i < push->index.count; i++) {
        const struct index_chunk *chunk = &push->index.chunks[i];
        if (push->index.chunks[push->first[i]].size != chunk->size) {
            push->is_wrong = true;
            return err_set(err, EBADMSG, "equal chunks of two sizes");
        }
        if (there != push->first[i])
            rc = first_read(fill, i, err);
        there = push->first[i];
        if (rc == 0)
            digest_sum_add(sum, fill->plain, chunk->size);
    }
    if (rc == 0)
        rc = digest_sum_end(sum, &made);
    return rc < 0 ? rc : whole_compare(fill, &made, err);
}

static int repeats_write(const struct fill *fill, struct err *err)
{
    const struct push *push = fill->push;
    size_t there = push->index.count;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < push->index.count; i++) {
        if (push->first[i] == i)
            continue;
        if (there != push->first[i])
            rc = first_read(fill, i, err);
        there = push->first[i];
        if (rc == 0)
            rc = part_write(fill, i, err);
    }
    return rc;
}

/* For the rest of the image, and for packs of what was sent. */
static int space_check(const struct push *push, const uint8_t *have, struct err *err)
{
    struct stat part;
    if (fstat(push->part_fd, &part) < 0)
        return err_set(err, errno, "'%s/part': %s", push->dir, strerror(errno));
    uint64_t there = (uint64_t)part.st_blocks * 512;
    uint64_t bytes =
        push->terms.image_bytes > there ? push->terms.image_bytes - there : 0;
    for (size_t i = 0; i < push->index.count; i++)
        if (have[i] == PUSH_HAVE)
            bytes += push->index.chunks[i].size;
    return push_area_space(push->fd, bytes, err);
}

int push_fill(struct repository *r, struct push *push, struct err *err)
{
    AUTO_FREE uint8_t *have = malloc(push->index.count);
    AUTO_FREE uint8_t *plain = malloc(CHUNK_SIZE_MAX);
    struct fill fill = { r, push, have, plain, 0 };
    int rc = have && plain ? push_have_read(push, have, err) : -ENOMEM;
    if (rc == 0)
        rc = space_check(push, have, err);
    for (size_t i = 0; rc == 0 && i < push->index.count; i++)
        if (push->first[i] == i && have[i] != PUSH_HAVE)
            rc = chunk_copy(&fill, i, err);
    if (rc == 0 && fill.absent)
        rc = err_set(err, EAGAIN, "%zu chunks have to be sent", fill.absent);
    if (rc == 0)
        rc = whole_check(&fill, err);
    return rc < 0 ? rc : repeats_write(&fill, err);
}
