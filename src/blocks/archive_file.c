/* SPDX-License-Identifier: Apache-2.0 */
/* archive_file - blocks that are no longer in memory, packed. */
#include "blocks/archive_file.h"

#include "base/file.h"
#include "blocks/bits.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>

#define ARCHIVE_MAGIC "baroarc\n"
#define ARCHIVE_END_MAGIC "baroaend"
#define ARCHIVE_VERSION 1
#define LEVEL 3
#define PLACE_BYTES 8
#define NAME_TEXT_MAX 4096

struct archive_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint64_t checkpoint;
    uint64_t checksum; /* XXH3 of what stands before */
};

struct archive_footer {
    uint64_t names_at, names_size;
    uint64_t entry_count, frame_count;
    int64_t min_ns, max_ns;
    uint64_t
        checksum; /* XXH3 of names, entries, frames, seeded with that of the above */
    char magic[8];
};

struct archive_writer {
    int fd;
    char *path;
    bool is_finished;
    uint64_t written;
    struct strbuf frame, packed, names, entries, frames;
    int64_t min_ns, max_ns;
};

int archive_writer_open(const char *path, uint64_t checkpoint,
                        struct archive_writer **ret, struct err *err)
{
    struct archive_header header = {
        .magic = { 'b', 'a', 'r', 'o', 'a', 'r', 'c', '\n' },
        .version = ARCHIVE_VERSION,
        .header_size = sizeof header,
        .checkpoint = checkpoint,
    };
    header.checksum = XXH3_64bits(&header, offsetof(struct archive_header, checksum));
    AUTO(archive_writer_close) struct archive_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, ENOMEM, "out of memory");
    w->fd = -1;
    w->min_ns = INT64_MAX;
    w->max_ns = INT64_MIN;
    w->path = strdup(path);
    if (!w->path)
        return err_set(err, ENOMEM, "out of memory");
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (w->fd < 0)
        return err_set(err, errno, "create '%s': %s", path, strerror(errno));
    int rc = file_write_all(w->fd, &header, sizeof header);
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", path, strerror(-rc));
    w->written = sizeof header;
    *ret = TAKE(w);
    return 0;
}

void archive_writer_close(struct archive_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0 && !w->is_finished)
        (void)unlink(w->path);
    auto_close(&w->fd);
    free(w->path);
    strbuf_done(&w->frame);
    strbuf_done(&w->packed);
    strbuf_done(&w->names);
    strbuf_done(&w->entries);
    strbuf_done(&w->frames);
    free(w);
}

static int write_frame(struct archive_writer *w)
{
    if (w->frame.size == 0)
        return 0;
    strbuf_clear(&w->packed);
    size_t room = ZSTD_compressBound(w->frame.size);
    int rc = strbuf_reserve(&w->packed, room);
    if (rc < 0)
        return rc;
    size_t size =
        ZSTD_compress(w->packed.data, room, w->frame.data, w->frame.size, LEVEL);
    if (ZSTD_isError(size))
        return -ENOMEM;
    struct archive_frame frame = {
        .at = w->written,
        .packed_size = (uint32_t)size,
        .size = (uint32_t)w->frame.size,
        .checksum = XXH3_64bits(w->packed.data, size),
    };
    rc = file_write_all(w->fd, w->packed.data, size);
    w->written += size;
    strbuf_add(&w->frames, &frame, sizeof frame);
    strbuf_clear(&w->frame);
    return rc;
}

static void pad(struct strbuf *bytes)
{
    static const uint8_t zeros[PLACE_BYTES];
    strbuf_add(bytes, zeros, (PLACE_BYTES - bytes->size % PLACE_BYTES) % PLACE_BYTES);
}

int archive_writer_add(struct archive_writer *w, uint32_t number, uint32_t checkpoint,
                       const struct block *block)
{
    int rc = w->frame.size >= ARCHIVE_FRAME_BYTES ? write_frame(w) : 0;
    if (rc < 0)
        return rc;
    size_t frame = w->frames.size / sizeof(struct archive_frame);
    if (frame > UINT32_MAX)
        return -EFBIG;
    struct block_prefix prefix = { block_checksum(block, number), number };
    strbuf_add(&w->frame, &prefix, sizeof prefix);
    struct archive_entry entry = {
        .number = number,
        .frame = (uint32_t)frame,
        .place = (uint32_t)(w->frame.size / PLACE_BYTES),
        .checkpoint = checkpoint,
        .start_ns = block->start_ns,
        .end_ns = block->end_ns,
    };
    strbuf_add(&w->frame, block, block_size(block));
    pad(&w->frame);
    strbuf_add(&w->entries, &entry, sizeof entry);
    w->min_ns = block->start_ns < w->min_ns ? block->start_ns : w->min_ns;
    w->max_ns = block->end_ns > w->max_ns ? block->end_ns : w->max_ns;
    rc = strbuf_error(&w->frame);
    return rc < 0 ? rc : strbuf_error(&w->entries);
}

int archive_writer_name(struct archive_writer *w, const struct record_name *name)
{
    int rc = strbuf_reserve(&w->names, name->path.size + name->metric.size + 64);
    if (rc < 0)
        return rc;
    struct bits_writer bits = { (uint8_t *)w->names.data + w->names.size, 0 };
    bits_put_varint(&bits, name->number);
    bits_put_varint(&bits, (uint64_t)name->step_ns);
    bits_put_varint(&bits, name->path.size);
    bits_put(&bits, name->path.data, name->path.size);
    bits_put_varint(&bits, name->metric.size);
    bits_put(&bits, name->metric.data, name->metric.size);
    w->names.size += bits.size;
    return 0;
}

static uint64_t footer_checksum(const struct archive_footer *footer, const void *data,
                                size_t size)
{
    uint64_t seed = XXH3_64bits(footer, offsetof(struct archive_footer, checksum));
    return XXH3_64bits_withSeed(data, size, seed);
}

/* Names, entries and frames in one piece, as they stand in the file. */
static int write_end(struct archive_writer *w)
{
    struct archive_footer footer = {
        .names_at = w->written,
        .names_size = w->names.size,
        .entry_count = w->entries.size / sizeof(struct archive_entry),
        .frame_count = w->frames.size / sizeof(struct archive_frame),
        .min_ns = w->min_ns,
        .max_ns = w->max_ns,
        .magic = { 'b', 'a', 'r', 'o', 'a', 'e', 'n', 'd' },
    };
    struct strbuf *all = &w->packed;
    strbuf_clear(all);
    strbuf_add_span(all, strbuf_span(&w->names));
    pad(all);
    strbuf_add_span(all, strbuf_span(&w->entries));
    strbuf_add_span(all, strbuf_span(&w->frames));
    if (strbuf_error(all) < 0)
        return -ENOMEM;
    footer.checksum = footer_checksum(&footer, all->data, all->size);
    strbuf_add(all, &footer, sizeof footer);
    if (strbuf_error(all) < 0)
        return -ENOMEM;
    return file_write_all(w->fd, all->data, all->size);
}

int archive_writer_finish(struct archive_writer *w, struct err *err)
{
    static const uint8_t zeros[PLACE_BYTES];
    int rc = write_frame(w);
    size_t over = (PLACE_BYTES - w->written % PLACE_BYTES) % PLACE_BYTES;
    if (rc == 0)
        rc = file_write_all(w->fd, zeros, over);
    w->written += over;
    if (rc == 0)
        rc = write_end(w);
    if (rc == 0 && fdatasync(w->fd) < 0)
        rc = -errno;
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", w->path, strerror(-rc));
    w->is_finished = true;
    return 0;
}

static bool check_sizes(const struct archive_file *file, const struct archive_footer *f)
{
    uint64_t room = file->size - sizeof(struct archive_header) - sizeof *f;
    if (memcmp(f->magic, ARCHIVE_END_MAGIC, sizeof f->magic) != 0 ||
        f->names_at % PLACE_BYTES != 0 || f->names_at < sizeof(struct archive_header) ||
        f->names_at > file->size || f->names_size > room ||
        f->entry_count > room / sizeof(struct archive_entry) ||
        f->frame_count > room / sizeof(struct archive_frame))
        return false;
    uint64_t names = (f->names_size + PLACE_BYTES - 1) / PLACE_BYTES * PLACE_BYTES;
    return f->names_at + names + f->entry_count * sizeof(struct archive_entry) +
               f->frame_count * sizeof(struct archive_frame) + sizeof *f ==
           file->size;
}

static int check_file(const char *path, struct archive_file *file, struct err *err)
{
    struct archive_header header;
    struct archive_footer footer;
    memcpy(&header, file->map, sizeof header);
    if (memcmp(header.magic, ARCHIVE_MAGIC, sizeof header.magic) != 0)
        return err_set(err, EBADMSG, "'%s' is not an archive file", path);
    if (header.version != ARCHIVE_VERSION)
        return err_set(err, EBADMSG, "'%s' is of version %u, this reads %d", path,
                       header.version, ARCHIVE_VERSION);
    if (header.checksum !=
        XXH3_64bits(&header, offsetof(struct archive_header, checksum)))
        return err_set(err, EBADMSG, "'%s': its header is damaged", path);
    memcpy(&footer, file->map + file->size - sizeof footer, sizeof footer);
    if (!check_sizes(file, &footer))
        return err_set(err, EBADMSG, "'%s': its end is damaged or missing", path);
    const uint8_t *end = file->map + footer.names_at;
    if (footer.checksum !=
        footer_checksum(&footer, end, file->size - sizeof footer - footer.names_at))
        return err_set(err, EBADMSG, "'%s': its directory is damaged", path);
    uint64_t names = (footer.names_size + PLACE_BYTES - 1) / PLACE_BYTES * PLACE_BYTES;
    file->checkpoint = header.checkpoint;
    file->names = (struct span){ (const char *)end, footer.names_size };
    file->entries = (const void *)(end + names);
    file->entry_count = footer.entry_count;
    file->frames = (const void *)(file->entries + footer.entry_count);
    file->frame_count = footer.frame_count;
    file->min_ns = footer.min_ns;
    file->max_ns = footer.max_ns;
    return 0;
}

int archive_file_open(const char *path, struct archive_file **ret, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    if ((size_t)st.st_size <
        sizeof(struct archive_header) + sizeof(struct archive_footer))
        return err_set(err, EBADMSG, "'%s' is not an archive file", path);
    AUTO(archive_file_close) struct archive_file *file = calloc(1, sizeof *file);
    if (!file)
        return err_set(err, ENOMEM, "out of memory");
    file->size = (size_t)st.st_size;
    void *map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return err_set(err, errno, "map '%s': %s", path, strerror(errno));
    file->map = map;
    int rc = check_file(path, file, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(file);
    return 0;
}

void archive_file_close(struct archive_file *file)
{
    if (!file)
        return;
    if (file->map)
        (void)munmap((void *)(uintptr_t)file->map, file->size);
    free(file);
}

void archive_file_forget(const struct archive_file *file)
{
    (void)madvise((void *)(uintptr_t)file->map, file->size, MADV_DONTNEED);
}

const struct archive_entry *archive_file_find(const struct archive_file *file,
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

int archive_file_unpack(const struct archive_file *file, uint32_t frame, void **ret)
{
    if (frame >= file->frame_count)
        return -EBADMSG;
    const struct archive_frame *f = &file->frames[frame];
    if (f->size > ARCHIVE_FRAME_BYTES_MAX || f->at > file->size ||
        f->packed_size > file->size - f->at ||
        f->checksum != XXH3_64bits(file->map + f->at, f->packed_size))
        return -EBADMSG;
    /* Behind the frame room for what a damaged block's sizes can say. */
    void *bytes = calloc(1, f->size + sizeof(struct block) + UINT16_MAX + INT16_MAX);
    if (!bytes)
        return -ENOMEM;
    size_t size = ZSTD_decompress(bytes, f->size, file->map + f->at, f->packed_size);
    if (ZSTD_isError(size) || size != f->size) {
        free(bytes);
        return -EBADMSG;
    }
    *ret = bytes;
    return 0;
}

const struct block *archive_file_at(const struct archive_file *file,
                                    const struct archive_entry *entry,
                                    const void *frame)
{
    const struct archive_frame *f = &file->frames[entry->frame];
    uint64_t at = (uint64_t)entry->place * PLACE_BYTES;
    if (at < sizeof(struct block_prefix) || at + sizeof(struct block) > f->size)
        return NULL;
    const struct block *block = (const void *)((const uint8_t *)frame + at);
    bool is_good = at + block_size(block) <= f->size &&
                   block_is_filed(block, entry->number) &&
                   block->start_ns == entry->start_ns && block->end_ns == entry->end_ns;
    return is_good ? block : NULL;
}

static struct span take_text(struct bits_reader *r)
{
    uint64_t size = bits_take_varint(r);
    r->is_bad |= size > NAME_TEXT_MAX;
    const uint8_t *data = r->is_bad ? NULL : bits_take(r, size);
    return (struct span){ (const char *)data, data ? size : 0 };
}

int archive_file_names(const struct archive_file *file, archive_name_fn *fn, void *arg)
{
    struct bits_reader r = { .data = (const uint8_t *)file->names.data,
                             .size = file->names.size };
    int rc = 0;
    while (rc == 0 && r.at < r.size) {
        uint64_t number = bits_take_varint(&r);
        uint64_t step_ns = bits_take_varint(&r);
        struct record_name name = { .path = take_text(&r) };
        name.metric = take_text(&r);
        if (r.is_bad || number == 0 || number > SERIES_NUMBER_MAX ||
            step_ns > INT64_MAX / 4)
            return -EBADMSG;
        name.number = (uint32_t)number;
        name.step_ns = (int64_t)step_ns;
        rc = fn(arg, &name);
    }
    return rc;
}
