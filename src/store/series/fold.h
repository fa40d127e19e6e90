/* SPDX-License-Identifier: Apache-2.0 */
/* fold - late samples into the blocks that they belong to.
 *
 * Threads  under the mutex of the memory.
 */
#ifndef STORE_SERIES_FOLD_H
#define STORE_SERIES_FOLD_H

#include "store/series/view.h"

/* Write the late samples into the blocks.  None may lie in the head.
 * Errors: -ENOMEM, -EBADMSG; then nothing has changed. */
int series_fold(struct metric_series *series, struct memory *memory);

#endif
