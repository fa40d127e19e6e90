/* SPDX-License-Identifier: Apache-2.0 */
/* node_peers - how unusual one value is among those of comparable nodes.
 *
 *     others   · ·····:::::····· ·                      ×  the value
 *                  q10  median  q90  │← deviations →│
 *
 * The value is compared with the others alone: a node does not widen its own yardstick.
 * The deviation of one side is the larger of what the quartile and the decile of that
 * side imply for a normal distribution, so that up to a tenth of bad nodes does not
 * hide the next one, and a long tail is part of what is usual.  Of fewer than 32 nodes
 * two that are bad hide each other: they may be of another kind.  Values above zero are
 * compared on a logarithmic scale too: a value that is too large must be so on both
 * scales, since rates have long tails; one that is too small on the logarithmic one.
 * Where most are 0, the scale is linear near 0 and logarithmic far from it.
 *
 * chance is that of a Student distribution whose degrees of freedom are what so few
 * others can support: of few nodes nearly nothing can be claimed.
 *
 * Threads  none inside.
 */
#ifndef ANALYSIS_NODE_NODE_PEERS_H
#define ANALYSIS_NODE_NODE_PEERS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

#define NODE_OTHERS_MIN 7
/* A smaller difference than this share of the median is not reported, however unusual
 * it is. */
#define NODE_DIFFERENCE_MIN 0.1

struct node_peers {
    double *sorted; /* numbers */
    double *logs;   /* of them, in the same order; not set unless is_positive */
    size_t count, capacity;
    bool is_positive; /* the median is above 0, and none is below 0 */
    double quantum;   /* least difference that the metric can have; 0: not known */
};

struct node_score {
    size_t others;     /* 0: too few to compare with; then the rest is not set */
    double median;     /* of the others */
    double deviations; /* below 0: the value is less.  Infinite: the others are equal */
    double chance;     /* of a value as far out, in one comparison; NaN: the others are
                        * equal, and support no distribution */
    bool is_apart; /* nine in ten of the others are equal, and the value is one of at
                    * most 1 in 100 (or, of 32 nodes or more, the only one) that are
                    * not */
};

void node_peers_done(struct node_peers *peers);
DEFINE_AUTO_DONE(struct node_peers, node_peers_done);

/* Set the values, of which missing ones (NaN) are left out.  is_integral: all of the
 * metric's samples are whole numbers.  Errors: -ENOMEM; then there is none. */
int node_peers_set(struct node_peers *peers, const double *values, size_t count,
                   bool is_integral);

/* value is one of those that were set. */
struct node_score node_peers_score(const struct node_peers *peers, double value);

#endif
