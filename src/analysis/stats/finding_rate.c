/* SPDX-License-Identifier: Apache-2.0 */
/* finding_rate - how often a finding is false, as it was measured. */
#include "analysis/stats/finding_rate.h"

#include <stddef.h>
#include <string.h>

static const struct finding_rate rates[] = {
#include "analysis/stats/finding_rate_table.h"
};

static const char *const basis_names[FINDING_RATE_BASIS_COUNT] = {
    [FINDING_RATE_HEALTHY] = "healthy-jobs",
    [FINDING_RATE_CLIMATE] = "other-weather-climate",
    [FINDING_RATE_THRESHOLD] = "other-weather-threshold",
};

static const struct finding_rate *rate_find(const char *name,
                                            enum finding_rate_basis basis)
{
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (rates[i].basis == basis && strcmp(rates[i].name, name) == 0)
            return &rates[i];
    return NULL;
}

const struct finding_rate *finding_rate_of(const char *name, bool is_by_climate)
{
    if (is_by_climate)
        return rate_find(name, FINDING_RATE_CLIMATE);
    /* Runs that were are worth more than jobs that are played. */
    const struct finding_rate *rate = rate_find(name, FINDING_RATE_THRESHOLD);
    return rate ? rate : rate_find(name, FINDING_RATE_HEALTHY);
}

const char *finding_rate_basis_name(enum finding_rate_basis basis)
{
    return basis_names[basis];
}
