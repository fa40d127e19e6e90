/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - what a probe writes: bytes that know where they belong.
 *
 * A byte follows from the run's key, its file and its offset, so that what is read back
 * can be checked by anybody who knows these, and data of last night, of another file or
 * of another place does not pass.  It does not compress.
 */
#ifndef PROBE_PATTERN_H
#define PROBE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#define PATTERN_SAME SIZE_MAX

/* The key of one file of a run. */
uint64_t pattern_key(uint64_t run_key, uint64_t file);

void pattern_fill(uint64_t key, uint64_t offset, void *data, size_t size);
/* Where data first differs from what pattern_fill() would put there, or PATTERN_SAME.
 */
size_t pattern_check(uint64_t key, uint64_t offset, const void *data, size_t size);

#endif
