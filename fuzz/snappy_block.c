/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_snappy_block - bodies in snappy's block format: refused, or of the size that
 * they claim, which is within the limits; and what is decoded can be encoded again.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#define SIZE_LIMIT ((size_t)4 << 20)
#define RATIO_MAX 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(strbuf_done)
    struct strbuf text = STRBUF_INIT, block = STRBUF_INIT, again = STRBUF_INIT;
    struct span body = { (const char *)data, size };
    struct err err = { 0 };
    size_t claimed = 0, same = 0;
    int rc = snappy_block_size(body, SIZE_LIMIT, RATIO_MAX, &claimed, &err);
    fuzz_check(rc == 0 || (err.text[0] && (rc == -EBADMSG || rc == -EMSGSIZE)));
    if (rc < 0)
        return 0;
    fuzz_check(claimed <= SIZE_LIMIT);
    fuzz_check(claimed <= (size_t)1 << 20 || claimed / RATIO_MAX <= size);
    rc = snappy_block_decode(body, claimed, &text, &err);
    fuzz_check(rc == 0 || rc == -EBADMSG);
    if (rc < 0)
        return 0;
    fuzz_check(text.size == claimed);
    fuzz_check(snappy_block_encode(strbuf_span(&text), &block) == 0);
    fuzz_check(snappy_block_size(strbuf_span(&block), SIZE_LIMIT, UINT64_MAX, &same,
                                 &err) == 0 &&
               same == claimed);
    fuzz_check(snappy_block_decode(strbuf_span(&block), same, &again, &err) == 0);
    fuzz_check(span_eq(strbuf_span(&text), strbuf_span(&again)));
    return 0;
}
