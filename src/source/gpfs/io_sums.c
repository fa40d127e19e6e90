/* SPDX-License-Identifier: Apache-2.0 */
/* io_sums - what all nodes of a cluster did in a step, out of what each says of itself.
 */
#include "source/gpfs/io_sums.h"

#include "base/strbuf.h"

/* One node and one file system. */
struct io_node {
    size_t sum;
    uint64_t round; /* in which it was last heard of */
    uint64_t counts[_GPFS_COUNT_COUNT];
};

void io_sums_init(struct io_sums *sums)
{
    *sums = (struct io_sums){ 0 };
    arena_init(&sums->arena, 0);
}

void io_sums_done(struct io_sums *sums)
{
    arena_done(&sums->arena);
    hashmap_done(&sums->nodes);
    hashmap_done(&sums->index);
    free(sums->sums);
    *sums = (struct io_sums){ 0 };
}

void io_sums_begin(struct io_sums *sums)
{
    sums->round++;
    for (size_t i = 0; i < sums->count; i++) {
        sums->sums[i].nodes = sums->sums[i].unknown = 0;
        memset(sums->sums[i].counts, 0, sizeof sums->sums[i].counts);
    }
}

static int sum_of(struct io_sums *sums, const struct gpfs_io *io, struct strbuf *key,
                  size_t *ret)
{
    strbuf_clear(key);
    strbuf_add_span(key, io->cluster);
    strbuf_addc(key, '\0');
    strbuf_add_span(key, io->fs);
    if (strbuf_error(key) < 0)
        return -ENOMEM;
    const uintptr_t *known = hashmap_get(&sums->index, strbuf_span(key));
    if (known) {
        *ret = *known - 1;
        return 0;
    }
    if (sums->count == IO_SUMS_FILESYSTEMS_MAX)
        return -EFBIG;
    struct io_sum *grown = reallocarray(sums->sums, sums->count + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    sums->sums = grown;
    struct io_sum sum = { .cluster = arena_dup(&sums->arena, io->cluster),
                          .fs = arena_dup(&sums->arena, io->fs) };
    uintptr_t *at = sum.cluster && sum.fs
                        ? hashmap_put(&sums->index, strbuf_span(key), NULL)
                        : NULL;
    if (!at)
        return -ENOMEM;
    sums->sums[sums->count] = sum;
    *ret = sums->count++;
    *at = sums->count;
    return 0;
}

/* key begins with that of the node's sum. */
static int node_of(struct io_sums *sums, struct span name, struct strbuf *key,
                   struct io_node **ret, bool *ret_is_new)
{
    strbuf_addc(key, '\0');
    strbuf_add_span(key, name);
    if (strbuf_error(key) < 0)
        return -ENOMEM;
    const uintptr_t *known = hashmap_get(&sums->nodes, strbuf_span(key));
    *ret_is_new = !known;
    if (known) {
        *ret = (struct io_node *)*known;
        return 0;
    }
    if (sums->nodes.count == IO_SUMS_NODES_MAX)
        return -EFBIG;
    struct io_node *node = arena_alloc(&sums->arena, sizeof *node);
    uintptr_t *at = node ? hashmap_put(&sums->nodes, strbuf_span(key), NULL) : NULL;
    if (!at)
        return -ENOMEM;
    *at = (uintptr_t)node;
    *ret = node;
    return 0;
}

static bool has_grown(const struct io_node *node, const struct gpfs_io *io)
{
    for (unsigned i = 0; i < _GPFS_COUNT_COUNT; i++)
        if (io->counts[i] < node->counts[i])
            return false;
    return true;
}

int io_sums_add(struct io_sums *sums, const struct gpfs_io *io)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    struct io_node *node = NULL;
    bool is_new;
    size_t at;
    int rc = sum_of(sums, io, &key, &at);
    if (rc == 0)
        rc = node_of(sums, io->node, &key, &node, &is_new);
    if (rc < 0)
        return rc;
    if (!is_new && node->round == sums->round)
        return 0;
    struct io_sum *sum = &sums->sums[at];
    /* After a step that it missed, what it did since is of two steps: not known. */
    if (!is_new && node->round + 1 == sums->round && has_grown(node, io)) {
        sum->nodes++;
        for (unsigned i = 0; i < _GPFS_COUNT_COUNT; i++)
            sum->counts[i] += io->counts[i] - node->counts[i];
    } else {
        sum->unknown++;
    }
    node->sum = at;
    node->round = sums->round;
    memcpy(node->counts, io->counts, sizeof node->counts);
    return 0;
}

void io_sums_end(struct io_sums *sums)
{
    size_t cursor = 0;
    struct span key;
    uintptr_t *value;
    while (hashmap_next(&sums->nodes, &cursor, &key, &value)) {
        const struct io_node *node = (const struct io_node *)*value;
        uint64_t missed = sums->round - node->round;
        if (missed > 0 && missed <= IO_SUMS_ROUNDS_MISSED_MAX)
            sums->sums[node->sum].unknown++;
    }
}
