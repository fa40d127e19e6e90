/* SPDX-License-Identifier: Apache-2.0 */
/* time_window - from when to when samples are migrated or compared. */
#include "migrate/time_window.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#define LENGTH_NS (3600 * NS_PER_S)
#define SETTLE_NS (120 * NS_PER_S)

struct time_window time_window_all(void)
{
    return (struct time_window){ .from_ns = 0, .to_ns = INT64_MAX };
}

struct time_window time_window_settled(int64_t now_ns)
{
    int64_t to_ns = now_ns - SETTLE_NS;
    return (struct time_window){ .from_ns = to_ns - LENGTH_NS, .to_ns = to_ns };
}

static int parse_time(const char *option, const char *text, int64_t now_ns,
                      int64_t *ret_ns, struct err *err)
{
    if (text && timetext_parse_user(span_of(text), now_ns, ret_ns) < 0)
        return err_set(err, EINVAL, "%s: '%s' is not a time", option, text);
    return 0;
}

int time_window_parse(const struct time_window_text *text, int64_t now_ns,
                      struct time_window *ret, struct err *err)
{
    struct time_window w = *ret;
    int64_t length_ns = w.to_ns - w.from_ns;
    int rc = parse_time("--to", text->to, now_ns, &w.to_ns, err);
    if (rc < 0)
        return rc;
    if (text->last && number_parse_duration(span_of(text->last), &length_ns) < 0)
        return err_set(err, EINVAL, "--last: '%s' is not a duration", text->last);
    w.from_ns = w.to_ns > length_ns ? w.to_ns - length_ns : 0;
    rc = parse_time("--from", text->from, now_ns, &w.from_ns, err);
    if (rc < 0)
        return rc;
    if (w.from_ns > w.to_ns)
        return err_set(err, EINVAL, "--from: is after --to");
    *ret = w;
    return 0;
}
