/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_gpu_line - lines of the process that reads GPUs, which is not trusted: what is
 * accepted is bounded, and is the same when it is printed and read again.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "source/gpu/gpu.h"

#include <math.h>
#include <string.h>

static void line_check(struct span text)
{
    AUTO(strbuf_done) struct strbuf printed = STRBUF_INIT;
    struct gpu_line line, again;
    if (gpu_line_parse(text, &line) < 0)
        return;
    fuzz_check(text.size < GPU_LINE_MAX);
    if (line.kind != GPU_LINE_VALUE)
        return;
    fuzz_check(isfinite(line.value.value));
    fuzz_check(line.value.slice >= -1 && line.value.slice < GPU_SLICES_MAX);
    fuzz_check(strlen(line.value.pci) == 16);
    gpu_value_print(&line.value, &printed);
    fuzz_check(printed.size < GPU_LINE_MAX);
    struct span copy = span_trim(strbuf_span(&printed));
    fuzz_check(gpu_line_parse(copy, &again) == 0);
    fuzz_check(again.kind == GPU_LINE_VALUE && again.value.metric == line.value.metric);
    fuzz_check(again.value.slice == line.value.slice);
    fuzz_check(memcmp(&again.value.value, &line.value.value, sizeof(double)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = { (const char *)data, size }, line;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        line_check(line);
    }
    return 0;
}
