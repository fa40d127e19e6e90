/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_selection - what is asked for: pairs of name and value, one a line, as a query
 * string or a command line has them.
 */
#include "fuzz/fuzz.h"
#include "query/query.h"

#define NOW_MS INT64_C(1669014000123)

static void check_windows(const struct selection *sel)
{
    fuzz_check(sel->from_ms < sel->to_ms);
    fuzz_check(sel->by_count <= DIM_COUNT && sel->measure_count <= MEASURES_MAX);
    fuzz_check(sel->limit <= SELECTION_LIMIT_MAX);
    size_t steps = selection_steps(sel);
    fuzz_check(steps >= 1 && steps <= SELECTION_STEPS_MAX);
    fuzz_check(selection_step_from(sel, 0) == sel->from_ms);
    fuzz_check(selection_step_to(sel, steps - 1) >= sel->from_ms);
    for (size_t i = 1; i < steps; i++)
        fuzz_check(selection_step_from(sel, i) == selection_step_to(sel, i - 1));
    fuzz_check(selection_reach_ms(sel) <= sel->from_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct selection_defaults defaults = {
        .ops = "write_bytes,read_bytes,metadata",
        .by = "job",
        .last_ms = 600000,
        .lookback_ms = 3600000,
        .limit = 20,
    };
    struct span rest = { (const char *)data, size }, line, name;
    AUTO(selection_done) struct selection sel;
    struct err err = { 0 };
    selection_init(&sel, NOW_MS);
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (!span_cut(&line, '=', &name))
            continue;
        if (selection_set(&sel, name, line, &err) < 0)
            fuzz_check(err.text[0] != '\0');
    }
    if (selection_settle(&sel, &defaults, size & 1 ? NOW_MS - 7200000 : T_NONE, &err) <
        0) {
        fuzz_check(err.text[0] != '\0');
        return 0;
    }
    check_windows(&sel);
    (void)selection_is_open(&sel);
    return 0;
}
