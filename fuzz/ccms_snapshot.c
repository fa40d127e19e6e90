/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ccms_snapshot - files of cc-metric-store: what is told lies within its limits.
 */
#include "fuzz/fuzz.h"
#include "source/ccms/ccms.h"

#include <errno.h>

static int take(void *arg, const struct ccms_series *s, const double *values,
                size_t count)
{
    double *last = arg;
    struct span type, id;
    fuzz_check(s->metric.size > 0 && s->metric.size <= CCMS_NAME_MAX);
    fuzz_check(s->level_count <= CCMS_LEVELS_MAX && count > 0);
    fuzz_check(s->start_s >= 0 && s->step_s >= 0 && s->step_s <= CCMS_STEP_S_MAX);
    for (size_t i = 0; i < s->level_count; i++) {
        ccms_level_parse(s->levels[i], &type, &id);
        fuzz_check(type.size + id.size == s->levels[i].size);
    }
    *last = values[count - 1];
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double last = 0;
    const struct ccms_sink sink = { take, &last };
    struct span text = { (const char *)data, size };
    struct err err = { 0 };
    int rc = ccms_read_snapshot(text, &sink, &err);
    fuzz_check(rc == 0 || (rc == -EBADMSG && err.text[0]) || rc == -EMSGSIZE);
    return 0;
}
