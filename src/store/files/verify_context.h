/* SPDX-License-Identifier: Apache-2.0 */
/* verify_context - what the checks of a store's files share, and how they report.
 *
 * Threads  a context belongs to one.
 */
#ifndef STORE_FILES_VERIFY_CONTEXT_H
#define STORE_FILES_VERIFY_CONTEXT_H

#include "blocks/blocks.h"
#include "store/files/file_name.h"
#include "store/files/verify.h"

#include <limits.h>

#define VERIFY_NAME_MAX 63 /* bytes; the store's are shorter */

struct verify_file {
    struct store_file file;
    bool is_named; /* by a manifest that counts */
    char name[VERIFY_NAME_MAX + 1];
};

struct verify {
    const char *dir;
    store_verify_progress_fn *progress; /* NULL: none */
    void *progress_arg;
    size_t done; /* files */
    struct store_verified result;
    int error;        /* that ends it: -ENOMEM */
    bool has_missing; /* a file that a manifest names was not there */
    bool has_gone;    /* a file went between listing and reading */
    bool is_written;  /* a process has the store open */
    struct verify_file *files;
    size_t file_count, file_capacity;
    struct manifest manifests[2]; /* the newest last */
    size_t manifest_count;
    uint64_t last_segments[MANIFEST_SHARDS_MAX];
    struct block_file **blocks; /* those that could be opened */
    size_t block_count;
};

struct verify_at {
    const char *file;
    int64_t byte; /* -1: all of it */
    bool is_note;
    const char *remedy; /* NULL: barod serves the rest */
};

/* What was written down; NULL: there is no room, it is counted only. */
struct store_fault *verify_report(struct verify *v, const struct verify_at *at,
                                  const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void verify_report_open(struct verify *v, const char *file, int rc, const char *why);
/* False: too long. */
bool verify_path(const struct verify *v, const char *name, char out[static PATH_MAX]);

#endif
