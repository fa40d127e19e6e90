/* SPDX-License-Identifier: Apache-2.0 */
/* directory_export - every sample of a store's directory, as text.
 *
 *     directory ─▶ store, read only ─▶ series that match ─▶ sample_text
 *
 * Series after series, each in order of time, with the times samples were stored with.
 */
#ifndef MIGRATE_DIRECTORY_EXPORT_H
#define MIGRATE_DIRECTORY_EXPORT_H

#include "migrate/notice.h"
#include "migrate/sample_text.h"
#include "migrate/time_window.h"
#include "store/store.h"

/* What is exported. */
struct export_selection {
    const char *metric;    /* patterns, separated by commas: "*" */
    const char *component; /* a pattern, level by level; "": all */
    struct time_window window;
    /* How many of the store's series were looked at, out of a directory; or NULL. */
    void (*progress)(void *arg, size_t done, size_t count);
    void *progress_arg;
};

/* Open the store in dir as it is now; barod may have it open, and may make checkpoints
 * meanwhile.  warn may be NULL.  Errors: as metric_store_open(). */
int directory_export_open(const char *dir, migrate_warn_fn *warn, void *warn_arg,
                          struct metric_store **ret, struct err *err);

/* *ret_damaged is how many blocks could not be read and are left out, in any case.
 * Errors: -ENOMEM, what files and the text's write() return. */
int directory_export(struct metric_store *store,
                     const struct export_selection *selection, struct sample_text *text,
                     uint64_t *ret_damaged, struct err *err);

#endif
