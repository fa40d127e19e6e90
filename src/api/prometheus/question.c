/* SPDX-License-Identifier: Apache-2.0 */
/* question - the parameters of a request to /api/v1, out of its URL and its form. */
#include "api/prometheus/question.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "promql/promql.h"

#include <math.h>

/* As the engine has it: sums of two fit 64 bits. */
#define TIME_MAX_MS INT64_C(1000000000000000)

bool question_text_at(const struct question *q, const char *name, size_t index,
                      struct span *ret)
{
    const struct form *const forms[] = { &q->form, &q->url };
    for (size_t f = 0; f < COUNT_OF(forms); f++)
        for (size_t i = 0; i < forms[f]->count; i++)
            if (span_is(forms[f]->fields[i].name, name) && index-- == 0) {
                *ret = forms[f]->fields[i].value;
                return true;
            }
    return false;
}

struct span question_text(const struct question *q, const char *name)
{
    struct span text = { NULL, 0 };
    (void)question_text_at(q, name, 0, &text);
    return text;
}

/* Errors: -EINVAL. */
static int parse_seconds(struct span text, int64_t *ret_ms)
{
    double seconds;
    if (number_parse_double(text, &seconds) < 0 || !isfinite(seconds) ||
        fabs(seconds) > (double)(TIME_MAX_MS / 1000))
        return -EINVAL;
    *ret_ms = (int64_t)round(seconds * 1000);
    return 0;
}

int question_time(const struct question *q, const char *name, int64_t otherwise_ms,
                  int64_t *ret_ms, struct err *err)
{
    struct span text = question_text(q, name);
    int64_t t_ns;
    *ret_ms = otherwise_ms;
    if (text.size == 0)
        return 0;
    if (parse_seconds(text, ret_ms) == 0)
        return 0;
    if (timetext_parse(text, &t_ns) < 0)
        return err_set(err, EINVAL,
                       "invalid parameter \"%s\": cannot parse \"" SPAN_FMT
                       "\" to a valid timestamp: seconds since 1970 or RFC 3339 are "
                       "wanted",
                       name, SPAN_ARG(text));
    *ret_ms = t_ns / NS_PER_MS;
    return 0;
}

int question_duration(const struct question *q, const char *name, int64_t otherwise_ms,
                      int64_t *ret_ms, struct err *err)
{
    struct span text = question_text(q, name);
    *ret_ms = otherwise_ms;
    if (!text.data)
        return 0;
    if (parse_seconds(text, ret_ms) < 0 &&
        (lexer_parse_duration(text, ret_ms) < 0 || *ret_ms > TIME_MAX_MS))
        return err_set(err, EINVAL,
                       "invalid parameter \"%s\": cannot parse \"" SPAN_FMT
                       "\" to a valid duration: seconds or one like 5m are wanted",
                       name, SPAN_ARG(text));
    if (*ret_ms <= 0)
        return err_set(err, EINVAL,
                       "invalid parameter \"%s\": zero or negative query resolution "
                       "step widths are not accepted. Try a positive integer",
                       name);
    return 0;
}
