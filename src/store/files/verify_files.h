/* SPDX-License-Identifier: Apache-2.0 */
/* verify_files - the checks of one file each, by its kind.
 *
 * What is wrong goes into the context by verify_report(); nothing is changed.
 */
#ifndef STORE_FILES_VERIFY_FILES_H
#define STORE_FILES_VERIFY_FILES_H

#include "store/files/verify_context.h"

/* Files of blocks before indexes: these name the series of damaged blocks. */
void verify_blocks(struct verify *v, struct verify_file *f);
void verify_archive(struct verify *v, struct verify_file *f);
void verify_index(struct verify *v, struct verify_file *f);
void verify_log(struct verify *v, struct verify_file *f);

#endif
