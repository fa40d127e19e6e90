/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot - a binary checkpoint of one host.
 *
 *     u32 magic | i64 from | i64 to | level
 *     level   u32 metrics, each: text, i64 step, i64 start, u32 count, count × f32
 *             u32 children, each: text, level
 */
#include "source/ccms/bytes.h"
#include "source/ccms/ccms.h"

#include <errno.h>
#include <inttypes.h>

#define MAGIC UINT32_C(0xCC5B0001)
#define VALUES_AT_ONCE 1024

struct reading {
    const char *begin;
    struct span rest;
    const struct ccms_sink *sink;
    struct ccms_series series;
    struct err *err;
};

static int bad(const struct reading *r, const char *why)
{
    return err_set(r->err, EBADMSG, "byte %td: %s", r->rest.data - r->begin, why);
}

static int tell(struct reading *r, struct span floats)
{
    double values[VALUES_AT_ONCE];
    while (floats.size > 0) {
        size_t count = floats.size / sizeof(float);
        count = count < VALUES_AT_ONCE ? count : VALUES_AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            float value = 0;
            (void)bytes_take(&floats, &value, sizeof value);
            values[i] = ccms_widen(value);
        }
        int rc = r->sink->fn(r->sink->arg, &r->series, values, count);
        if (rc != 0)
            return rc;
        r->series.start_s += (int64_t)count * r->series.step_s;
    }
    return 0;
}

static int read_metric(struct reading *r)
{
    struct ccms_series *s = &r->series;
    struct span floats;
    uint32_t count;
    if (!bytes_take_text(&r->rest, &s->metric) || s->metric.size == 0 ||
        s->metric.size > CCMS_NAME_MAX)
        return bad(r, "no name of a metric");
    if (!bytes_take(&r->rest, &s->step_s, sizeof s->step_s) ||
        !bytes_take(&r->rest, &s->start_s, sizeof s->start_s) ||
        !bytes_take(&r->rest, &count, sizeof count))
        return bad(r, "the file ends within a metric");
    if (s->step_s < 1 || s->step_s > CCMS_STEP_S_MAX || s->start_s < 0 ||
        s->start_s > CCMS_TIME_S_MAX)
        return bad(r, "a step or a start that cannot be");
    if (count > r->rest.size / sizeof(float))
        return bad(r, "more values than the file has bytes");
    (void)bytes_take_span(&r->rest, &floats, (size_t)count * sizeof(float));
    return tell(r, floats);
}

static int read_level(struct reading *r);

static int read_children(struct reading *r)
{
    struct ccms_series *s = &r->series;
    uint32_t count;
    if (!bytes_take(&r->rest, &count, sizeof count))
        return bad(r, "the file ends before a count of children");
    if (count > 0 && s->level_count == CCMS_LEVELS_MAX)
        return bad(r, "too many levels");
    for (uint32_t i = 0; i < count; i++) {
        struct span *name = &s->levels[s->level_count];
        if (!bytes_take_text(&r->rest, name) || name->size == 0 ||
            name->size > CCMS_NAME_MAX)
            return bad(r, "no name of a level");
        s->level_count++;
        int rc = read_level(r);
        s->level_count--;
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* CCMS_LEVELS_MAX deep at most. */
static int read_level(struct reading *r)
{
    uint32_t count;
    if (!bytes_take(&r->rest, &count, sizeof count))
        return bad(r, "the file ends before a count of metrics");
    for (uint32_t i = 0; i < count; i++) {
        int rc = read_metric(r);
        if (rc != 0)
            return rc;
    }
    return read_children(r);
}

int ccms_read_snapshot(struct span bytes, const struct ccms_sink *sink, struct err *err)
{
    struct reading r = { .begin = bytes.data, .rest = bytes, .sink = sink, .err = err };
    uint32_t magic = 0;
    int64_t times[2];
    if (!bytes_take(&r.rest, &magic, sizeof magic) || magic != MAGIC)
        return bad(&r, "no binary checkpoint of cc-metric-store");
    if (!bytes_take(&r.rest, times, sizeof times))
        return bad(&r, "the file ends within its header");
    int rc = read_level(&r);
    if (rc == 0 && r.rest.size > 0)
        return bad(&r, "something follows the last level");
    return rc;
}
