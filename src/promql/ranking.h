/* SPDX-License-Identifier: Apache-2.0 */
/* ranking - the k largest or smallest of values, and values in order.
 *
 * Which of equal values stay, and in which order, is that of a binary heap and of an
 * insertion sort, as Prometheus has it for up to twelve values.
 */
#ifndef PROMQL_RANKING_H
#define PROMQL_RANKING_H

#include <stddef.h>
#include <stdint.h>

struct ranked {
    double value;
    uint32_t row;
};

enum ranking { RANKING_TOP, RANKING_BOTTOM };

/* A heap of at most limit entries, the one that goes first at its top. */
struct ranking_heap {
    enum ranking ranking;
    size_t count, limit;
    struct ranked *entries; /* capacity limit */
};

void ranking_put(struct ranking_heap *heap, struct ranked entry);
/* Best first. */
void ranking_sort(enum ranking ranking, struct ranked *entries, size_t count);

#endif
