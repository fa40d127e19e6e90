/* SPDX-License-Identifier: Apache-2.0 */
/* step - the step of samples without a declaration, from their times. */
#include "store/series/step.h"

#include "base/number.h"
#include "blocks/blocks.h"

#include <stdlib.h>

#define STEP_SHORTEST_NS NS_PER_MS
#define STEP_LONGEST_NS (7 * 86400 * NS_PER_S)

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The lower one where two are in the middle: gaps are longer, never shorter. */
static int64_t median(const int64_t *distances, size_t count)
{
    int64_t sorted[CODEC_VALUES_MAX];
    memcpy(sorted, distances, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], compare);
    return sorted[(count - 1) / 2];
}

/* Jitter cancels out along a row of neighbours. */
static int64_t mean_of_near(const int64_t *distances, size_t count, int64_t median_ns)
{
    int64_t sum = 0, near = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t off = distances[i] - median_ns;
        if ((off < 0 ? -off : off) <= median_ns / 4) {
            sum += distances[i];
            near++;
        }
    }
    return near ? sum / near : 0;
}

static int64_t make_round(int64_t step_ns)
{
    static const int64_t units[] = { NS_PER_S, 100 * NS_PER_MS, 10 * NS_PER_MS,
                                     NS_PER_MS };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        int64_t rounded = (step_ns + units[i] / 2) / units[i] * units[i];
        int64_t change = rounded > step_ns ? rounded - step_ns : step_ns - rounded;
        if (rounded > 0 && change <= step_ns / 64)
            return rounded;
    }
    return step_ns;
}

static size_t count_near(const int64_t *distances, size_t count, int64_t step_ns)
{
    size_t near = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t off = distances[i] - step_ns;
        near += (off < 0 ? -off : off) <= step_ns / 4;
    }
    return near;
}

int64_t step_of_times(const int64_t *times, size_t count)
{
    int64_t distances[CODEC_VALUES_MAX];
    if (count < 3 || count > CODEC_VALUES_MAX)
        return 0;
    for (size_t i = 0; i + 1 < count; i++)
        distances[i] = times[i + 1] - times[i];
    count--;
    int64_t step_ns = mean_of_near(distances, count, median(distances, count));
    if (step_ns < STEP_SHORTEST_NS || step_ns > STEP_LONGEST_NS)
        return 0;
    step_ns = make_round(step_ns);
    return count_near(distances, count, step_ns) * 4 >= count * 3 ? step_ns : 0;
}
