/* SPDX-License-Identifier: Apache-2.0 */
/* sealed_file - a file that is written once, checked when it is opened, and mapped. */
#include "blocks/sealed_file.h"

#include "base/file.h"

#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define MAGIC_BYTES 8
#define CHECKSUM_BYTES sizeof(uint64_t)
/* Magic, version and size of the header. */
#define PREFIX_BYTES ((size_t)16)
#define HEADER_BYTES_MAX (PREFIX_BYTES + (SEALED_WORDS_MAX + 1) * sizeof(uint64_t))
#define FOOTER_BYTES_MAX (MAGIC_BYTES + (SEALED_WORDS_MAX + 1) * sizeof(uint64_t))

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "files are used as they lie in a map");

struct sealed_writer {
    const struct sealed_form *form;
    int fd;
    char *path;
    bool is_finished;
    uint64_t size;
};

/* Of the header without its checksum. */
static size_t header_checked(const struct sealed_form *form)
{
    return PREFIX_BYTES + form->header_words * sizeof(uint64_t);
}

size_t sealed_file_begin(const struct sealed_form *form)
{
    return header_checked(form) + CHECKSUM_BYTES;
}

static size_t footer_size(const struct sealed_form *form)
{
    return form->footer_words * sizeof(uint64_t) + CHECKSUM_BYTES + MAGIC_BYTES;
}

/* Of the directory, and of the words before it in the footer. */
static uint64_t footer_checksum(const struct sealed_form *form, const uint64_t *footer,
                                struct span directory)
{
    uint64_t seed = XXH3_64bits(footer, form->footer_words * sizeof *footer);
    return XXH3_64bits_withSeed(directory.data, directory.size, seed);
}

/* ---- writing ---- */

int sealed_writer_add(struct sealed_writer *w, const void *data, size_t size)
{
    int rc = file_write_all(w->fd, data, size);
    w->size += size;
    return rc;
}

static int write_header(struct sealed_writer *w, const uint64_t *header)
{
    uint8_t bytes[HEADER_BYTES_MAX] = { 0 };
    const struct sealed_form *form = w->form;
    uint32_t size = (uint32_t)sealed_file_begin(form);
    memcpy(bytes, form->magic, MAGIC_BYTES);
    memcpy(bytes + MAGIC_BYTES, &form->version, sizeof form->version);
    memcpy(bytes + MAGIC_BYTES + sizeof form->version, &size, sizeof size);
    memcpy(bytes + PREFIX_BYTES, header, form->header_words * sizeof *header);
    uint64_t checksum = XXH3_64bits(bytes, header_checked(form));
    memcpy(bytes + header_checked(form), &checksum, sizeof checksum);
    return sealed_writer_add(w, bytes, size);
}

int sealed_writer_open(const struct sealed_form *form, const char *path,
                       const uint64_t *header, struct sealed_writer **ret,
                       struct err *err)
{
    AUTO(sealed_writer_close) struct sealed_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, ENOMEM, "out of memory");
    w->form = form;
    w->fd = -1;
    w->path = strdup(path);
    if (!w->path)
        return err_set(err, ENOMEM, "out of memory");
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (w->fd < 0)
        return err_set(err, errno, "create '%s': %s", path, strerror(errno));
    int rc = write_header(w, header);
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", path, strerror(-rc));
    *ret = TAKE(w);
    return 0;
}

void sealed_writer_close(struct sealed_writer *w)
{
    if (!w)
        return;
    if (w->fd >= 0 && !w->is_finished)
        (void)unlink(w->path);
    auto_close(&w->fd);
    free(w->path);
    free(w);
}

uint64_t sealed_writer_size(const struct sealed_writer *w)
{
    return w->size;
}

static int write_footer(struct sealed_writer *w, struct span directory,
                        const uint64_t *footer)
{
    uint8_t bytes[FOOTER_BYTES_MAX];
    uint64_t words[SEALED_WORDS_MAX];
    size_t size = w->form->footer_words * sizeof *words;
    memcpy(words, footer, size);
    words[0] = w->size - directory.size;
    uint64_t checksum = footer_checksum(w->form, words, directory);
    memcpy(bytes, words, size);
    memcpy(bytes + size, &checksum, sizeof checksum);
    memcpy(bytes + size + sizeof checksum, w->form->end_magic, MAGIC_BYTES);
    return sealed_writer_add(w, bytes, footer_size(w->form));
}

int sealed_writer_finish(struct sealed_writer *w, struct span directory,
                         const uint64_t *footer, struct err *err)
{
    static const uint8_t zeros[SEALED_UNIT_BYTES];
    size_t over = (SEALED_UNIT_BYTES - w->size % SEALED_UNIT_BYTES) % SEALED_UNIT_BYTES;
    int rc = sealed_writer_add(w, zeros, over);
    if (rc == 0)
        rc = sealed_writer_add(w, directory.data, directory.size);
    if (rc == 0)
        rc = write_footer(w, directory, footer);
    if (rc == 0 && fdatasync(w->fd) < 0)
        rc = -errno;
    if (rc < 0)
        return err_set(err, -rc, "write '%s': %s", w->path, strerror(-rc));
    w->is_finished = true;
    return 0;
}

/* ---- reading ---- */

static int check_header(const struct sealed_form *form, const char *path,
                        struct sealed_file *file, struct err *err)
{
    uint32_t version, size;
    uint64_t checksum;
    if (memcmp(file->map, form->magic, MAGIC_BYTES) != 0)
        return err_set(err, EBADMSG, "'%s' is not %s", path, form->noun);
    memcpy(&version, file->map + MAGIC_BYTES, sizeof version);
    if (version != form->version)
        return err_set(err, EBADMSG, "'%s' is of version %u, this reads %u", path,
                       version, form->version);
    memcpy(&size, file->map + MAGIC_BYTES + sizeof version, sizeof size);
    memcpy(&checksum, file->map + header_checked(form), sizeof checksum);
    if (checksum != XXH3_64bits(file->map, header_checked(form)))
        return err_set(err, EBADMSG, "'%s': its header is damaged", path);
    memcpy(file->header, file->map + PREFIX_BYTES,
           form->header_words * sizeof file->header[0]);
    return 0;
}

static int check_footer(const struct sealed_form *form, const char *path,
                        struct sealed_file *file, struct err *err)
{
    size_t end = file->size - footer_size(form);
    const uint8_t *at = file->map + end;
    size_t words_size = form->footer_words * sizeof file->footer[0];
    uint64_t checksum;
    memcpy(file->footer, at, words_size);
    memcpy(&checksum, at + words_size, sizeof checksum);
    uint64_t begin = file->footer[0];
    if (memcmp(at + words_size + sizeof checksum, form->end_magic, MAGIC_BYTES) != 0 ||
        begin % SEALED_UNIT_BYTES != 0 || begin < sealed_file_begin(form) ||
        begin > end)
        return err_set(err, EBADMSG, "'%s': its end is damaged or missing", path);
    file->directory = (struct span){ (const char *)file->map + begin, end - begin };
    if (checksum != footer_checksum(form, file->footer, file->directory))
        return err_set(err, EBADMSG, "'%s': its directory is damaged", path);
    return 0;
}

/* The file, and behind it the slack. */
static int map_file(int fd, size_t size, size_t slack, struct sealed_file *file)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t map_size = (size + page - 1) / page * page + slack;
    void *room = mmap(NULL, map_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return -errno;
    file->map = room;
    file->map_size = map_size;
    file->size = size;
    if (mmap(room, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
        return -errno;
    return 0;
}

int sealed_file_open(const struct sealed_form *form, const char *path,
                     struct sealed_file *ret, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    AUTO(sealed_file_close) struct sealed_file file = { 0 };
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    size_t size = (size_t)st.st_size;
    if (size < sealed_file_begin(form) + footer_size(form))
        return err_set(err, EBADMSG, "'%s' is not %s", path, form->noun);
    int rc = map_file(fd, size, form->slack_bytes, &file);
    if (rc < 0)
        return err_set(err, -rc, "map '%s': %s", path, strerror(-rc));
    rc = check_header(form, path, &file, err);
    if (rc == 0)
        rc = check_footer(form, path, &file, err);
    if (rc < 0)
        return rc;
    *ret = file;
    file = (struct sealed_file){ 0 };
    return 0;
}

void sealed_file_close(struct sealed_file *file)
{
    if (file->map)
        (void)munmap((void *)(uintptr_t)file->map, file->map_size);
    *file = (struct sealed_file){ 0 };
}

static uint32_t number_at(const uint8_t *entries, size_t i, size_t entry_size)
{
    uint32_t number;
    memcpy(&number, entries + i * entry_size, sizeof number);
    return number;
}

const void *sealed_find(const void *entries, size_t count, size_t entry_size,
                        uint32_t number, size_t *ret_count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (number_at(entries, middle, entry_size) < number)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < count && number_at(entries, end, entry_size) == number)
        end++;
    *ret_count = end - low;
    return (const uint8_t *)entries + low * entry_size;
}
