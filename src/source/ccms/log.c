/* SPDX-License-Identifier: Apache-2.0 */
/* log - what came to one host since its last checkpoint: current.wal.
 *
 *     u32 magic | record ...      record: u32 magic, u32 size, payload, u32 CRC-32
 *     payload   i64 time, text metric, u8 levels, each u8 size and bytes, f32 value
 */
#include "source/ccms/bytes.h"
#include "source/ccms/ccms.h"

#include <errno.h>
#include <inttypes.h>
#include <zlib.h>

#define FILE_MAGIC UINT32_C(0xCC1DA701)
#define RECORD_MAGIC UINT32_C(0xCC1DA7A1)
#define PAYLOAD_MAX (UINT32_C(1) << 20)

enum outcome {
    RECORD,
    END,
    TORN,
    DAMAGED,
};

static enum outcome take_record(struct span *rest, struct span *ret)
{
    struct span payload, after = *rest;
    uint32_t magic, size, checksum;
    if (after.size == 0)
        return END;
    if (!bytes_take(&after, &magic, sizeof magic))
        return TORN;
    if (magic != RECORD_MAGIC)
        return DAMAGED;
    if (!bytes_take(&after, &size, sizeof size))
        return TORN;
    if (size > PAYLOAD_MAX)
        return DAMAGED;
    if (!bytes_take_span(&after, &payload, size) ||
        !bytes_take(&after, &checksum, sizeof checksum))
        return TORN;
    if (checksum != crc32(0, (const Bytef *)payload.data, size))
        return DAMAGED;
    *ret = payload;
    *rest = after;
    return RECORD;
}

static bool take_payload(struct span payload, struct ccms_series *s, double *ret)
{
    float value;
    uint8_t count;
    if (!bytes_take(&payload, &s->start_s, sizeof s->start_s) || s->start_s < 0 ||
        s->start_s > CCMS_TIME_S_MAX || !bytes_take_text(&payload, &s->metric) ||
        s->metric.size == 0 || s->metric.size > CCMS_NAME_MAX ||
        !bytes_take(&payload, &count, sizeof count) || count > CCMS_LEVELS_MAX)
        return false;
    for (s->level_count = 0; s->level_count < count; s->level_count++) {
        uint8_t size;
        if (!bytes_take(&payload, &size, sizeof size) || size == 0 ||
            !bytes_take_span(&payload, &s->levels[s->level_count], size))
            return false;
    }
    if (!bytes_take(&payload, &value, sizeof value) || payload.size > 0)
        return false;
    *ret = ccms_widen(value);
    return true;
}

int ccms_read_log(struct span bytes, const struct ccms_sink *sink,
                  struct ccms_log_end *ret, struct err *err)
{
    struct span rest = bytes, payload;
    enum outcome outcome = DAMAGED;
    uint32_t magic;
    *ret = (struct ccms_log_end){ .is_torn = bytes.size < sizeof magic };
    if (bytes.size < sizeof magic)
        return 0;
    if (!bytes_take(&rest, &magic, sizeof magic) || magic != FILE_MAGIC)
        return err_set(err, EBADMSG, "byte 0: no log of cc-metric-store");
    ret->good_bytes = sizeof magic;
    while ((outcome = take_record(&rest, &payload)) == RECORD) {
        struct ccms_series series = { 0 };
        double value;
        if (!take_payload(payload, &series, &value))
            return err_set(err, EBADMSG,
                           "byte %" PRIu64 ": the record is whole, and makes no sense",
                           ret->good_bytes);
        int rc = sink->fn(sink->arg, &series, &value, 1);
        if (rc != 0)
            return rc;
        ret->records++;
        ret->good_bytes = (uint64_t)(rest.data - bytes.data);
    }
    ret->is_torn = outcome == TORN;
    if (outcome == DAMAGED)
        return err_set(err, EBADMSG, "byte %" PRIu64 ": damaged, the rest is lost",
                       ret->good_bytes);
    return 0;
}
