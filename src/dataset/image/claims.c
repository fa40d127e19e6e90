/* SPDX-License-Identifier: Apache-2.0 */
/* claims - which part of an image belongs to what, so that nothing has two meanings. */
#include "dataset/image/claims.h"

#include "dataset/image/erofs.h"

#include <inttypes.h>

struct extent {
    uint64_t begin, end;
};

struct claims {
    struct extent *inodes;
    size_t inode_count, inode_capacity;
    uint64_t block_count;
    uint8_t kinds[];
};

int claims_new(uint64_t block_count, struct claims **ret)
{
    if (block_count > UINT32_MAX)
        return -EBADMSG;
    struct claims *claims = calloc(1, sizeof *claims + (size_t)block_count);
    if (!claims)
        return -ENOMEM;
    claims->block_count = block_count;
    *ret = claims;
    return 0;
}

void claims_free(struct claims *claims)
{
    if (!claims)
        return;
    free(claims->inodes);
    free(claims);
}

int claims_blocks(struct claims *claims, uint64_t block, uint64_t count,
                  enum claim kind, struct err *err)
{
    static const char *const names[] = {
        [CLAIM_NONE] = "of nothing",
        [CLAIM_INODES] = "of inodes",
        [CLAIM_DIRECTORY] = "of a directory",
        [CLAIM_CONTENT] = "of a file's content",
    };
    for (uint64_t i = block; i < block + count; i++) {
        uint8_t *at = &claims->kinds[i];
        if (*at == CLAIM_NONE)
            *at = (uint8_t)kind;
        else if (*at != kind || kind == CLAIM_DIRECTORY)
            return err_set(err, EBADMSG, "block %" PRIu64 " is %s, and %s already", i,
                           names[kind], names[*at]);
    }
    return 0;
}

int claims_inode(struct claims *claims, uint64_t begin, uint64_t end, struct err *err)
{
    uint64_t first = begin >> EROFS_BLOCK_BITS, last = (end - 1) >> EROFS_BLOCK_BITS;
    int rc = claims_blocks(claims, first, last - first + 1, CLAIM_INODES, err);
    if (rc < 0)
        return rc;
    if (claims->inode_count == claims->inode_capacity) {
        size_t capacity = claims->inode_capacity ? claims->inode_capacity * 2 : 1024;
        struct extent *more =
            reallocarray(claims->inodes, capacity, sizeof claims->inodes[0]);
        if (!more)
            return -ENOMEM;
        claims->inodes = more;
        claims->inode_capacity = capacity;
    }
    claims->inodes[claims->inode_count++] =
        (struct extent){ .begin = begin, .end = end };
    return 0;
}

static int extent_compare(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

int claims_end(struct claims *claims, struct err *err)
{
    if (claims->inode_count)
        qsort(claims->inodes, claims->inode_count, sizeof claims->inodes[0],
              extent_compare);
    for (size_t i = 1; i < claims->inode_count; i++)
        if (claims->inodes[i].begin < claims->inodes[i - 1].end)
            return err_set(err, EBADMSG,
                           "the inodes at bytes %" PRIu64 " and %" PRIu64 " overlap",
                           claims->inodes[i - 1].begin, claims->inodes[i].begin);
    return 0;
}
