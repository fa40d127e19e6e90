/* SPDX-License-Identifier: Apache-2.0 */
/* archive_file - blocks that are no longer in memory, packed. */
#include "blocks/archive_file.h"

#include "blocks/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <xxhash.h>
#include <zstd.h>

#define LEVEL 3
#define OFFSET_BYTES SEALED_UNIT_BYTES
#define NAME_TEXT_MAX 4096

static const struct sealed_form form = {
    .noun = "an archive file",
    .magic = { 'b', 'a', 'r', 'o', 'a', 'r', 'c', '\n' },
    .end_magic = { 'b', 'a', 'r', 'o', 'a', 'e', 'n', 'd' },
    .version = 1,
    .header_words = 1,
    .footer_words = 6,
};

/* Words of the footer; that of the header is the checkpoint. */
enum {
    FOOTER_NAMES_AT, /* the directory: names, entries, frames */
    FOOTER_NAMES_SIZE,
    FOOTER_ENTRY_COUNT,
    FOOTER_FRAME_COUNT,
    FOOTER_MIN_NS,
    FOOTER_MAX_NS,
};

struct archive_writer {
    struct sealed_writer *file;
    struct strbuf frame, packed, names, entries, frames;
    int64_t min_ns, max_ns;
};

int archive_writer_open(const char *path, uint64_t checkpoint,
                        struct archive_writer **ret, struct err *err)
{
    AUTO(archive_writer_close) struct archive_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, ENOMEM, "out of memory");
    w->min_ns = INT64_MAX;
    w->max_ns = INT64_MIN;
    int rc = sealed_writer_open(&form, path, &checkpoint, &w->file, err);
    if (rc == 0)
        *ret = TAKE(w);
    return rc;
}

void archive_writer_close(struct archive_writer *w)
{
    if (!w)
        return;
    sealed_writer_close(w->file);
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
        .at = sealed_writer_size(w->file),
        .packed_size = (uint32_t)size,
        .size = (uint32_t)w->frame.size,
        .checksum = XXH3_64bits(w->packed.data, size),
    };
    rc = sealed_writer_add(w->file, w->packed.data, size);
    strbuf_add(&w->frames, &frame, sizeof frame);
    strbuf_clear(&w->frame);
    return rc;
}

static void pad(struct strbuf *bytes)
{
    static const uint8_t zeros[OFFSET_BYTES];
    strbuf_add(bytes, zeros,
               (OFFSET_BYTES - bytes->size % OFFSET_BYTES) % OFFSET_BYTES);
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
        .offset = (uint32_t)(w->frame.size / OFFSET_BYTES),
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

int archive_writer_finish(struct archive_writer *w, struct err *err)
{
    int rc = write_frame(w);
    if (rc < 0)
        return err_set(err, -rc, "write blocks: %s", strerror(-rc));
    const uint64_t footer[] = {
        [FOOTER_NAMES_AT] = 0,
        [FOOTER_NAMES_SIZE] = w->names.size,
        [FOOTER_ENTRY_COUNT] = w->entries.size / sizeof(struct archive_entry),
        [FOOTER_FRAME_COUNT] = w->frames.size / sizeof(struct archive_frame),
        [FOOTER_MIN_NS] = (uint64_t)w->min_ns,
        [FOOTER_MAX_NS] = (uint64_t)w->max_ns,
    };
    /* In one piece, as they stand in the file. */
    struct strbuf *directory = &w->packed;
    strbuf_clear(directory);
    strbuf_add_span(directory, strbuf_span(&w->names));
    pad(directory);
    strbuf_add_span(directory, strbuf_span(&w->entries));
    strbuf_add_span(directory, strbuf_span(&w->frames));
    if (strbuf_error(directory) < 0 || strbuf_error(&w->frames) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return sealed_writer_finish(w->file, strbuf_span(directory), footer, err);
}

/* Names, entries and frames in the directory.  False: they do not fill it. */
static bool divide_directory(struct archive_file *file)
{
    struct span all = file->sealed.directory;
    const uint64_t *footer = file->sealed.footer;
    uint64_t names_size = footer[FOOTER_NAMES_SIZE];
    uint64_t entry_count = footer[FOOTER_ENTRY_COUNT];
    uint64_t frame_count = footer[FOOTER_FRAME_COUNT];
    if (names_size > all.size || entry_count > all.size / sizeof *file->entries ||
        frame_count > all.size / sizeof *file->frames)
        return false;
    uint64_t names_end = (names_size + OFFSET_BYTES - 1) / OFFSET_BYTES * OFFSET_BYTES;
    if (names_end + entry_count * sizeof *file->entries +
            frame_count * sizeof *file->frames !=
        all.size)
        return false;
    file->names = (struct span){ all.data, names_size };
    file->entries = (const void *)(all.data + names_end);
    file->entry_count = entry_count;
    file->frames = (const void *)(file->entries + entry_count);
    file->frame_count = frame_count;
    return true;
}

int archive_file_open(const char *path, struct archive_file **ret, struct err *err)
{
    AUTO(archive_file_close) struct archive_file *file = calloc(1, sizeof *file);
    if (!file)
        return err_set(err, ENOMEM, "out of memory");
    int rc = sealed_file_open(&form, path, &file->sealed, err);
    if (rc < 0)
        return rc;
    if (!divide_directory(file))
        return err_set(err, EBADMSG, "'%s': its end is damaged or missing", path);
    file->checkpoint = file->sealed.header[0];
    file->min_ns = (int64_t)file->sealed.footer[FOOTER_MIN_NS];
    file->max_ns = (int64_t)file->sealed.footer[FOOTER_MAX_NS];
    *ret = TAKE(file);
    return 0;
}

void archive_file_close(struct archive_file *file)
{
    if (!file)
        return;
    sealed_file_close(&file->sealed);
    free(file);
}

void archive_file_forget(const struct archive_file *file)
{
    (void)madvise((void *)(uintptr_t)file->sealed.map, file->sealed.size,
                  MADV_DONTNEED);
}

const struct archive_entry *archive_file_find(const struct archive_file *file,
                                              uint32_t number, size_t *ret_count)
{
    return sealed_find(file->entries, file->entry_count, sizeof *file->entries, number,
                       ret_count);
}

int archive_file_unpack(const struct archive_file *file, uint32_t frame, void **ret)
{
    if (frame >= file->frame_count)
        return -EBADMSG;
    const struct archive_frame *f = &file->frames[frame];
    const struct sealed_file *sealed = &file->sealed;
    if (f->size > ARCHIVE_FRAME_BYTES_MAX || f->at > sealed->size ||
        f->packed_size > sealed->size - f->at ||
        f->checksum != XXH3_64bits(sealed->map + f->at, f->packed_size))
        return -EBADMSG;
    /* Behind the frame room for what a damaged block's sizes can state. */
    void *bytes = calloc(1, f->size + sizeof(struct block) + UINT16_MAX + INT16_MAX);
    if (!bytes)
        return -ENOMEM;
    size_t size = ZSTD_decompress(bytes, f->size, sealed->map + f->at, f->packed_size);
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
    uint64_t at = (uint64_t)entry->offset * OFFSET_BYTES;
    if (at < sizeof(struct block_prefix) || at + sizeof(struct block) > f->size)
        return NULL;
    const struct block *block = (const void *)((const uint8_t *)frame + at);
    bool is_good = at + block_size(block) <= f->size &&
                   block_is_filed(block, entry->number) &&
                   block->start_ns == entry->start_ns && block->end_ns == entry->end_ns;
    return is_good ? block : NULL;
}

static struct span read_text(struct bits_reader *r)
{
    uint64_t size = bits_read_varint(r);
    r->is_bad |= size > NAME_TEXT_MAX;
    const uint8_t *data = r->is_bad ? NULL : bits_read(r, size);
    return (struct span){ (const char *)data, data ? size : 0 };
}

int archive_file_names(const struct archive_file *file, archive_name_fn *fn, void *arg)
{
    struct bits_reader r = { .data = (const uint8_t *)file->names.data,
                             .size = file->names.size };
    int rc = 0;
    while (rc == 0 && r.at < r.size) {
        uint64_t number = bits_read_varint(&r);
        uint64_t step_ns = bits_read_varint(&r);
        struct record_name name = { .path = read_text(&r) };
        name.metric = read_text(&r);
        if (r.is_bad || number == 0 || number > SERIES_NUMBER_MAX ||
            step_ns > INT64_MAX / 4)
            return -EBADMSG;
        name.number = (uint32_t)number;
        name.step_ns = (int64_t)step_ns;
        rc = fn(arg, &name);
    }
    return rc;
}
