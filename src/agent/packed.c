/* SPDX-License-Identifier: Apache-2.0 */
/* packed - a text as one zstd frame that states its size. */
#include "agent/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#define ZSTD_LEVEL 3

int packed_write(struct span text, struct strbuf *out)
{
    size_t bound = ZSTD_compressBound(text.size);
    strbuf_clear(out);
    int rc = strbuf_reserve(out, bound + 1);
    if (rc < 0)
        return rc;
    size_t size = ZSTD_compress(out->data, bound, text.data, text.size, ZSTD_LEVEL);
    if (ZSTD_isError(size))
        return -ENOMEM;
    out->size = size;
    out->data[size] = '\0';
    return 0;
}

void packed_fit(struct strbuf *packed)
{
    char *fitted = realloc(packed->data, packed->size + 1);
    if (!fitted)
        return;
    packed->data = fitted;
    packed->capacity = packed->size + 1;
}

int packed_read(struct span packed, uint64_t size_max, struct strbuf *text)
{
    unsigned long long size = ZSTD_getFrameContentSize(packed.data, packed.size);
    strbuf_clear(text);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
        size > size_max)
        return -EBADMSG;
    int rc = strbuf_reserve(text, (size_t)size + 1);
    if (rc < 0)
        return rc;
    size_t got = ZSTD_decompress(text->data, (size_t)size, packed.data, packed.size);
    if (ZSTD_isError(got))
        return -EBADMSG;
    text->size = got;
    text->data[got] = '\0';
    return 0;
}
