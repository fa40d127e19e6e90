/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus - responses of /api/v1, as Prometheus 2.42 has it. */
#include "api/prometheus/prometheus.h"

#include "api/prometheus/label_list.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

/* Which edition of the language it is; clients decide by it what they may use. */
#define LANGUAGE_VERSION "2.42.0"

static void begin_data(struct strbuf *out)
{
    strbuf_adds(out, "{\"status\":\"success\",\"data\":");
}

/* ---- query, query_range ---- */

/* Say which parameter an error of the expression is of, as clients look for it. */
static int in_query(int rc, struct err *err)
{
    struct err inner = *err;
    return rc == -EINVAL && inner.text[0]
               ? err_set(err, EINVAL, "invalid parameter \"query\": %s", inner.text)
               : rc;
}

static int read_range(struct prometheus_request *r, struct promql_request *ret,
                      struct err *err)
{
    const struct question *q = &r->question;
    if (r->endpoint == PROMETHEUS_QUERY) {
        int rc = question_time(q, "time", r->now_ms, &ret->start_ms, err);
        ret->end_ms = ret->start_ms;
        return rc;
    }
    static const char *const names[] = { "start", "end", "step" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (question_text(q, names[i]).size == 0)
            return err_set(err, EINVAL,
                           "invalid parameter \"%s\": it is needed: start and end are "
                           "times, step is a duration",
                           names[i]);
    int rc = question_time(q, "start", 0, &ret->start_ms, err);
    if (rc == 0)
        rc = question_time(q, "end", 0, &ret->end_ms, err);
    if (rc == 0 && ret->end_ms < ret->start_ms)
        rc = err_set(err, EINVAL,
                     "invalid parameter \"end\": end timestamp must not be before "
                     "start time");
    return rc < 0 ? rc : question_duration(q, "step", 0, &ret->step_ms, err);
}

static int respond_query(struct prometheus_request *r, struct strbuf *out,
                         struct err *err)
{
    AUTO(promql_result_free) struct promql_result *result = NULL;
    struct promql_request query = { .text = question_text(&r->question, "query"),
                                    .is_canceled = r->source.store.watch,
                                    .cancel_arg = r->source.store.watch_arg };
    int rc = read_range(r, &query, err);
    if (rc < 0)
        return rc;
    if (query.text.size == 0)
        return in_query(err_set(err, EINVAL, "an expression is wanted"), err);
    struct budget_hold *hold = r->source.store.hold;
    uint64_t most = hold && hold->account ? budget_hold_most(hold) : 0;
    if (most > 0 && most / 2 < SIZE_MAX)
        query.memory_bytes_max = (size_t)(most / 2);
    const struct promql_source source = series_source_for_query(&r->source);
    rc = promql_query(&query, &source, &result, err);
    if (rc < 0)
        return in_query(rc, err);
    struct span warning =
        SPAN("blocks of the store that are damaged were left out: see "
             "the log, and baro store verify");
    result_json_add(out, result, &warning, r->source.store.unreadable > 0);
    return strbuf_error(out);
}

static int respond_format(struct prometheus_request *r, struct strbuf *out,
                          struct err *err)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct expr *expr = NULL;
    arena_init(&arena, 0);
    int rc = promql_parse(question_text(&r->question, "query"), &arena, &expr, err);
    if (rc < 0)
        return in_query(rc, err);
    format_add(&text, expr);
    begin_data(out);
    json_add_html_safe(out, strbuf_span(&text));
    strbuf_addc(out, '}');
    return strbuf_error(&text) < 0 ? -ENOMEM : strbuf_error(out);
}

/* ---- labels, values, series ---- */

static int read_selector(struct span text, struct arena *arena,
                         struct label_selector *ret, struct err *err)
{
    const struct expr *expr = NULL;
    struct err inner = { 0 };
    int rc = promql_parse(text, arena, &expr, &inner);
    if (rc == 0 && (expr->kind != EXPR_SELECTOR || expr->selector.range_ms > 0))
        rc = err_set(&inner, EINVAL, "a selector of series is wanted, like x{a=\"b\"}");
    if (rc == -EINVAL)
        return err_set(err, EINVAL, "invalid parameter \"match[]\": %s", inner.text);
    if (rc == 0)
        *ret = (struct label_selector){ expr->selector.matchers,
                                        expr->selector.matcher_count };
    return rc;
}

static int respond_list(struct prometheus_request *r, struct strbuf *out,
                        struct err *err)
{
    AUTO(arena_done) struct arena arena;
    struct label_selector selectors[64];
    struct label_list_request wanted = { .source = &r->source,
                                         .what = r->endpoint == PROMETHEUS_LABELS
                                                     ? LIST_NAMES
                                                     : LIST_VALUES,
                                         .label = r->label,
                                         .selectors = selectors };
    struct span text;
    arena_init(&arena, 0);
    int rc = question_time(&r->question, "start", INT64_MIN, &wanted.from_ms, err);
    if (rc == 0)
        rc = question_time(&r->question, "end", INT64_MAX, &wanted.to_ms, err);
    for (size_t i = 0; rc == 0 && question_text_at(&r->question, "match[]", i, &text);
         i++) {
        if (i == COUNT_OF(selectors))
            return err_set(err, EINVAL, "invalid parameter \"match[]\": %zu at most",
                           COUNT_OF(selectors));
        rc = read_selector(text, &arena, &selectors[i], err);
        wanted.selector_count = i + 1;
    }
    if (rc < 0)
        return rc;
    if (r->endpoint == PROMETHEUS_LABEL_VALUES && !label_name_is_valid(r->label))
        return err_set(err, EINVAL, "invalid label name: \"" SPAN_FMT "\"",
                       SPAN_ARG(r->label));
    if (r->endpoint == PROMETHEUS_SERIES) {
        wanted.what = LIST_SERIES;
        if (wanted.selector_count == 0)
            return err_set(err, EINVAL, "no match[] parameter provided");
    }
    begin_data(out);
    rc = label_list_write(&wanted, out, err);
    strbuf_addc(out, '}');
    return rc < 0 ? rc : strbuf_error(out);
}

/* ---- metadata, and what is empty ---- */

struct metadata {
    struct strbuf *out;
    struct span only; /* empty: every metric */
    uint64_t limit, count;
};

static void add_metadata(struct metadata *m, struct span name, const char *type,
                         const char *help, struct span unit)
{
    if (m->count >= m->limit || (m->only.size > 0 && !span_eq(name, m->only)))
        return;
    strbuf_adds(m->out, m->count++ ? "," : "");
    json_add_html_safe(m->out, name);
    strbuf_addf(m->out, ":[{\"type\":\"%s\",\"help\":\"%s\",\"unit\":", type, help);
    json_add_html_safe(m->out, unit);
    strbuf_adds(m->out, "}]");
}

static void add_jobstats_metadata(struct metadata *m)
{
    char name[SERIES_NAME_MAX];
    struct measure measure;
    for (enum series_level level = 0; level < SERIES_LEVEL_COUNT; level++)
        for (size_t i = 0; series_measure_at(level, i, &measure); i++) {
            bool is_entry = level == LEVEL_ENTRY;
            struct span text = series_name_print(name, level, &measure);
            add_metadata(
                m, text, is_entry ? "counter" : "gauge",
                is_entry ? "a job on a target, as its server counts"
                         : "mean rate up to the sample",
                span_of(is_entry ? measure.unit : measure_rate_unit(&measure)));
        }
}

static int respond_metadata(struct prometheus_request *r, struct strbuf *out,
                            struct err *err)
{
    const struct metric_table *metrics = metric_store_metrics(r->source.store.store);
    struct metadata m = { .out = out,
                          .only = question_text(&r->question, "metric"),
                          .limit = UINT64_MAX };
    struct span limit_text = question_text(&r->question, "limit");
    int64_t given;
    if (limit_text.size > 0 && number_parse_i64(limit_text, &given) < 0)
        return err_set(err, EINVAL, "invalid parameter \"limit\": a number is wanted");
    if (limit_text.size > 0 && given >= 0)
        m.limit = (uint64_t)given;
    begin_data(out);
    strbuf_addc(out, '{');
    for (uint32_t id = 0; id < metric_count(metrics); id++) {
        const struct metric *metric = metric_at(metrics, id);
        add_metadata(&m, metric->name,
                     metric->kind == METRIC_COUNTER ? "counter" : "gauge", "",
                     metric->unit);
    }
    /* A database that is away costs the names of what is in it. */
    if (job_series_has_rows(&r->source.jobs, INT64_MIN, NULL) > 0)
        add_jobstats_metadata(&m);
    strbuf_adds(out, "}}");
    return strbuf_error(out);
}

static const char *const fixed[_PROMETHEUS_COUNT] = {
    [PROMETHEUS_BUILD_INFO] = "{\"version\":\"" LANGUAGE_VERSION "\",\"revision\":"
                              "\"barograph\",\"branch\":\"\",\"buildUser\":\"\","
                              "\"buildDate\":\"\",\"goVersion\":\"\"}",
    [PROMETHEUS_NO_RULES] = "{\"groups\":[]}",
    [PROMETHEUS_NO_ALERTS] = "{\"alerts\":[]}",
    [PROMETHEUS_NO_EXEMPLARS] = "[]",
    [PROMETHEUS_NO_TARGETS] = "{\"activeTargets\":[],\"droppedTargets\":[]}",
};

/* ---- all of them ---- */

static int respond(struct prometheus_request *r, struct strbuf *out, struct err *err)
{
    switch (r->endpoint) {
    case PROMETHEUS_QUERY:
    case PROMETHEUS_QUERY_RANGE:
        return respond_query(r, out, err);
    case PROMETHEUS_FORMAT_QUERY:
        return respond_format(r, out, err);
    case PROMETHEUS_LABELS:
    case PROMETHEUS_LABEL_VALUES:
    case PROMETHEUS_SERIES:
        return respond_list(r, out, err);
    case PROMETHEUS_METADATA:
        return respond_metadata(r, out, err);
    default:
        begin_data(out);
        strbuf_adds(out, fixed[r->endpoint]);
        strbuf_addc(out, '}');
        return strbuf_error(out);
    }
}

static unsigned status_of(int rc)
{
    switch (rc) {
    case -EINVAL:
        return 400;
    case -EDOM:
    case -E2BIG:
    case -EMSGSIZE:
        return 422;
    case -EDQUOT:
        return 429;
    case -EAGAIN:
    case -ECANCELED:
    case -ETIMEDOUT:
    case -ESHUTDOWN:
        return 503;
    default:
        return 500;
    }
}

static const char *error_text(int rc)
{
    switch (rc) {
    case -ETIMEDOUT:
        return "query timed out: query a shorter time, or fewer series; see "
               "query_timeout in [barod]";
    case -ECANCELED:
        return "query was canceled";
    case -ESHUTDOWN:
        return "barod is stopping: try again";
    case -EAGAIN:
        return "queries hold all the memory that they may have: try again later";
    case -EDQUOT:
        return "your queries hold their share of memory: try again when one has ended";
    case -EMSGSIZE:
        return "the query needs more memory than queries may have: query a shorter "
               "time, or fewer series";
    default:
        return strerror(-rc);
    }
}

unsigned prometheus_error(int rc, const char *text, struct strbuf *out)
{
    strbuf_clear(out);
    result_json_add_error(out, rc == -EMSGSIZE ? -E2BIG : rc, text);
    return status_of(rc);
}

unsigned prometheus_respond(struct prometheus_request *request, struct strbuf *out)
{
    struct err err = { 0 };
    int rc = respond(request, out, &err);
    if (rc == 0)
        return 200;
    bool is_ours = rc == -ETIMEDOUT || rc == -ECANCELED || rc == -ESHUTDOWN;
    return prometheus_error(rc, err.text[0] && !is_ours ? err.text : error_text(rc),
                            out);
}
