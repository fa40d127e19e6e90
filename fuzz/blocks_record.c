/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_blocks_record - records of a log: what is taken comes back the same.
 */
#include "base/span.h"
#include "blocks/codec.h"
#include "blocks/record.h"
#include "fuzz/fuzz.h"

static void check_same(const struct record *a, const struct record *b)
{
    fuzz_check(a->sequence == b->sequence && a->count == b->count &&
               a->name_count == b->name_count);
    for (size_t i = 0; i < a->name_count; i++)
        fuzz_check(a->names[i].number == b->names[i].number &&
                   a->names[i].step_ns == b->names[i].step_ns &&
                   span_eq(a->names[i].path, b->names[i].path) &&
                   span_eq(a->names[i].metric, b->names[i].metric));
    for (size_t i = 0; i < a->count; i++)
        fuzz_check(a->numbers[i] == b->numbers[i] && a->times[i] == b->times[i] &&
                   double_bits(a->values[i]) == double_bits(b->values[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(record_done) struct record a = { 0 };
    AUTO(record_done) struct record b = { 0 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct span payload = { (const char *)data, size };
    if (record_decode(payload, &a) < 0)
        return 0;
    /* What came from outside may hold times that no store takes. */
    for (size_t i = 0; i < a.count; i++) {
        if (a.times[i] < 0 || a.times[i] > INT64_MAX / 2)
            return 0;
    }
    fuzz_check(record_encode(&a, &bytes) == 0);
    fuzz_check(record_decode(strbuf_span(&bytes), &b) == 0);
    check_same(&a, &b);
    return 0;
}
