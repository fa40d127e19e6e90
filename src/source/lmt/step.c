/* SPDX-License-Identifier: Apache-2.0 */
/* step - the distance between samples, where a file does not state it. */
#include "source/lmt/step.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int64_t lmt_step_of(int64_t *times, size_t count)
{
    int64_t best = 0;
    size_t best_count = 0;
    qsort(times, count, sizeof *times, by_value);
    size_t steps = 0;
    for (size_t i = 1; i < count; i++)
        if (times[i] > times[i - 1])
            times[steps++] = times[i] - times[i - 1];
    qsort(times, steps, sizeof *times, by_value);
    for (size_t i = 0; i < steps;) {
        size_t end = i + 1;
        while (end < steps && times[end] == times[i])
            end++;
        if (end - i > best_count) {
            best = times[i];
            best_count = end - i;
        }
        i = end;
    }
    return best;
}
