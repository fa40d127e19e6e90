/* SPDX-License-Identifier: Apache-2.0 */
/* payload - bytes that several share: a chunk, an index, a text; never changed.
 *
 * A chunk is stored as it lies in a pack (zstd), or plain: then size and plain_size are
 * equal.
 * Threads  counted by the loop's; one that a worker makes or reads is not counted
 *          meanwhile.
 */
#ifndef DATASET_FORWARDER_PAYLOAD_H
#define DATASET_FORWARDER_PAYLOAD_H

#include "dataset/image/image.h"

#include <stdint.h>
#include <stdlib.h>

struct payload {
    uint32_t refs;
    uint32_t size;
    uint32_t plain_size;
    struct digest digest; /* of a chunk: of its plain bytes */
    bool is_verified;     /* it has been compared with them */
    bool was_compressed;  /* these are plain bytes; on a disk there are fewer */
    uint8_t data[];
};

/* With one reference; plain_size is size.  NULL: memory is out. */
static inline struct payload *payload_new(size_t size)
{
    struct payload *payload =
        size <= UINT32_MAX ? malloc(sizeof *payload + size) : NULL;
    if (payload) {
        payload->refs = 1;
        payload->is_verified = payload->was_compressed = false;
        payload->size = payload->plain_size = (uint32_t)size;
    }
    return payload;
}

static inline struct payload *payload_ref(struct payload *payload)
{
    payload->refs++;
    return payload;
}

static inline void payload_unref(struct payload *payload)
{
    if (payload && --payload->refs == 0)
        free(payload);
}
DEFINE_AUTO(struct payload, payload_unref);

static inline bool payload_is_plain(const struct payload *payload)
{
    return payload->size == payload->plain_size;
}

#endif
