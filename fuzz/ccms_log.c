/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ccms_log - files of cc-metric-store: what is told lies within its limits. */
#include "base/strbuf.h"
#include "fuzz/fuzz.h"
#include "source/ccms/ccms.h"

#include <errno.h>
#include <zlib.h>

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

static void read_log(struct span bytes)
{
    double last = 0;
    const struct ccms_sink sink = { take, &last };
    struct err err = { 0 };
    struct ccms_log_end end;
    int rc = ccms_read_log(bytes, &sink, &end, &err);
    fuzz_check(rc == 0 || (rc == -EBADMSG && err.text[0]));
    fuzz_check(end.good_bytes <= bytes.size);
}

/* No chance finds a CRC: the bytes once as a file, and once as the payload of a record
 * whose CRC is right. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t magics[] = { 0xCC1DA701, 0xCC1DA7A1 };
    AUTO(strbuf_done) struct strbuf file = STRBUF_INIT;
    uint32_t payload_size = (uint32_t)size;
    uint32_t checksum = (uint32_t)crc32(0, data, (uInt)size);
    read_log((struct span){ (const char *)data, size });
    strbuf_add(&file, magics, sizeof magics);
    strbuf_add(&file, &payload_size, sizeof payload_size);
    strbuf_add(&file, data, size);
    strbuf_add(&file, &checksum, sizeof checksum);
    fuzz_check(strbuf_error(&file) == 0);
    read_log(strbuf_span(&file));
    return 0;
}
