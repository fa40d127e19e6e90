/* SPDX-License-Identifier: Apache-2.0 */
/* block_read - a block of text into a sample: each line to the reader of its command.
 *
 *     block ──▶ lfs df, lctl dl (lfs) | mmdf, mmlsdisk, mmlsnsd (nsd) ──▶ sample
 */
#ifndef SOURCE_HEALTH_BLOCK_READ_H
#define SOURCE_HEALTH_BLOCK_READ_H

#include "source/health/block.h"
#include "source/health/sample.h"

/* text is the line; reason is static. */
typedef void health_fault_fn(void *arg, uint64_t line, struct span text,
                             const char *reason);

/* Read one block into sample.  Spans point into the block's text, which must outlive
 * sample.  A line that cannot be read costs that line and is reported to on_fault,
 * which may be NULL.  A last line without its line end is cut, and counts as such a
 * line. Errors: -ENOMEM. */
int health_sample_add(struct health_sample *sample, const struct health_block *block,
                      health_fault_fn *on_fault, void *arg);

#endif
