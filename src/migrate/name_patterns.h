/* SPDX-License-Identifier: Apache-2.0 */
/* name_patterns - which metrics are meant: patterns, separated by commas. */
#ifndef MIGRATE_NAME_PATTERNS_H
#define MIGRATE_NAME_PATTERNS_H

#include "base/span_type.h"

#include <stdbool.h>

/* Whether a name matches one of the patterns: "cpu_*,flops".  Empty ones and those that
 * are longer than any metric's name match nothing. */
bool name_patterns_match(struct span name, const char *patterns);

#endif
