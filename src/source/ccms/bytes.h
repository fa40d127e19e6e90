/* SPDX-License-Identifier: Apache-2.0 */
/* bytes - little-endian numbers off the front of a text, without going over its end. */
#ifndef SOURCE_CCMS_BYTES_H
#define SOURCE_CCMS_BYTES_H

#include "base/span.h"

#include <endian.h>
#include <stdint.h>

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "numbers are copied as they lie");

/* False: there are not as many, and *from is as it was. */
static inline bool bytes_take(struct span *from, void *out, size_t size)
{
    if (from->size < size)
        return false;
    memcpy(out, from->data, size);
    *from = span_skip(*from, size);
    return true;
}

static inline bool bytes_take_span(struct span *from, struct span *out, size_t size)
{
    if (from->size < size)
        return false;
    *out = (struct span){ from->data, size };
    *from = span_skip(*from, size);
    return true;
}

/* A text behind its size of two bytes. */
static inline bool bytes_take_text(struct span *from, struct span *out)
{
    uint16_t size;
    return bytes_take(from, &size, sizeof size) && bytes_take_span(from, out, size);
}

#endif
