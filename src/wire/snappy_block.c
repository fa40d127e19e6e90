/* SPDX-License-Identifier: Apache-2.0 */
/* snappy_block - a text in snappy's block format. */
#include "wire/snappy_block.h"

#include "base/span.h"

#include <errno.h>
#include <snappy-c.h>

#define FREE_BYTES (1024 * 1024) /* small texts may compress as well as they like */

int snappy_block_size(struct span block, size_t size_max, uint64_t ratio_max,
                      size_t *ret, struct err *err)
{
    size_t size = 0;
    if (snappy_uncompressed_length(block.data, block.size, &size) != SNAPPY_OK)
        return err_set(err, EBADMSG, "the body is no snappy block (a framed stream?)");
    if (size > size_max)
        return err_set(err, EMSGSIZE, "the body is over %zu bytes when decoded",
                       size_max);
    if (size > FREE_BYTES && size / ratio_max > block.size)
        return err_set(err, EMSGSIZE, "the body is compressed more than %llu times",
                       (unsigned long long)ratio_max);
    *ret = size;
    return 0;
}

int snappy_block_decode(struct span block, size_t size, struct strbuf *out,
                        struct err *err)
{
    strbuf_clear(out);
    if (strbuf_reserve(out, size + 1) < 0)
        return err_set(err, ENOMEM, "out of memory");
    size_t decoded = size;
    if (snappy_uncompress(block.data, block.size, out->data, &decoded) != SNAPPY_OK ||
        decoded != size)
        return err_set(err, EBADMSG, "the body is a broken snappy block");
    out->data[size] = '\0';
    out->size = size;
    return 0;
}

int snappy_block_encode(struct span text, struct strbuf *out)
{
    size_t size = snappy_max_compressed_length(text.size);
    if (strbuf_reserve(out, size + 1) < 0)
        return -ENOMEM;
    if (snappy_compress(text.data, text.size, out->data + out->size, &size) !=
        SNAPPY_OK)
        return -ENOMEM;
    out->size += size;
    out->data[out->size] = '\0';
    return 0;
}
