/* SPDX-License-Identifier: Apache-2.0 */
/* metric_objects - rows of samples as an array of objects. */
#include "api/metric/metric_objects.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>

void metric_objects_begin(struct strbuf *out)
{
    strbuf_addc(out, '[');
}

void metric_objects_end(struct strbuf *out)
{
    strbuf_adds(out, "\n]\n");
}

static void metric_object_begin(struct v1_writer *w, const struct v1_item *item,
                                struct json_writer *json, struct strbuf *out)
{
    strbuf_adds(out, w->rows++ ? ",\n " : "\n ");
    json_writer_init(json, out);
    json_object(json);
    json_key(json, "component");
    json_span(json, item->component);
    json_key(json, "metric");
    json_span(json, item->metric->name);
}

static void metric_number_put(struct json_writer *json, const char *key, double value)
{
    json_key(json, key);
    if (isfinite(value))
        json_double(json, value);
    else
        json_null(json);
}

void metric_objects_samples(struct v1_writer *w, const struct v1_item *item,
                            struct strbuf *out)
{
    const struct metric_result *a = item->result;
    for (size_t i = 0; i < a->count; i++) {
        struct json_writer json;
        if (isnan(a->values[i]))
            continue;
        int64_t t_ns = a->times ? a->times[i] : a->from_ns + (int64_t)i * a->step_ns;
        metric_object_begin(w, item, &json, out);
        json_key(&json, "time");
        json_time_ms(&json, t_ns / NS_PER_MS);
        metric_number_put(&json, "value", a->values[i]);
        json_object_end(&json);
    }
}

void metric_objects_statistics(struct v1_writer *w, const struct v1_item *item,
                               struct span unit, double sum, struct strbuf *out)
{
    const struct metric_numbers *n = &item->result->numbers;
    struct json_writer json;
    metric_object_begin(w, item, &json, out);
    json_key(&json, "unit");
    json_span(&json, unit);
    json_key(&json, "count");
    json_u64(&json, n->count);
    metric_number_put(&json, "avg", n->sum / (double)n->count);
    metric_number_put(&json, "min", n->min);
    metric_number_put(&json, "max", n->max);
    metric_number_put(&json, "sum", sum);
    json_object_end(&json);
}
