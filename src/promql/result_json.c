/* SPDX-License-Identifier: Apache-2.0 */
/* result_json - results and errors as /api/v1/query and query_range return them. */
#include "promql/result_json.h"

#include "base/json_writer.h"
#include "base/span.h"
#include "promql/syntax/syntax.h"

static void add_unix_time(struct strbuf *out, int64_t t_ms)
{
    uint64_t size = t_ms < 0 ? (uint64_t)-t_ms : (uint64_t)t_ms;
    strbuf_addf(out, "%s%llu", t_ms < 0 ? "-" : "", (unsigned long long)(size / 1000));
    if (size % 1000)
        strbuf_addf(out, ".%03u", (unsigned)(size % 1000));
}

static void add_point(struct strbuf *out, int64_t t_ms, double value)
{
    strbuf_addc(out, '[');
    add_unix_time(out, t_ms);
    strbuf_adds(out, ",\"");
    float_text_add(out, value);
    strbuf_adds(out, "\"]");
}

static void add_metric(struct strbuf *out, const struct labels *labels)
{
    strbuf_adds(out, "{\"metric\":{");
    for (size_t i = 0; i < labels->count; i++) {
        strbuf_adds(out, i ? "," : "");
        json_add_html_safe(out, labels->pairs[i].name);
        strbuf_addc(out, ':');
        json_add_html_safe(out, labels->pairs[i].value);
    }
    strbuf_addc(out, '}');
}

static void add_matrix_row(struct strbuf *out, const struct promql_result *result,
                           const struct promql_row *row)
{
    bool is_first = true;
    add_metric(out, &row->labels);
    strbuf_adds(out, ",\"values\":[");
    for (size_t i = 0; i < row->count; i++) {
        if (!row->times_ms && is_absent(row->values[i]))
            continue;
        strbuf_adds(out, is_first ? "" : ",");
        is_first = false;
        add_point(out, row->times_ms ? row->times_ms[i] : step_time(&result->steps, i),
                  row->values[i]);
    }
    strbuf_adds(out, "]}");
}

static void add_rows(struct strbuf *out, const struct promql_result *result)
{
    strbuf_addc(out, '[');
    for (size_t r = 0; r < result->row_count; r++) {
        const struct promql_row *row = &result->rows[r];
        strbuf_adds(out, r ? "," : "");
        if (result->type == TYPE_MATRIX) {
            add_matrix_row(out, result, row);
            continue;
        }
        add_metric(out, &row->labels);
        strbuf_adds(out, ",\"value\":");
        add_point(out, result->steps.start_ms, row->values[0]);
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

static void add_data(struct strbuf *out, const struct promql_result *result)
{
    static const char *const types[] = { "scalar", "vector", "matrix", "string" };
    strbuf_addf(out, "{\"resultType\":\"%s\",\"result\":", types[result->type]);
    if (result->type == TYPE_VECTOR || result->type == TYPE_MATRIX) {
        add_rows(out, result);
        strbuf_addc(out, '}');
        return;
    }
    strbuf_addc(out, '[');
    add_unix_time(out, result->steps.start_ms);
    strbuf_addc(out, ',');
    if (result->type == TYPE_SCALAR) {
        strbuf_addc(out, '"');
        float_text_add_plain(out, result->scalar);
        strbuf_addc(out, '"');
    } else {
        json_add_html_safe(out, result->string);
    }
    strbuf_adds(out, "]}");
}

void result_json_add(struct strbuf *out, const struct promql_result *result,
                     const struct span *warnings, size_t warning_count)
{
    strbuf_adds(out, "{\"status\":\"success\",\"data\":");
    add_data(out, result);
    strbuf_adds(out, warning_count ? ",\"warnings\":[" : "");
    for (size_t i = 0; i < warning_count; i++) {
        strbuf_adds(out, i ? "," : "");
        json_add_html_safe(out, warnings[i]);
    }
    strbuf_adds(out, warning_count ? "]}" : "}");
}

const char *result_json_error_type(int rc)
{
    switch (rc) {
    case -EINVAL:
        return "bad_data";
    case -EDOM:
    case -E2BIG:
        return "execution";
    case -ECANCELED:
        return "canceled";
    case -ETIMEDOUT:
        return "timeout";
    default:
        return "internal";
    }
}

void result_json_add_error(struct strbuf *out, int rc, const char *text)
{
    strbuf_addf(out, "{\"status\":\"error\",\"errorType\":\"%s\",\"error\":",
                result_json_error_type(rc));
    json_add_html_safe(out, span_of(text));
    strbuf_addc(out, '}');
}
