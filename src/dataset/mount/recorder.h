/* SPDX-License-Identifier: Apache-2.0 */
/* recorder - which chunks of an image the kernel reads within half a minute, in order.
 *
 * A recording begins anew where it is begun again, and ends when its text is made, when
 * the time is over, or with the process: it is in the memory of the one that serves.
 * Threads  the loop's.
 */
#ifndef DATASET_MOUNT_RECORDER_H
#define DATASET_MOUNT_RECORDER_H

#include "base/span_type.h"
#include "dataset/repository/repository.h"

#define RECORDER_SECONDS 30
#define RECORDER_MAX 8U /* images at a time: the oldest recording goes */

struct recording {
    struct digest name; /* of the image */
    int64_t begun_ns;   /* 0: none */
    uint8_t *seen;      /* a bit a chunk */
    size_t chunk_count;
    uint32_t *chunks;
    uint32_t count;
    struct strbuf text; /* once it has ended */
};

struct recorder {
    struct recording recordings[RECORDER_MAX];
};

/* Errors: -ENOMEM. */
int recorder_begin(struct recorder *recorder, const struct digest *name,
                   size_t chunk_count);
void recorder_note(struct recorder *recorder, const struct digest *name, size_t first,
                   size_t count);
/* What was read, as start_profile.h has it; valid until the next begin.  Errors:
 * -ENODATA: none was begun, -ENOMEM. */
int recorder_text(struct recorder *recorder, const struct digest *name,
                  struct span *ret);
void recorder_clear(struct recorder *recorder);

#endif
