/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint - a JSON checkpoint of one host.
 *
 *     {"metrics": {NAME: {"frequency": s, "start": s, "data": [1.0, null, ...]}},
 *      "children": {LEVEL: {"metrics": ..., "children": ...}}, "from": s, "to": s}
 *
 * Level k is an object at depth 2 k.  A series is reported when its object has ended,
 * because its step and start may stand behind its data.
 */
#include "source/ccms/ccms.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>
#include <math.h>

#define DEPTH_MAX (2 * CCMS_LEVELS_MAX + 6)

enum section {
    NOTHING,
    METRICS,
    CHILDREN,
};

enum field {
    NO_FIELD,
    FREQUENCY,
    START,
    DATA,
};

struct reading {
    const struct ccms_sink *sink;
    struct err *err;
    enum section sections[CCMS_LEVELS_MAX + 1];
    struct strbuf names[CCMS_LEVELS_MAX + 1]; /* of child k + 1 */
    size_t level;
    struct strbuf metric;
    bool is_named;  /* a name was read for the object to come */
    bool is_metric; /* inside of a series' object */
    bool has_step, has_start;
    enum field field;
    int64_t step_s, start_s;
    double *values;
    size_t count, capacity;
};

static void reading_done(struct reading *r)
{
    for (size_t i = 0; i <= CCMS_LEVELS_MAX; i++)
        strbuf_done(&r->names[i]);
    strbuf_done(&r->metric);
    free(r->values);
}
DEFINE_AUTO_DONE(struct reading, reading_done);

static int set_text(struct strbuf *out, struct span text)
{
    strbuf_clear(out);
    strbuf_add_span(out, text);
    return text.size == 0 || text.size > CCMS_NAME_MAX ? -EBADMSG : strbuf_error(out);
}

static int add_value(struct reading *r, double value)
{
    if (r->count == r->capacity) {
        size_t capacity = 2 * r->capacity + 1024;
        double *values = realloc(r->values, capacity * sizeof *values);
        if (!values)
            return -ENOMEM;
        r->values = values;
        r->capacity = capacity;
    }
    r->values[r->count++] = value;
    return 0;
}

static int tell(struct reading *r)
{
    struct ccms_series s = {
        .metric = strbuf_span(&r->metric),
        .level_count = r->level,
        .step_s = r->step_s,
        .start_s = r->start_s,
    };
    r->is_metric = false;
    if (!r->has_step || !r->has_start || r->step_s < 1 || r->step_s > CCMS_STEP_S_MAX ||
        r->start_s < 0 || r->start_s > CCMS_TIME_S_MAX)
        return err_set(r->err, EBADMSG,
                       "'" SPAN_FMT "' has a frequency or a start that cannot be",
                       SPAN_ARG(s.metric));
    for (size_t i = 0; i < r->level; i++)
        s.levels[i] = strbuf_span(&r->names[i]);
    return r->count > 0 ? r->sink->fn(r->sink->arg, &s, r->values, r->count) : 0;
}

static enum section section_of(struct span key)
{
    return span_is(key, "metrics")    ? METRICS
           : span_is(key, "children") ? CHILDREN
                                      : NOTHING;
}

static enum field field_of(struct span key)
{
    return span_is(key, "frequency") ? FREQUENCY
           : span_is(key, "start")   ? START
           : span_is(key, "data")    ? DATA
                                     : NO_FIELD;
}

static int take_key(struct reading *r, struct span text, unsigned depth)
{
    enum section *section = &r->sections[r->level];
    r->is_named = depth == 1;
    if (depth == 0)
        *section = section_of(text);
    else if (depth == 1 && *section == METRICS)
        return set_text(&r->metric, text);
    else if (depth == 1 && *section == CHILDREN)
        return set_text(&r->names[r->level], text);
    else if (depth == 2 && r->is_metric)
        r->field = field_of(text);
    return 0;
}

static int begin_object(struct reading *r, unsigned depth)
{
    enum section section = r->sections[r->level];
    if (depth != 2 || section == NOTHING)
        return 0;
    if (!r->is_named)
        return err_set(r->err, EBADMSG, "a list where names belong");
    if (section == METRICS) {
        r->is_metric = true;
        r->has_step = r->has_start = false;
        r->field = NO_FIELD;
        r->count = 0;
    } else if (section == CHILDREN) {
        if (r->level == CCMS_LEVELS_MAX)
            return err_set(r->err, EBADMSG, "too many levels");
        r->sections[++r->level] = NOTHING;
    }
    return 0;
}

static int end_object(struct reading *r, unsigned depth)
{
    if (depth == 2 && r->is_metric)
        return tell(r);
    if (depth == 0 && r->level > 0)
        r->level--;
    return 0;
}

static int take_number(struct reading *r, struct span text, unsigned depth)
{
    double value;
    int rc = 0;
    if (!r->is_metric)
        return 0;
    if (depth == 3 && r->field == FREQUENCY) {
        rc = number_parse_i64(text, &r->step_s);
        r->has_step = rc == 0;
    } else if (depth == 3 && r->field == START) {
        rc = number_parse_i64(text, &r->start_s);
        r->has_start = rc == 0;
    } else if (depth == 4 && r->field == DATA) {
        rc = number_parse_double(text, &value);
        return rc < 0 ? -EBADMSG : add_value(r, value);
    }
    return rc < 0 ? -EBADMSG : 0;
}

static int take_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct reading *r = arg;
    unsigned base = 2 * (unsigned)r->level;
    if (depth < base)
        return 0;
    depth -= base;
    switch (event) {
    case JSON_KEY:
        return take_key(r, text, depth);
    case JSON_OBJECT:
        return begin_object(r, depth);
    case JSON_OBJECT_END:
        return end_object(r, depth);
    case JSON_NUMBER:
        return take_number(r, text, depth);
    case JSON_NULL:
        if (r->is_metric && depth == 4 && r->field == DATA)
            return add_value(r, NAN);
        return 0;
    default:
        return 0;
    }
}

int ccms_read_json(struct span text, const struct ccms_sink *sink, struct err *err)
{
    AUTO(reading_done) struct reading r = { .sink = sink, .err = err };
    AUTO(json_reader_done) struct json_reader reader;
    const struct json_reader_opts opts = { .depth_max = DEPTH_MAX };
    json_reader_init(&reader, &opts, take_event, &r);
    int rc = json_reader_feed(&reader, text.data, text.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc == -EBADMSG && err && !err->text[0])
        return err_set(err, EBADMSG,
                       "byte %" PRIu64 ": a name or a number that cannot be",
                       reader.offset);
    return rc;
}
