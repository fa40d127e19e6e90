/* SPDX-License-Identifier: Apache-2.0 */
/* ratio_sum - is a sum of ratios above zero?  Exactly. */
#include "analysis/stats/ratio_sum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* Where the sum is this part of its terms, no rounding has turned its sign. */
#define SURE 1e-14L

/* 192 bits of a numerator, 53 of each denominator, and some for the sum. */
#define LIMBS (3 + RATIO_SUM_EXACT_MAX)

/* A whole number, the lowest 64 bits first. */
struct whole {
    uint64_t limbs[LIMBS];
};

static void whole_multiply(struct whole *w, uint64_t by)
{
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < LIMBS; i++) {
        carry += (unsigned __int128)w->limbs[i] * by;
        w->limbs[i] = (uint64_t)carry;
        carry >>= 64;
    }
    assert(carry == 0);
}

static void whole_add(struct whole *w, const struct whole *other)
{
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < LIMBS; i++) {
        carry += (unsigned __int128)w->limbs[i] + other->limbs[i];
        w->limbs[i] = (uint64_t)carry;
        carry >>= 64;
    }
    assert(carry == 0);
}

static int whole_compare(const struct whole *a, const struct whole *b)
{
    for (size_t i = LIMBS; i > 0; i--)
        if (a->limbs[i - 1] != b->limbs[i - 1])
            return a->limbs[i - 1] < b->limbs[i - 1] ? -1 : 1;
    return 0;
}

static bool is_some(const struct ratio *r)
{
    return r->over != 0;
}

/* All ratios over the product of all denominators: the positive against the negative.
 */
static int sign_exact(const struct ratio *ratios, size_t count)
{
    struct whole sums[2] = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (!is_some(&ratios[i]))
            continue;
        bool is_negative = ratios[i].over < 0;
        unsigned __int128 size = is_negative ? -(unsigned __int128)ratios[i].over
                                             : (unsigned __int128)ratios[i].over;
        struct whole term = { { (uint64_t)size, (uint64_t)(size >> 64) } };
        for (int shift = ratios[i].shift; shift > 0; shift -= 32)
            whole_multiply(&term, UINT64_C(1) << (shift < 32 ? shift : 32));
        for (size_t j = 0; j < count; j++)
            if (j != i && is_some(&ratios[j]))
                whole_multiply(&term, ratios[j].under);
        whole_add(&sums[is_negative], &term);
    }
    return whole_compare(&sums[0], &sums[1]);
}

int ratio_sum_sign(const struct ratio *ratios, size_t count)
{
    long double sum = 0, size = 0;
    size_t some = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_some(&ratios[i]))
            continue;
        long double term =
            ldexpl((long double)ratios[i].over / (long double)ratios[i].under,
                   ratios[i].shift);
        sum += term;
        size += fabsl(term);
        some++;
    }
    if (some == 0)
        return 0;
    if (some > RATIO_SUM_EXACT_MAX || fabsl(sum) > size * SURE)
        return (sum > 0) - (sum < 0);
    return sign_exact(ratios, count);
}
