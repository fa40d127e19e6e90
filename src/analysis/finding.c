/* SPDX-License-Identifier: Apache-2.0 */
/* finding - what may have cost a run its speed, as its log shows it; in plain words. */
#include "analysis/finding.h"

#include <math.h>
#include <stdlib.h>

static const struct finding rules[] = {
    { "small", "many reads and writes are below 1 MiB", PROFILE_SMALL_SHARE, 0, 0.5,
      0 },
    { "unaligned", "many accesses begin or end inside a block of the file system",
      PROFILE_UNALIGNED_SHARE, 0, 0.5, 0 },
    { "random", "many accesses go back in the file", PROFILE_RANDOM_SHARE, 0, 0.2, 0 },
    { "imbalanced", "the slowest process took much longer than the mean",
      PROFILE_IMBALANCE, 0, 2, 0 },
    { "metadata-heavy", "much of the time went into opening, closing and looking up",
      PROFILE_META_SHARE, 0, 0.3, 0 },
    { "slow-target", "all files on one target were slow", PROFILE_SLOW_TARGET, 0, 3,
      0 },
    { "stdio", "much went through buffered streams (fopen, fwrite)",
      PROFILE_STDIO_SHARE, 0, 0.5, 0 },
};

_Static_assert(sizeof rules / sizeof rules[0] <= FINDINGS_MAX, "room for every rule");

static int by_excess(const void *a, const void *b)
{
    const struct finding *x = a;
    const struct finding *y = b;
    double left = x->value / x->threshold;
    double right = y->value / y->threshold;
    return (left < right) - (left > right);
}

/* Whether there is enough of what the measure is made of; *ret_n says how much. */
static bool is_enough(const struct profile *p, enum profile_measure measure,
                      uint64_t *ret_n)
{
    if (profile_term(measure)->is_timed) {
        double processes = p->values[PROFILE_PROCESSES];
        *ret_n = processes > 0 ? (uint64_t)processes : 0;
        return p->read_s + p->write_s + p->meta_s >= FINDING_IO_S_MIN;
    }
    *ret_n = p->accesses;
    return p->accesses >= FINDING_ACCESSES_MIN;
}

size_t findings_make(const struct profile *p, struct finding *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct finding f = rules[i];
        f.value = p->values[f.measure];
        if (is_enough(p, f.measure, &f.n) && f.value > f.threshold)
            ret[count++] = f;
    }
    qsort(ret, count, sizeof *ret, by_excess);
    return count;
}
