/* SPDX-License-Identifier: Apache-2.0 */
/* node_peers - how unusual one value is among those of comparable nodes. */
#include "analysis/node/node_peers.h"

#include "analysis/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Normal deviates of the quartile and the decile. */
#define DEVIATE_Q75 0.6744897501960817
#define DEVIATE_Q90 1.2815515655446004
#define DEVIATE_Q95 1.6448536269514722
/* What the deviation from quartiles of one side is worth, in samples of a normal
 * distribution whose deviation is computed from all of them. */
#define FREEDOM_SHARE 0.4
/* Below a hundredth of the median all values are as small: shares between 0 and 1 may
 * be anything. */
#define LOG_FLOOR 0.01
/* Of fewer nodes one that differs from equal ones is no rarity, and two that differ are
 * another kind of nodes. */
#define FEW_COUNT 32

void node_peers_done(struct node_peers *peers)
{
    free(peers->sorted);
    free(peers->logs);
    *peers = (struct node_peers){ 0 };
}

static int node_peers_reserve(struct node_peers *peers, size_t count)
{
    if (count <= peers->capacity)
        return 0;
    node_peers_done(peers);
    peers->sorted = calloc(count, sizeof *peers->sorted);
    peers->logs = calloc(count, sizeof *peers->logs);
    if (!peers->sorted || !peers->logs) {
        node_peers_done(peers);
        return -ENOMEM;
    }
    peers->capacity = count;
    return 0;
}

int node_peers_set(struct node_peers *peers, const double *values, size_t count,
                   bool is_integral)
{
    int rc = node_peers_reserve(peers, count);
    peers->count = 0;
    if (rc < 0 || count == 0)
        return rc;
    peers->quantum = is_integral ? 1 : 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            peers->sorted[peers->count++] = values[i];
    peers->count = numbers_sort(peers->sorted, peers->count);
    double median = quantile(peers->sorted, peers->count, 0.5);
    peers->is_positive = peers->count > 0 && peers->sorted[0] >= 0 && median > 0;
    for (size_t i = 0; peers->is_positive && i < peers->count; i++)
        peers->logs[i] = log(fmax(peers->sorted[i], LOG_FLOOR * median));
    return 0;
}

/* Where value stands among sorted numbers; of equal ones the first. */
static size_t index_of(const double *sorted, size_t count, double value)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count ? low : count - 1;
}

/* The quantile of all but one. */
static double quantile_without(const double *sorted, size_t count, size_t left_out,
                               double q)
{
    double position = q * (double)(count - 2);
    size_t below = (size_t)position;
    size_t above = below + 1 < count - 1 ? below + 1 : below;
    double low = sorted[below + (below >= left_out)];
    double high = sorted[above + (above >= left_out)];
    return low + (position - (double)below) * (high - low);
}

struct scale {
    double median, deviation; /* of the side on which the value is */
};

static struct scale scale_without(const double *sorted, size_t count, size_t index)
{
    struct scale s = { .median = quantile_without(sorted, count, index, 0.5) };
    bool is_above = sorted[index] > s.median;
    double quartile = quantile_without(sorted, count, index, is_above ? 0.75 : 0.25);
    double tail = count < FEW_COUNT ? 0.05 : 0.1;
    double deviate = count < FEW_COUNT ? DEVIATE_Q95 : DEVIATE_Q90;
    double far = quantile_without(sorted, count, index, is_above ? 1 - tail : tail);
    s.deviation =
        fmax(fabs(quartile - s.median) / DEVIATE_Q75, fabs(far - s.median) / deviate);
    return s;
}

static double student_chance(double deviations, size_t others)
{
    double freedom = fmax(1, FREEDOM_SHARE * (double)others);
    return beta_regularized(freedom / 2, 0.5,
                            freedom / (freedom + deviations * deviations));
}

/* Where most are 0 there is no logarithm: deviations as on a scale that is linear near
 * 0, and logarithmic far from it.  One deviation stays nearly one. */
static double tail_scale(double deviations)
{
    return asinh(deviations) * (DEVIATE_Q90 / asinh(DEVIATE_Q90));
}

/* How many of sorted numbers are not value. */
static size_t count_other_than(const struct node_peers *peers, double value)
{
    size_t first = index_of(peers->sorted, peers->count, value), end = first;
    while (end < peers->count && peers->sorted[end] == value)
        end++;
    return peers->count - (end - first);
}

static void score_among_equal(const struct node_peers *peers, double value,
                              struct node_score *score)
{
    double least = NODE_DIFFERENCE_MIN * fabs(score->median);
    size_t apart = count_other_than(peers, score->median);
    double difference = value - score->median;
    score->chance = NAN;
    score->deviations = difference == 0 ? 0 : copysign(INFINITY, difference);
    if (peers->quantum > 0) {
        score->deviations = difference / (peers->quantum / 2);
        if (score->median == 0)
            score->deviations = tail_scale(score->deviations);
        score->chance = fabs(difference) < least
                            ? 1
                            : student_chance(score->deviations, score->others);
    }
    score->is_apart = difference != 0 && fabs(difference) >= least &&
                      peers->count >= FEW_COUNT &&
                      (apart <= 1 || apart * 100 <= peers->count);
}

/* Of values above 0: too small on the logarithmic scale, too large on both. */
static double log_scale(const struct node_peers *peers, size_t index, double difference,
                        const struct node_score *score)
{
    struct scale logs = scale_without(peers->logs, peers->count, index);
    double deviation = fmax(logs.deviation, peers->quantum / 2 / score->median);
    double deviations = (peers->logs[index] - logs.median) / deviation;
    bool is_logs = deviation > 0 && (difference < 0 || deviations < score->deviations);
    return is_logs ? deviations : score->deviations;
}

struct node_score node_peers_score(const struct node_peers *peers, double value)
{
    struct node_score score = { 0 };
    if (peers->count < NODE_OTHERS_MIN + 1)
        return score;
    size_t index = index_of(peers->sorted, peers->count, value);
    struct scale linear = scale_without(peers->sorted, peers->count, index);
    score.others = peers->count - 1;
    score.median = linear.median;
    if (linear.deviation == 0) {
        score_among_equal(peers, value, &score);
        return score;
    }
    double difference = value - linear.median;
    score.deviations = difference / fmax(linear.deviation, peers->quantum / 2);
    if (peers->is_positive)
        score.deviations = log_scale(peers, index, difference, &score);
    else if (linear.median == 0 && peers->sorted[0] == 0)
        score.deviations = tail_scale(score.deviations);
    score.chance = fabs(difference) < NODE_DIFFERENCE_MIN * fabs(linear.median)
                       ? 1
                       : student_chance(score.deviations, score.others);
    return score;
}
