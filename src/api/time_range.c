/* SPDX-License-Identifier: Apache-2.0 */
/* time_range - the window of a route, out of its parameters from, to and last. */
#include "api/time_range.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>

struct time_range time_range_of_last(int64_t last_ns)
{
    return (struct time_range){ .from_ns = INT64_MIN,
                                .to_ns = clock_now_ns(),
                                .last_ns = last_ns };
}

int time_range_param(struct time_range *range, struct span name, struct span value)
{
    int rc = 0;
    if (span_is(name, "from"))
        rc = timetext_parse_user(value, clock_now_ns(), &range->from_ns);
    else if (span_is(name, "to"))
        rc = timetext_parse_user(value, clock_now_ns(), &range->to_ns);
    else if (span_is(name, "last"))
        rc = number_parse_duration(value, &range->last_ns);
    else
        return 0;
    return rc < 0 || range->last_ns <= 0 ? -EINVAL : 1;
}

int time_range_finish(struct time_range *range, struct err *err)
{
    if (range->from_ns == INT64_MIN)
        range->from_ns =
            range->to_ns > range->last_ns ? range->to_ns - range->last_ns : 0;
    if (range->from_ns >= range->to_ns)
        return err_set(err, EINVAL, "from: is not before to");
    return 0;
}
