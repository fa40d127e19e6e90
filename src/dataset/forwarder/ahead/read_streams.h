/* SPDX-License-Identifier: Apache-2.0 */
/* read_streams - which chunks of a dataset are read in order, by several at a time.
 *
 * A read that begins where an earlier one ended is of the same stream, whose window
 * doubles; any other begins a stream without a window, in the slot that was used least
 * recently.  So random reads have no windows, and files that are read side by side have
 * one each.
 * Threads  none inside.
 */
#ifndef DATASET_FORWARDER_READ_STREAMS_H
#define DATASET_FORWARDER_READ_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READ_STREAMS_MAX 8U
#define READ_WINDOW_MAX 32U /* chunks */

struct read_stream {
    size_t next;         /* the chunk behind what was read */
    size_t planned, end; /* chunks that are wanted next */
    uint32_t window;
    uint64_t used;
};

struct read_streams {
    size_t chunk_count;
    uint64_t clock;
    struct read_stream streams[READ_STREAMS_MAX];
};

/* count chunks from the first on are read. */
void read_streams_note(struct read_streams *all, size_t first, size_t count);
/* A chunk that will be read, each once; false: there is none. */
bool read_streams_next(struct read_streams *all, size_t *ret);

#endif
