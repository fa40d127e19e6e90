/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_blocks_block - coded columns, as hostile as they come.
 *
 * The first byte is the count of values, the second says what is done: bytes are
 * decoded as values or times, or taken as values that must come back.
 */
#include "blocks/codec.h"
#include "fuzz/fuzz.h"

static void check_values(const uint8_t *data, size_t size)
{
    double values[CODEC_VALUES_MAX], back[CODEC_VALUES_MAX];
    uint8_t coded[CODEC_BYTES_MAX];
    size_t count = size / sizeof *values;
    count = count < CODEC_VALUES_MAX ? count : CODEC_VALUES_MAX;
    if (count == 0)
        return;
    memcpy(values, data, count * sizeof *values);
    size_t coded_size = codec_encode(values, count, coded);
    fuzz_check(coded_size <= sizeof coded);
    fuzz_check(codec_decode(coded, coded_size, back, count) == 0);
    fuzz_check(memcmp(values, back, count * sizeof *values) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double values[CODEC_VALUES_MAX];
    int64_t times[CODEC_VALUES_MAX];
    if (size < 2)
        return 0;
    size_t count = (size_t)data[0] + 1;
    if (data[1] % 3 == 0)
        (void)codec_decode(data + 2, size - 2, values, count);
    else if (data[1] % 3 == 1)
        (void)codec_decode_times(data + 2, size - 2, times, count);
    else
        check_values(data + 2, size - 2);
    return 0;
}
