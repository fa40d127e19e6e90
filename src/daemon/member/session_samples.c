/* SPDX-License-Identifier: Apache-2.0 */
/* session_samples - the numbers that a result comes to, by the metric's name. */
#include "daemon/member/session_samples.h"

#include "base/span.h"

void session_samples(const struct session_result *result, bundle_number_fn *fn,
                     void *arg)
{
    fn(arg, "session_expected", result->expected);
    fn(arg, "session_contributed", rank_set_size(&result->bundle->ranks));
    fn(arg, "session_late", (double)result->late);
    fn(arg, "session_refused", (double)result->bundle->refused);
    bundle_numbers(result->bundle, (struct span){ "", 0 }, fn, arg);
}
