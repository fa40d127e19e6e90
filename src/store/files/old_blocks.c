/* SPDX-License-Identifier: Apache-2.0 */
/* old_blocks - the blocks of a series that were evicted from memory, out of files. */
#include "store/files/old_blocks.h"

#include "store/files/store_files.h"

void old_blocks_done(struct old_blocks *old)
{
    for (size_t i = 0; i < old->buffer_count; i++)
        free(old->buffers[i]);
    free(old->buffers);
    free(old->blocks);
    *old = (struct old_blocks)OLD_BLOCKS_INIT;
}

static int old_blocks_add(struct old_blocks *old, const struct old_block *block)
{
    if (old->count == old->capacity) {
        size_t capacity = 2 * old->capacity + 64;
        struct old_block *grown = realloc(old->blocks, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        old->blocks = grown;
        old->capacity = capacity;
    }
    old->blocks[old->count++] = *block;
    return 0;
}

static bool is_in(struct old_range range, int64_t start_ns, int64_t end_ns)
{
    return end_ns >= range.from_ns && start_ns < range.to_ns &&
           end_ns < range.before_ns;
}

static int add_of_file(struct old_blocks *old, const struct block_file *file,
                       uint32_t number, struct old_range range)
{
    size_t count;
    int rc = 0;
    if (file->max_ns < range.from_ns || file->min_ns >= range.to_ns)
        return 0;
    const struct block_entry *entries = block_file_find(file, number, &count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct block *block = block_file_at(file, entries[i].offset, number);
        if (!block) {
            old->unreadable++;
            continue;
        }
        struct old_block one = { .block = block,
                                 .start_ns = block->start_ns,
                                 .end_ns = block->end_ns,
                                 .checkpoint = file->checkpoint };
        if (is_in(range, one.start_ns, one.end_ns))
            rc = old_blocks_add(old, &one);
    }
    return rc;
}

static int add_of_archive(struct old_blocks *old, const struct archive_file *archive,
                          uint32_t id, uint32_t number, struct old_range range)
{
    size_t count;
    int rc = 0;
    if (archive->max_ns < range.from_ns || archive->min_ns >= range.to_ns)
        return 0;
    const struct archive_entry *entries = archive_file_find(archive, number, &count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct old_block one = {
            .start_ns = entries[i].start_ns,
            .end_ns = entries[i].end_ns,
            .checkpoint = entries[i].checkpoint,
            .entry = (uint32_t)(entries + i - archive->entries),
            .file = id,
            .is_archived = true,
        };
        if (is_in(range, one.start_ns, one.end_ns))
            rc = old_blocks_add(old, &one);
    }
    return rc;
}

/* The newest first; what an archive and a file both have is the same. */
static int compare_age(const void *a, const void *b)
{
    const struct old_block *x = a, *y = b;
    if (x->checkpoint != y->checkpoint)
        return x->checkpoint > y->checkpoint ? -1 : 1;
    if (x->is_archived != y->is_archived)
        return x->is_archived ? 1 : -1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* How many of count blocks, which are in order of time, start at t_ns or before. */
static size_t count_until(const struct old_block *blocks, size_t count, int64_t t_ns)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = (low + count) / 2;
        if (blocks[middle].start_ns <= t_ns)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Those that no newer one overlaps, in order of time. */
static int drop_replaced(struct old_blocks *old)
{
    struct old_block *left = malloc((old->count + 1) * sizeof *left);
    size_t count = 0;
    if (!left)
        return -ENOMEM;
    if (old->count > 0)
        qsort(old->blocks, old->count, sizeof *old->blocks, compare_age);
    for (size_t i = 0; i < old->count; i++) {
        const struct old_block *b = &old->blocks[i];
        size_t at = count_until(left, count, b->end_ns);
        if (at > 0 && left[at - 1].end_ns >= b->start_ns)
            continue;
        memmove(&left[at + 1], &left[at], (count - at) * sizeof *left);
        left[at] = *b;
        count++;
    }
    free(old->blocks);
    old->blocks = left;
    old->capacity = old->count + 1;
    old->count = count;
    return 0;
}

static int retain_buffer(struct old_blocks *old, void *buffer)
{
    if (old->buffer_count == old->buffer_capacity) {
        size_t capacity = 2 * old->buffer_capacity + 8;
        void **grown = realloc(old->buffers, capacity * sizeof *grown);
        if (!grown) {
            free(buffer);
            return -ENOMEM;
        }
        old->buffers = grown;
        old->buffer_capacity = capacity;
    }
    old->buffers[old->buffer_count++] = buffer;
    return 0;
}

/* Blocks of archives into memory: a series lies together, so a frame serves many. */
static int unpack(struct old_blocks *old, const struct store_files *files)
{
    const struct archive_file *last = NULL;
    uint32_t last_frame = 0;
    void *frame = NULL;
    size_t left = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < old->count; i++) {
        struct old_block b = old->blocks[i];
        if (b.is_archived) {
            const struct archive_file *archive = files->archives[b.file];
            const struct archive_entry *e = &archive->entries[b.entry];
            if (archive != last || e->frame != last_frame) {
                frame = NULL;
                last = archive;
                last_frame = e->frame;
                rc = archive_file_unpack(archive, e->frame, &frame);
                if (rc == 0)
                    rc = retain_buffer(old, frame);
                frame = rc == 0 ? frame : NULL;
                rc = rc == -EBADMSG ? 0 : rc;
            }
            b.block = frame ? archive_file_at(archive, e, frame) : NULL;
        }
        if (b.block)
            old->blocks[left++] = b;
        else
            old->unreadable++;
    }
    old->count = left;
    return rc;
}

int old_blocks_find(struct old_blocks *old, const struct store_files *files,
                    uint32_t number, struct old_range range)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < files->block_count; i++)
        rc = add_of_file(old, files->blocks[i], number, range);
    for (size_t i = 0; rc == 0 && i < files->archive_count; i++)
        rc = add_of_archive(old, files->archives[i], (uint32_t)i, number, range);
    if (rc == 0)
        rc = drop_replaced(old);
    return rc == 0 ? unpack(old, files) : rc;
}
