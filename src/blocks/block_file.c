/* SPDX-License-Identifier: Apache-2.0 */
/* block_file - sealed blocks of one shard, written once, then mapped. */
#include "blocks/block_file.h"

#include <errno.h>
#include <stdlib.h>

/* The longest that the sizes in a block's head can state. */
#define SLACK_BYTES ((size_t)128 << 10)
#define OFFSET_BYTES SEALED_UNIT_BYTES

_Static_assert(sizeof(struct block) == 56, "the layout of a block is that of its file");

static const struct sealed_form form = {
    .noun = "a block file",
    .magic = { 'b', 'a', 'r', 'o', 'b', 'l', 'k', '\n' },
    .end_magic = { 'b', 'a', 'r', 'o', 'b', 'e', 'n', 'd' },
    .version = 1,
    .header_words = 2,
    .footer_words = 4,
    .slack_bytes = SLACK_BYTES,
};

/* Words of the header and of the footer. */
enum { HEADER_CHECKPOINT, HEADER_SHARD };
enum { FOOTER_DIRECTORY_AT, FOOTER_ENTRY_COUNT, FOOTER_MIN_NS, FOOTER_MAX_NS };

struct block_writer {
    struct sealed_writer *file;
    uint8_t *buffer;
    size_t used, capacity;
    struct block_entry *entries;
    size_t entry_count, entry_capacity;
    int64_t min_ns, max_ns;
};

static int writer_reserve(struct block_writer *w, size_t size)
{
    if (w->used + size > w->capacity) {
        size_t capacity = 2 * (w->used + size) + ((size_t)64 << 10);
        uint8_t *buffer = realloc(w->buffer, capacity);
        if (!buffer)
            return -ENOMEM;
        w->buffer = buffer;
        w->capacity = capacity;
    }
    if (w->entry_count < w->entry_capacity)
        return 0;
    size_t capacity = 2 * w->entry_capacity + 256;
    struct block_entry *entries = realloc(w->entries, capacity * sizeof *entries);
    if (!entries)
        return -ENOMEM;
    w->entries = entries;
    w->entry_capacity = capacity;
    return 0;
}

static void writer_append(struct block_writer *w, const void *data, size_t size)
{
    memcpy(w->buffer + w->used, data, size);
    w->used += size;
    while (w->used % OFFSET_BYTES != 0)
        w->buffer[w->used++] = 0;
}

int block_writer_open(const char *path, uint64_t checkpoint, unsigned shard,
                      struct block_writer **ret, struct err *err)
{
    const uint64_t header[] = {
        [HEADER_CHECKPOINT] = checkpoint, [HEADER_SHARD] = shard
    };
    AUTO(block_writer_close) struct block_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, ENOMEM, "out of memory");
    w->min_ns = INT64_MAX;
    w->max_ns = INT64_MIN;
    int rc = sealed_writer_open(&form, path, header, &w->file, err);
    if (rc == 0)
        *ret = TAKE(w);
    return rc;
}

void block_writer_close(struct block_writer *w)
{
    if (!w)
        return;
    sealed_writer_close(w->file);
    free(w->buffer);
    free(w->entries);
    free(w);
}

int block_writer_add(struct block_writer *w, uint32_t number, const struct block *block,
                     uint32_t *ret_offset)
{
    size_t size = block_size(block);
    uint64_t offset =
        (sealed_writer_size(w->file) + w->used + sizeof(struct block_prefix)) /
        OFFSET_BYTES;
    int rc = writer_reserve(w, sizeof(struct block_prefix) + size + OFFSET_BYTES);
    if (rc < 0)
        return rc;
    if (offset > UINT32_MAX)
        return -EFBIG;
    struct block_prefix prefix = { .number = number };
    writer_append(w, &prefix, sizeof prefix);
    uint8_t *at = w->buffer + w->used;
    writer_append(w, block, size);
    struct block head;
    memcpy(&head, at, sizeof head);
    head.is_filed = 1;
    memcpy(at, &head, sizeof head);
    prefix.checksum = block_checksum((const struct block *)(const void *)at, number);
    memcpy(at - sizeof prefix, &prefix, sizeof prefix);
    w->entries[w->entry_count++] = (struct block_entry){ number, (uint32_t)offset };
    w->min_ns = block->start_ns < w->min_ns ? block->start_ns : w->min_ns;
    w->max_ns = block->end_ns > w->max_ns ? block->end_ns : w->max_ns;
    *ret_offset = (uint32_t)offset;
    return 0;
}

int block_writer_flush(struct block_writer *w)
{
    int rc = sealed_writer_add(w->file, w->buffer, w->used);
    w->used = 0;
    return rc;
}

size_t block_writer_buffered(const struct block_writer *w)
{
    return w->used;
}

uint64_t block_writer_count(const struct block_writer *w)
{
    return w->entry_count;
}

/* Places grow in the order in which blocks of a series came. */
static int compare_entries(const void *a, const void *b)
{
    const struct block_entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

int block_writer_finish(struct block_writer *w, struct err *err)
{
    const uint64_t footer[] = {
        [FOOTER_DIRECTORY_AT] = 0,
        [FOOTER_ENTRY_COUNT] = w->entry_count,
        [FOOTER_MIN_NS] = (uint64_t)w->min_ns,
        [FOOTER_MAX_NS] = (uint64_t)w->max_ns,
    };
    if (w->entry_count > 0)
        qsort(w->entries, w->entry_count, sizeof *w->entries, compare_entries);
    int rc = block_writer_flush(w);
    if (rc < 0)
        return err_set(err, -rc, "write blocks: %s", strerror(-rc));
    struct span directory = { (const char *)w->entries,
                              w->entry_count * sizeof *w->entries };
    return sealed_writer_finish(w->file, directory, footer, err);
}

int block_file_open(const char *path, struct block_file **ret, struct err *err)
{
    AUTO(block_file_close) struct block_file *file = calloc(1, sizeof *file);
    if (!file)
        return err_set(err, ENOMEM, "out of memory");
    struct sealed_file *sealed = &file->sealed;
    int rc = sealed_file_open(&form, path, sealed, err);
    if (rc < 0)
        return rc;
    file->entries = (const void *)sealed->directory.data;
    file->entry_count = sealed->directory.size / sizeof *file->entries;
    if (sealed->directory.size % sizeof *file->entries != 0 ||
        sealed->footer[FOOTER_ENTRY_COUNT] != file->entry_count)
        return err_set(err, EBADMSG, "'%s': its directory is damaged", path);
    file->checkpoint = sealed->header[HEADER_CHECKPOINT];
    file->shard = (unsigned)sealed->header[HEADER_SHARD];
    file->min_ns = (int64_t)sealed->footer[FOOTER_MIN_NS];
    file->max_ns = (int64_t)sealed->footer[FOOTER_MAX_NS];
    *ret = TAKE(file);
    return 0;
}

void block_file_close(struct block_file *file)
{
    if (!file)
        return;
    sealed_file_close(&file->sealed);
    free(file);
}

struct block *block_file_at(const struct block_file *file, uint32_t offset,
                            uint32_t number)
{
    const struct sealed_file *sealed = &file->sealed;
    uint64_t at = (uint64_t)offset * OFFSET_BYTES;
    if (at < sealed_file_begin(&form) + sizeof(struct block_prefix) ||
        at + sizeof(struct block) > sealed->size)
        return NULL;
    struct block *block = (struct block *)(uintptr_t)(const void *)(sealed->map + at);
    bool is_good =
        at + block_size(block) <= sealed->size && block_is_filed(block, number);
    return is_good ? block : NULL;
}

bool block_file_has(const struct block_file *file, const struct block *block,
                    uint32_t *ret_offset)
{
    const uint8_t *at = (const uint8_t *)block, *begin = file->sealed.map;
    if (at < begin || at >= begin + file->sealed.size)
        return false;
    *ret_offset = (uint32_t)((size_t)(at - begin) / OFFSET_BYTES);
    return true;
}

const struct block_entry *block_file_find(const struct block_file *file,
                                          uint32_t number, size_t *ret_count)
{
    return sealed_find(file->entries, file->entry_count, sizeof *file->entries, number,
                       ret_count);
}
