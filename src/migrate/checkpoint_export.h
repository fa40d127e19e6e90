/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint_export - JSON checkpoints as cc-metric-store loads them: the way back.
 *
 *     DIRECTORY/CLUSTER/HOST/FROM.json      one file each twelve hours of a host
 *
 * In a file's series slot n stands for start + step / 2 + n * step, because the store
 * that loads it takes start for the beginning of its buffer, and its answers begin half
 * a step later.  Values are written in full.
 */
#ifndef MIGRATE_CHECKPOINT_EXPORT_H
#define MIGRATE_CHECKPOINT_EXPORT_H

#include "migrate/directory_export.h"

struct checkpoint_export_counts {
    uint64_t files, series, samples;
    uint64_t skipped_series; /* without a step of whole seconds, or not of a host */
    uint64_t overwritten;    /* samples whose slot a later one has */
};

/* The selection of a store, into files below dir, which is made.
 * *ret is filled as far as it came, also after an error.
 * Errors: -EEXIST (a checkpoint is there already), -ENOMEM, what files return. */
int checkpoint_export(struct metric_store *store,
                      const struct export_selection *selection, const char *dir,
                      struct checkpoint_export_counts *ret, struct err *err);

#endif
