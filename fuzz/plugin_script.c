/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_plugin_script - a plugin's text: its manifest is checked or refused, and what it
 * calls ends within its budget.
 */
#include "fuzz/fuzz.h"
#include "plugin/lua/script.h"

#include <stdio.h>

#define TEXT_BYTES_MAX 8192
#define MEMORY_BYTES (1 << 20)

static struct frame records;

static struct frame *records_frame(void *arg, size_t size)
{
    (void)arg;
    if (size > sizeof records.data - records.size)
        records.size = 0;
    return &records;
}

static void check_result(const struct script_result *result, int64_t instructions)
{
    fuzz_check(memchr(result->text, '\0', sizeof result->text) != NULL);
    /* One function of Lua's may be over at the end: by what its memory allows. */
    fuzz_check(result->instructions <= instructions + 16 * MEMORY_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct script_limits limits = { 20000, MEMORY_BYTES };
    static const struct script_out out = { records_frame, NULL };
    const struct script_input inputs[] = {
        { .name = { "n", 1 }, .from = { "r1", 2 }, .value = 3 },
        { .name = { "m", 1 },
          .from = { "r2", 2 },
          .is_text = true,
          .text = { "x", 1 } },
    };
    AUTO(script_free) struct script *script = NULL;
    struct plugin_manifest manifest;
    struct script_result result = { 0 };
    if (size > TEXT_BYTES_MAX || script_new(&limits, 0, &out, &script) < 0)
        return 0;
    records.size = 0;
    int rc = script_load(script, (struct span){ (const char *)data, size }, &manifest,
                         &result, NULL);
    check_result(&result, limits.instructions);
    if (rc < 0)
        return 0;
    fuzz_check(plugin_manifest_check(&manifest, NULL) == 0);
    for (unsigned function = 0; function < PLUGIN_FUNCTION_COUNT; function++) {
        bool has_inputs = function != PLUGIN_SOURCE;
        const struct script_call call = { .function = function,
                                          .epoch = 7,
                                          .t_ns = 1000000000,
                                          .inputs = inputs,
                                          .input_count = has_inputs ? 2 : 0 };
        result = (struct script_result){ 0 };
        script_call(script, &call, &result);
        check_result(&result, limits.instructions);
    }
    return 0;
}
