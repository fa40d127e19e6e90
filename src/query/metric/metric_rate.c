/* SPDX-License-Identifier: Apache-2.0 */
/* metric_rate - samples of a counter as its rate, per second. */
#include "query/metric/metric_rate.h"

#include "base/number.h"

size_t metric_rate_make(int64_t *times, double *values, int64_t *lengths_ns,
                        size_t count, int64_t from_ns, uint64_t *resets)
{
    size_t rates = 0;
    if (count == 0)
        return 0;
    int64_t last_ns = times[0];
    double last = values[0];
    for (size_t i = 1; i < count; i++) {
        int64_t t_ns = times[i], length_ns = t_ns - last_ns;
        double grown = values[i] - last;
        last_ns = t_ns;
        last = values[i];
        if (t_ns < from_ns || length_ns <= 0)
            continue;
        if (!(grown >= 0)) {
            ++*resets;
            continue;
        }
        times[rates] = t_ns;
        lengths_ns[rates] = length_ns;
        values[rates++] = grown / ((double)length_ns / (double)NS_PER_S);
    }
    return rates;
}

double metric_rate_mean(const double *values, const int64_t *lengths_ns, size_t count)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = lengths_ns ? (double)lengths_ns[i] : 1;
        sum += lengths_ns ? weight * values[i] : values[i];
        weights += weight;
    }
    return sum / weights;
}
