/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_selection - what is asked for: pairs of name and value, one a line, as a query
 * string or a command line has them.
 */
#include "base/span.h"
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

static void set_again(void *arg, const char *name, struct span value)
{
    struct err err = { 0 };
    fuzz_check(selection_set(arg, span_of(name), value, &err) == 0);
}

static void add_line(void *arg, const char *name, struct span value)
{
    strbuf_addf(arg, "%s=" SPAN_FMT "\n", name, SPAN_ARG(value));
}

/* What is written as parameters is read as the same selection. */
static void check_round_trip(const struct selection *sel)
{
    AUTO(selection_done) struct selection again;
    AUTO(strbuf_done) struct strbuf written = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf rewritten = STRBUF_INIT;
    selection_init(&again, NOW_MS);
    fuzz_check(selection_params(sel, add_line, &written) == 0);
    fuzz_check(selection_params(sel, set_again, &again) == 0);
    fuzz_check(selection_params(&again, add_line, &rewritten) == 0);
    fuzz_check(span_eq(strbuf_span(&written), strbuf_span(&rewritten)));
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
    check_round_trip(&sel);
    if (selection_settle(&sel, &defaults, size & 1 ? NOW_MS - 7200000 : T_NONE, &err) <
        0) {
        fuzz_check(err.text[0] != '\0');
        return 0;
    }
    check_windows(&sel);
    (void)selection_is_open(&sel);
    return 0;
}
