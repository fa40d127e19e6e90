/* SPDX-License-Identifier: Apache-2.0 */
/* node_samples - the metrics of a job's nodes over its time. */
#include "analysis/footprint/node_samples.h"

#include "base/number.h"

#define WINDOW_UNIT_NS (30 * NS_PER_S)

static int64_t windows_of(int64_t length_ns, int64_t window_ns)
{
    return (length_ns - 1) / window_ns + 1;
}

void node_samples_windows(struct node_samples *samples, int64_t from_ns, int64_t to_ns,
                          int64_t interval_ns)
{
    int64_t length_ns = to_ns > from_ns ? to_ns - from_ns : 1;
    int64_t units = windows_of(length_ns, WINDOW_UNIT_NS * NODE_SAMPLES_WINDOWS_MAX);
    if (interval_ns > units * WINDOW_UNIT_NS)
        units = windows_of(interval_ns, WINDOW_UNIT_NS);
    samples->from_ns = from_ns;
    samples->to_ns = from_ns + length_ns;
    samples->window_ns = units * WINDOW_UNIT_NS;
    samples->window_count = (size_t)windows_of(length_ns, samples->window_ns);
}
