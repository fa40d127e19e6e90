/* SPDX-License-Identifier: Apache-2.0 */
/* verify - a store's directory looked through, without changing it.
 *
 *     manifests ─▶ files of blocks, archives ─▶ indexes ─▶ logs
 *
 * Every header, every checksum, every block decoded and compared with what is stated of
 * it; what a manifest names is there, what an index points to is a block of that
 * series.  A process may have the store open meanwhile: what it removes because it has
 * made a checkpoint is not reported as missing.
 *
 * Threads  none inside.
 */
#ifndef STORE_FILES_VERIFY_H
#define STORE_FILES_VERIFY_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_FAULTS_MAX 1000 /* more are counted only */
#define STORE_FAULT_TEXT 384

struct store_fault {
    bool is_note;  /* nothing is lost by it */
    int64_t at;    /* byte of the file; -1: all of it */
    char file[64]; /* its name in the directory */
    char what[STORE_FAULT_TEXT];
    const char *remedy;
    uint32_t number; /* of the series; 0: none */
};

struct store_verified {
    uint64_t checkpoint; /* the newest that is whole; 0: none */
    uint64_t files;
    uint64_t bytes;
    uint64_t series;
    uint64_t blocks;
    uint64_t archived_blocks;
    uint64_t log_records;
    uint64_t log_samples;
    uint64_t fault_count; /* also those that found no room; without notes */
    size_t item_count;
    struct store_fault *items; /* in the order of the files' names */
};

void store_verified_done(struct store_verified *verified);
DEFINE_AUTO_DONE(struct store_verified, store_verified_done);

/* Errors: -ENOENT (no directory of a store), errno of open, -ENOMEM.  Damage is no
 * error: it stands in *ret. */
int store_verify(const char *dir, struct store_verified *ret, struct err *err);
/* The same; fn hears after each file how many of them are done. */
typedef void store_verify_progress_fn(void *arg, size_t done, size_t count);
int store_verify_watched(const char *dir, store_verify_progress_fn *fn, void *arg,
                         struct store_verified *ret, struct err *err);

#endif
