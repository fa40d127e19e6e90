/* SPDX-License-Identifier: Apache-2.0 */
/* block_file - sealed blocks of one shard, written once, then mapped. */
#include "blocks/block_file.h"

#include "base/file.h"

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>

#define BLOCK_MAGIC "baroblk\n"
#define BLOCK_END_MAGIC "barobend"
#define BLOCK_VERSION 1
/* The longest that the sizes in a block's head can say. */
#define SLACK_BYTES ((size_t)128 << 10)
#define PLACE_BYTES 8

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "blocks are used as they lie in files");
_Static_assert(sizeof(struct block) == 56, "the layout of a block is that of its file");

struct block_file_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint64_t checkpoint;
    uint64_t shard;
    uint64_t checksum; /* XXH3 of what stands before */
};

struct block_file_footer {
    uint64_t directory_at;
    uint64_t entry_count;
    int64_t min_ns, max_ns;
    uint64_t checksum; /* XXH3 of the directory, seeded with that of what is before */
    char magic[8];
};

struct block_writer {
    int fd;
    char *path;
    bool is_finished;
    uint8_t *buffer;
    size_t used, capacity;
    uint64_t written;
    struct block_entry *entries;
    size_t entry_count, entry_capacity;
    int64_t min_ns, max_ns;
};

static int reserve(struct block_writer *w, size_t size)
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

static void append(struct block_writer *w, const void *data, size_t size)
{
    memcpy(w->buffer + w->used, data, size);
    w->used += size;
    while (w->used % PLACE_BYTES != 0)
        w->buffer[w->used++] = 0;
}

int block_writer_open(const char *path, uint64_t checkpoint, unsigned shard,
                      struct block_writer **ret, struct err *err)
{
    struct block_file_header header = {
        .magic = { 'b', 'a', 'r', 'o', 'b', 'l', 'k', '\n' },
        .version = BLOCK_VERSION,
        .header_size = sizeof header,
        .checkpoint = checkpoint,
        .shard = shard,
    };
    header.checksum =
        XXH3_64bits(&header, offsetof(struct block_file_header, checksum));
    AUTO(block_writer_close) struct block_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, ENOMEM, "out of memory");
    w->fd = -1;
    w->path = strdup(path);
    if (!w->path || reserve(w, sizeof header) < 0)
        return err_set(err, ENOMEM, "out of memory");
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (w->fd < 0)
        return err_set(err, errno, "create '%s': %s", path, strerror(errno));
    append(w, &header, sizeof header);
    w->min_ns = INT64_MAX;
    w->max_ns = INT64_MIN;
    *ret = TAKE(w);
    return 0;
}

void block_writer_close(struct block_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0 && !w->is_finished)
        (void)unlink(w->path);
    auto_close(&w->fd);
    free(w->path);
    free(w->buffer);
    free(w->entries);
    free(w);
}

int block_writer_add(struct block_writer *w, uint32_t number, const struct block *block,
                     uint32_t *ret_place)
{
    size_t size = block_size(block);
    uint64_t place = (w->written + w->used + sizeof(struct block_prefix)) / PLACE_BYTES;
    int rc = reserve(w, sizeof(struct block_prefix) + size + PLACE_BYTES);
    if (rc < 0)
        return rc;
    if (place > UINT32_MAX)
        return -EFBIG;
    struct block_prefix prefix = { .number = number };
    append(w, &prefix, sizeof prefix);
    uint8_t *at = w->buffer + w->used;
    append(w, block, size);
    struct block head;
    memcpy(&head, at, sizeof head);
    head.is_filed = 1;
    memcpy(at, &head, sizeof head);
    prefix.checksum = block_checksum((const struct block *)(const void *)at, number);
    memcpy(at - sizeof prefix, &prefix, sizeof prefix);
    w->entries[w->entry_count++] = (struct block_entry){ number, (uint32_t)place };
    w->min_ns = block->start_ns < w->min_ns ? block->start_ns : w->min_ns;
    w->max_ns = block->end_ns > w->max_ns ? block->end_ns : w->max_ns;
    *ret_place = (uint32_t)place;
    return 0;
}

int block_writer_flush(struct block_writer *w)
{
    int rc = file_write_all(w->fd, w->buffer, w->used);
    w->written += w->used;
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
    return (x->place > y->place) - (x->place < y->place);
}

static uint64_t footer_checksum(const struct block_file_footer *footer,
                                const struct block_entry *entries)
{
    uint64_t seed = XXH3_64bits(footer, offsetof(struct block_file_footer, checksum));
    return XXH3_64bits_withSeed(entries, footer->entry_count * sizeof *entries, seed);
}

int block_writer_finish(struct block_writer *w, struct err *err)
{
    struct block_file_footer footer = {
        .entry_count = w->entry_count,
        .min_ns = w->min_ns,
        .max_ns = w->max_ns,
        .magic = { 'b', 'a', 'r', 'o', 'b', 'e', 'n', 'd' },
    };
    if (w->entry_count > 0)
        qsort(w->entries, w->entry_count, sizeof *w->entries, compare_entries);
    int rc = block_writer_flush(w);
    footer.directory_at = w->written;
    footer.checksum = footer_checksum(&footer, w->entries);
    if (rc == 0)
        rc = file_write_all(w->fd, w->entries, w->entry_count * sizeof *w->entries);
    if (rc == 0)
        rc = file_write_all(w->fd, &footer, sizeof footer);
    if (rc == 0 && fdatasync(w->fd) < 0)
        rc = -errno;
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", w->path, strerror(-rc));
    w->is_finished = true;
    return 0;
}

/* The file, and behind it room that reads as zeros. */
static int map_file(int fd, size_t size, struct block_file *file)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    file->map_size = (size + page - 1) / page * page + SLACK_BYTES;
    void *room =
        mmap(NULL, file->map_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return -errno;
    file->map = room;
    if (mmap(room, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
        return -errno;
    file->size = size;
    return 0;
}

static int check_file(const char *path, struct block_file *file, struct err *err)
{
    struct block_file_header header;
    struct block_file_footer footer;
    memcpy(&header, file->map, sizeof header);
    if (memcmp(header.magic, BLOCK_MAGIC, sizeof header.magic) != 0)
        return err_set(err, EBADMSG, "'%s' is not a block file", path);
    if (header.version != BLOCK_VERSION)
        return err_set(err, EBADMSG, "'%s' is of version %u, this reads %d", path,
                       header.version, BLOCK_VERSION);
    if (header.checksum !=
        XXH3_64bits(&header, offsetof(struct block_file_header, checksum)))
        return err_set(err, EBADMSG, "'%s': its header is damaged", path);
    memcpy(&footer, file->map + file->size - sizeof footer, sizeof footer);
    uint64_t directory_max = file->size - sizeof header - sizeof footer;
    if (memcmp(footer.magic, BLOCK_END_MAGIC, sizeof footer.magic) != 0 ||
        footer.entry_count > directory_max / sizeof(struct block_entry) ||
        footer.directory_at % PLACE_BYTES != 0 ||
        footer.directory_at != file->size - sizeof footer -
                                   footer.entry_count * sizeof(struct block_entry))
        return err_set(err, EBADMSG, "'%s': its end is damaged or missing", path);
    file->entries = (const void *)(file->map + footer.directory_at);
    if (footer.checksum != footer_checksum(&footer, file->entries))
        return err_set(err, EBADMSG, "'%s': its directory is damaged", path);
    file->checkpoint = header.checkpoint;
    file->shard = (unsigned)header.shard;
    file->entry_count = footer.entry_count;
    file->min_ns = footer.min_ns;
    file->max_ns = footer.max_ns;
    return 0;
}

int block_file_open(const char *path, struct block_file **ret, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    if ((size_t)st.st_size <
        sizeof(struct block_file_header) + sizeof(struct block_file_footer))
        return err_set(err, EBADMSG, "'%s' is not a block file", path);
    AUTO(block_file_close) struct block_file *file = calloc(1, sizeof *file);
    if (!file)
        return err_set(err, ENOMEM, "out of memory");
    int rc = map_file(fd, (size_t)st.st_size, file);
    if (rc < 0)
        return err_set(err, -rc, "map '%s': %s", path, strerror(-rc));
    rc = check_file(path, file, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(file);
    return 0;
}

void block_file_close(struct block_file *file)
{
    if (!file)
        return;
    if (file->map)
        (void)munmap((void *)(uintptr_t)file->map, file->map_size);
    free(file);
}

struct block *block_file_at(const struct block_file *file, uint32_t place,
                            uint32_t number)
{
    uint64_t at = (uint64_t)place * PLACE_BYTES;
    if (at < sizeof(struct block_file_header) + sizeof(struct block_prefix) ||
        at + sizeof(struct block) > file->size)
        return NULL;
    struct block *block = (struct block *)(uintptr_t)(const void *)(file->map + at);
    bool is_good =
        at + block_size(block) <= file->size && block_is_filed(block, number);
    return is_good ? block : NULL;
}

bool block_file_has(const struct block_file *file, const struct block *block,
                    uint32_t *ret_place)
{
    const uint8_t *at = (const uint8_t *)block;
    if (at < file->map || at >= file->map + file->size)
        return false;
    *ret_place = (uint32_t)((size_t)(at - file->map) / PLACE_BYTES);
    return true;
}

const struct block_entry *block_file_find(const struct block_file *file,
                                          uint32_t number, size_t *ret_count)
{
    size_t low = 0, high = file->entry_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (file->entries[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < file->entry_count && file->entries[end].number == number)
        end++;
    *ret_count = end - low;
    return file->entries + low;
}
