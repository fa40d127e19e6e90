/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_forward_names - lists of the series of a queue: what is read is written as the
 * same bytes, or stands before what a crash has left.
 */
#include "base/span.h"
#include "forward/name_list.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    AUTO(name_list_done) struct name_list list = { 0 };
    AUTO(name_list_done) struct name_list second = { 0 };
    const struct span text = { (const char *)data, size };
    fuzz_check(name_list_read(&list, text) == 0);
    fuzz_check(list.count <= size / 3); /* two sizes and a metric */
    for (uint32_t i = 0; i < list.count; i++) {
        const struct series_name *name = &list.names[i];
        fuzz_check(name->metric.size > 0);
        fuzz_check(name->path.size + name->metric.size <= size);
        name_list_print(name, &again);
    }
    fuzz_check(again.size <= size);
    fuzz_check(name_list_read(&second, strbuf_span(&again)) == 0);
    fuzz_check(second.count == list.count);
    for (uint32_t i = 0; i < list.count; i++)
        fuzz_check(span_eq(second.names[i].path, list.names[i].path) &&
                   span_eq(second.names[i].metric, list.names[i].metric));
    return 0;
}
