/* SPDX-License-Identifier: Apache-2.0 */
/* chunker - where content is cut, so that equal content gives equal chunks wherever it
 * stands: FastCDC (Xia and others, 2016) with a gear hash and two masks.
 *
 * A chunk has at least 16 KiB, at most 256 KiB, and 64 KiB on average.  The table of
 * the gear hash is SplitMix64's from a fixed seed: it is part of the format, since
 * other cuts would find none of what is stored.
 */
#ifndef DATASET_REPOSITORY_CHUNKER_H
#define DATASET_REPOSITORY_CHUNKER_H

#include <stddef.h>
#include <stdint.h>

#define CHUNK_SIZE_MIN 16384U
#define CHUNK_SIZE_NORMAL 65536U
#define CHUNK_SIZE_MAX 262144U

/* The size of the first chunk of data[0..size), where size is all that is left, or at
 * least CHUNK_SIZE_MAX.  Threads: any. */
size_t chunk_cut(const uint8_t *data, size_t size);

#endif
