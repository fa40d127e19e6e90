/* SPDX-License-Identifier: Apache-2.0 */
/* answer - what barod answers about metrics (/v1/query), value by value. */
#include "source/lmt/answer.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <stdlib.h>

#define STEP_S_MAX 31622400.0 /* a year */

enum member {
    MEMBER_OTHER,
    MEMBER_COMPONENT,
    MEMBER_METRIC,
    MEMBER_FROM,
    MEMBER_STEP,
    MEMBER_TIMES,
    MEMBER_VALUES,
    MEMBER_COUNT,
    MEMBER_ERROR,
};

/* Where things stand: {"results": [ {series}, ... ]} */
enum { DEPTH_TOP, DEPTH_RESULTS, DEPTH_SERIES, DEPTH_MEMBER, DEPTH_VALUE };

struct answering {
    const struct lmt_answer_opts *opts;
    bool is_results; /* the member of the top that is open */
    bool has_results;
    enum member member;
    struct lmt_answer_series series;
    struct strbuf component, metric;
    int64_t *times;
    size_t time_count, time_capacity;
    size_t place; /* of the next value */
    bool is_wanted;
    struct err *err;
};

static int bad(const struct answering *a, const char *what)
{
    return err_set(a->err, EBADMSG, "invalid response of the server: %s", what);
}

static enum member member_of(struct span key)
{
    static const struct {
        const char *name;
        enum member member;
    } members[] = {
        { "component", MEMBER_COMPONENT }, { "metric", MEMBER_METRIC },
        { "from", MEMBER_FROM },           { "step", MEMBER_STEP },
        { "times", MEMBER_TIMES },         { "values", MEMBER_VALUES },
        { "count", MEMBER_COUNT },         { "error", MEMBER_ERROR },
    };
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (span_is(key, members[i].name))
            return members[i].member;
    return MEMBER_OTHER;
}

static void series_begin(struct answering *a)
{
    strbuf_clear(&a->component);
    strbuf_clear(&a->metric);
    a->series = (struct lmt_answer_series){ .from_ms = INT64_MIN };
    a->time_count = 0;
    a->is_wanted = false;
}

static int text_keep(struct strbuf *to, struct span text, struct span *ret)
{
    strbuf_clear(to);
    strbuf_add_span(to, text);
    if (strbuf_error(to) < 0)
        return -ENOMEM;
    *ret = strbuf_span(to);
    return 0;
}

static int time_of(const struct answering *a, struct span text, int64_t *ret_ms)
{
    int64_t t_ns;
    if (timetext_parse(text, &t_ns) < 0)
        return bad(a, "a time is not one");
    *ret_ms = t_ns / (NS_PER_S / 1000);
    return 0;
}

static int time_add(struct answering *a, struct span text)
{
    if (a->time_count == LMT_ANSWER_TIMES_MAX)
        return err_set(a->err, EFBIG, "the server's response has over %zu times",
                       LMT_ANSWER_TIMES_MAX);
    if (a->time_count == a->time_capacity) {
        size_t capacity = a->time_capacity ? 2 * a->time_capacity : 64;
        int64_t *grown = reallocarray(a->times, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        a->times = grown;
        a->time_capacity = capacity;
    }
    int rc = time_of(a, text, &a->times[a->time_count]);
    a->time_count += rc == 0;
    return rc;
}

static int step_take(struct answering *a, struct span text)
{
    double step_s;
    if (number_parse_double(text, &step_s) < 0 || !(step_s >= 0.001) ||
        step_s > STEP_S_MAX)
        return bad(a, "a step is not one");
    a->series.step_ms = llround(step_s * 1000);
    return 0;
}

/* Values follow: who wants them knows by now what they are of. */
static int values_begin(struct answering *a)
{
    const struct lmt_answer_series *s = &a->series;
    if (s->component.size == 0 || s->metric.size == 0)
        return bad(a, "values of nothing");
    if (s->step_ms > 0 && s->from_ms == INT64_MIN)
        return bad(a, "values at no time");
    a->place = 0;
    a->is_wanted = a->opts->series && a->opts->series(a->opts->arg, s);
    return 0;
}

static int value_take(struct answering *a, enum json_event event, struct span text)
{
    const struct lmt_answer_series *s = &a->series;
    size_t place = a->place++;
    double value;
    if (!a->is_wanted || event == JSON_NULL)
        return 0;
    if (event != JSON_NUMBER || number_parse_double(text, &value) < 0)
        return bad(a, "a value is not a number");
    if (s->step_ms == 0 && place >= a->time_count)
        return bad(a, "more values than times");
    int64_t t_ms =
        s->step_ms == 0 ? a->times[place] : s->from_ms + (int64_t)place * s->step_ms;
    a->opts->value(a->opts->arg, t_ms, value);
    return 0;
}

static int text_take(struct answering *a, struct span text)
{
    switch (a->member) {
    case MEMBER_COMPONENT:
        return text_keep(&a->component, text, &a->series.component);
    case MEMBER_METRIC:
        return text_keep(&a->metric, text, &a->series.metric);
    case MEMBER_FROM:
        return time_of(a, text, &a->series.from_ms);
    case MEMBER_ERROR:
        if (a->opts->fault)
            a->opts->fault(a->opts->arg, &a->series, text);
        return 0;
    default:
        return 0;
    }
}

static int member_take(struct answering *a, enum json_event event, struct span text)
{
    if (event == JSON_STRING)
        return text_take(a, text);
    if (event == JSON_NUMBER && a->member == MEMBER_STEP)
        return step_take(a, text);
    if (event == JSON_NUMBER && a->member == MEMBER_COUNT)
        return number_parse_u64(text, &a->series.numbers) < 0
                   ? bad(a, "a count is not one")
                   : 0;
    if (event == JSON_ARRAY && a->member == MEMBER_VALUES)
        return values_begin(a);
    return 0;
}

static int series_take(struct answering *a, enum json_event event)
{
    if (event == JSON_OBJECT)
        series_begin(a);
    else if (event != JSON_OBJECT_END)
        return bad(a, "a result is not an object");
    else if (a->opts->end)
        a->opts->end(a->opts->arg, &a->series);
    return 0;
}

static int results_take(struct answering *a, enum json_event event)
{
    if (event != JSON_ARRAY && event != JSON_ARRAY_END)
        return bad(a, "its results are no list");
    a->has_results = true;
    return 0;
}

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct answering *a = arg;
    if (depth == DEPTH_TOP && event == JSON_KEY)
        a->is_results = span_is(text, "results");
    else if (depth == DEPTH_TOP && event != JSON_OBJECT && event != JSON_OBJECT_END)
        return bad(a, "no object");
    if (depth == DEPTH_TOP || !a->is_results)
        return 0;
    if (depth == DEPTH_RESULTS)
        return results_take(a, event);
    if (depth == DEPTH_SERIES && event == JSON_KEY)
        a->member = member_of(text);
    else if (depth == DEPTH_SERIES)
        return series_take(a, event);
    else if (depth == DEPTH_MEMBER)
        return member_take(a, event, text);
    else if (depth == DEPTH_VALUE && a->member == MEMBER_VALUES)
        return value_take(a, event, text);
    else if (depth == DEPTH_VALUE && a->member == MEMBER_TIMES && event == JSON_STRING)
        return time_add(a, text);
    return 0;
}

int lmt_answer_read(struct span text, const struct lmt_answer_opts *opts,
                    struct err *err)
{
    struct answering a = { .opts = opts, .err = err };
    int rc = json_read(text, on_event, &a, err);
    if (rc == 0 && !a.has_results)
        rc = bad(&a, "no results");
    strbuf_done(&a.component);
    strbuf_done(&a.metric);
    free(a.times);
    return rc == -ENOMEM ? err_set(err, ENOMEM, "out of memory") : rc;
}
