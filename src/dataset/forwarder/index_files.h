/* SPDX-License-Identifier: Apache-2.0 */
/* index_files - indexes of datasets below a cache's directory, a file each.
 *
 * Threads  any: a file is written beside its name, and renamed.
 */
#ifndef DATASET_FORWARDER_INDEX_FILES_H
#define DATASET_FORWARDER_INDEX_FILES_H

#include "dataset/forwarder/payload.h"

/* As it was written.  Errors: -ENOENT, those of open and read, -EFBIG. */
int index_file_read(const char *dir, const struct digest *name, struct payload **ret);
/* A cache: what cannot be written is fetched again.  Others, the oldest first, go where
 * all are more than bytes_max. */
void index_file_write(const char *dir, const struct digest *name,
                      const struct payload *encoded, uint64_t bytes_max);
void index_file_remove(const char *dir, const struct digest *name);

#endif
