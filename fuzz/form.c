/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_form - forms of requests to /api/v1, and the times and durations in them.
 */
#include "api/prometheus/question.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena_done) struct arena arena;
    struct question q = { 0 };
    struct err err = { 0 };
    struct span text = { (const char *)data, size };
    int64_t t_ms = 0, length_ms = 0;
    arena_init(&arena, (size_t)1 << 26);
    int rc = form_parse(text, &arena, &q.form, &err);
    fuzz_check(rc == 0 || rc == -EINVAL || rc == -ENOMEM);
    if (rc < 0)
        return 0;
    size_t bytes = 0;
    for (size_t i = 0; i < q.form.count; i++)
        bytes += q.form.fields[i].name.size + q.form.fields[i].value.size + 1;
    fuzz_check(bytes <= size + 1);
    if (question_time(&q, "time", 7, &t_ms, &err) == 0)
        fuzz_check(t_ms >= INT64_C(-1000000000000000) &&
                   t_ms <= INT64_C(10000000000000000));
    if (question_duration(&q, "step", 7, &length_ms, &err) == 0)
        fuzz_check(length_ms > 0);
    return 0;
}
