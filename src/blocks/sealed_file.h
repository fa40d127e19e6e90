/* SPDX-License-Identifier: Apache-2.0 */
/* sealed_file - a file that is written once, checked when it is opened, and mapped.
 *
 *     magic, version, words, checksum | bytes ... | directory | words, checksum, magic
 *
 * What the words, the bytes and the directory mean is their owner's (block_file,
 * archive_file).  The first word of the footer says where the directory begins.
 * doc/formats/store-files.md has the bytes.
 *
 * Threads  a writer belongs to one; what is open for reading changes no more.
 */
#ifndef BLOCKS_SEALED_FILE_H
#define BLOCKS_SEALED_FILE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define SEALED_WORDS_MAX 6
/* The directory, and what offsets point to, begin at multiples of it. */
#define SEALED_UNIT_BYTES 8

/* What one kind of file looks like. */
struct sealed_form {
    const char *noun; /* "a block file" */
    char magic[8], end_magic[8];
    uint32_t version;
    size_t header_words, footer_words; /* 1 .. SEALED_WORDS_MAX */
    size_t slack_bytes;                /* behind the file's end, readable as zeros */
};

struct sealed_writer;

/* Begin a file: path must not be there.  Errors: errno of open and write, -ENOMEM. */
int sealed_writer_open(const struct sealed_form *form, const char *path,
                       const uint64_t *header, struct sealed_writer **ret,
                       struct err *err);
/* Without sealed_writer_finish(), the file is removed.  NULL is fine. */
void sealed_writer_close(struct sealed_writer *writer);
DEFINE_AUTO(struct sealed_writer, sealed_writer_close);

/* Errors: errno of write; then the file is good for nothing but closing. */
int sealed_writer_add(struct sealed_writer *writer, const void *data, size_t size);
/* Where the next byte is going to lie. */
uint64_t sealed_writer_size(const struct sealed_writer *writer);

/* Write the directory and the footer, whose first word is filled in here.  The file is
 * on the disk then; its name is not, before its directory is synced.
 * Errors: errno of write and fdatasync. */
int sealed_writer_finish(struct sealed_writer *writer, struct span directory,
                         const uint64_t *footer, struct err *err);

struct sealed_file {
    const uint8_t *map;
    size_t size;     /* of the file */
    size_t map_size; /* with the slack */
    uint64_t header[SEALED_WORDS_MAX];
    uint64_t footer[SEALED_WORDS_MAX];
    struct span directory; /* in the map */
};

/* *ret is to be closed.  Errors: errno of open and mmap, -EBADMSG (no file of this form
 * and version, or header, directory or footer are damaged; err says which). */
int sealed_file_open(const struct sealed_form *form, const char *path,
                     struct sealed_file *ret, struct err *err);
/* No reader may be inside.  One that is all zeros is fine. */
void sealed_file_close(struct sealed_file *file);
DEFINE_AUTO_DONE(struct sealed_file, sealed_file_close);

/* Where the bytes behind the header begin. */
size_t sealed_file_begin(const struct sealed_form *form);

/* Of count entries of entry_size bytes, each beginning with its number (32 bits) and
 * sorted by it, the first of that number and how many there are. */
const void *sealed_find(const void *entries, size_t count, size_t entry_size,
                        uint32_t number, size_t *ret_count);

#endif
