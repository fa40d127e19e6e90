/* SPDX-License-Identifier: Apache-2.0 */
/* zone_rule - the summer times of the years that a zone's file does not list.
 *
 *     CET-1CEST,M3.5.0,M10.5.0/3   the last Sunday of March at 2, of October at 3
 *
 * The last line of a TZif file (RFC 8536), a rule as POSIX has it in TZ.
 */
#ifndef BASE_ZONE_RULE_H
#define BASE_ZONE_RULE_H

#include "base/span_type.h"

#include <stddef.h>
#include <stdint.h>

#define ZONE_RULE_YEAR_LAST 2150
#define ZONE_RULE_CHANGES_MAX ((size_t)2 * (ZONE_RULE_YEAR_LAST - 1970 + 1))

struct zone_change;

/* The changes by rule later than after_ns, in order, until the end of
 * ZONE_RULE_YEAR_LAST, into an array of ZONE_RULE_CHANGES_MAX; *ret_count 0: the rule
 * has no summer time.  Errors: -EINVAL (not a rule). */
int zone_rule_changes(struct span rule, int64_t after_ns, struct zone_change *ret,
                      size_t *ret_count);

#endif
