/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_expression - formulas: whatever is parsed can be evaluated, with any values. */
#include "analysis/table/table.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

static int column_of(void *arg, struct span name)
{
    (void)arg;
    return name.size == 1 && *name.data >= 'a' && *name.data <= 'd' ? *name.data - 'a'
                                                                    : -ENOENT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct value values[] = {
        value_number(-2.5),
        { .kind = VALUE_TEXT, .text = SPAN("/a/b") },
        { .kind = VALUE_MISSING },
        value_number(1e308),
    };
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, (size_t)1 << 20);
    const struct expression *e = NULL;
    struct err err = { 0 };
    struct span text = { (const char *)data, size };
    if (expression_parse(text, column_of, NULL, &arena, &e, &err) < 0) {
        fuzz_check(err.text[0] != '\0' && e == NULL);
        return 0;
    }
    struct value v = expression_eval(e, values, &arena);
    fuzz_check(v.kind != VALUE_NUMBER || v.number == v.number);
    (void)value_as_text(&v, &arena);
    return 0;
}
