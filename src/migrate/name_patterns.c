/* SPDX-License-Identifier: Apache-2.0 */
/* name_patterns - which metrics are meant: patterns, separated by commas. */
#include "migrate/name_patterns.h"

#include "base/span.h"

#include "store/store.h"

bool name_patterns_match(struct span name, const char *patterns)
{
    struct span rest = span_of(patterns), one;
    while (rest.size > 0) {
        char pattern[METRIC_NAME_MAX + 1];
        (void)span_cut(&rest, ',', &one);
        if (one.size == 0 || one.size > METRIC_NAME_MAX)
            continue;
        memcpy(pattern, one.data, one.size);
        pattern[one.size] = '\0';
        if (span_glob(name, pattern))
            return true;
    }
    return false;
}
