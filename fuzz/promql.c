/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_promql - expressions: what is parsed is printed so that it is parsed as the
 * same, and is evaluated over a few series without harm.
 */
#include "promql/promql.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

static int select_few(void *arg, const struct promql_selection *s,
                      promql_series_fn *put, void *put_arg, struct err *err)
{
    static const int64_t times[] = { 0, 15000, 30000, 45000, 60000 };
    static const double values[] = { 1, 4, 2, -0.0, 1e300 };
    const struct promql_samples samples = { COUNT_OF(times), times, values };
    (void)arg;
    (void)err;
    for (size_t i = 0; i < 4; i++) {
        const struct label pairs[] = { { SPAN("__name__"), SPAN("x") },
                                       { SPAN("a"), { &"abab"[i], 1 } },
                                       { SPAN("le"), { &"1234"[i], 1 } } };
        const struct labels labels = { COUNT_OF(pairs), pairs };
        if (!matchers_fit(s->matchers, s->matcher_count, &labels))
            continue;
        int rc = put(put_arg, &labels, &samples);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static void evaluate_text(struct span text, int64_t step_ms)
{
    AUTO(promql_result_free) struct promql_result *result = NULL;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct promql_source source = { NULL, select_few };
    struct promql_request request = { .text = text,
                                      .start_ms = 30000,
                                      .end_ms = step_ms ? 90000 : 30000,
                                      .step_ms = step_ms,
                                      .samples_max = 20000,
                                      .memory_bytes_max = 4 << 20 };
    struct err err = { "" };
    int rc = promql_query(&request, &source, &result, &err);
    if (rc < 0) {
        fuzz_check(err.text[0] != '\0' && result == NULL);
        return;
    }
    result_json_add(&out, result, NULL, 0);
    fuzz_check(strbuf_error(&out) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    const struct expr *e = NULL, *second = NULL, *third = NULL;
    struct span input = { (const char *)data, size };
    struct err err = { "" };
    arena_init(&arena, 0);
    if (promql_parse(input, &arena, &e, &err) < 0) {
        fuzz_check(err.text[0] != '\0' && e == NULL);
        return 0;
    }
    format_add_line(&line, e);
    if (line.size <= 2000) {
        fuzz_check(promql_parse(strbuf_span(&line), &arena, &second, &err) == 0);
        format_add(&text, e);
        fuzz_check(promql_parse(strbuf_span(&text), &arena, &third, &err) == 0);
        format_add_line(&again, third);
        fuzz_check(span_eq(strbuf_span(&again), strbuf_span(&line)));
    }
    evaluate_text(input, 0);
    evaluate_text(input, 20000);
    return 0;
}
