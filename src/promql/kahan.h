/* SPDX-License-Identifier: Apache-2.0 */
/* kahan - sums that carry what rounding lost (Neumaier's form). */
#ifndef PROMQL_KAHAN_H
#define PROMQL_KAHAN_H

#include <math.h>

struct kahan {
    double sum;
    double carry;
};

static inline void kahan_add(struct kahan *k, double value)
{
    double sum = k->sum + value;
    if (fabs(k->sum) >= fabs(value))
        k->carry += (k->sum - sum) + value;
    else
        k->carry += (value - sum) + k->sum;
    k->sum = sum;
}

static inline double kahan_total(const struct kahan *k)
{
    return k->sum + k->carry;
}

#endif
