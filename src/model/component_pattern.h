/* SPDX-License-Identifier: Apache-2.0 */
/* component_pattern - which components a person means: patterns and sets, level by
 * level.
 *
 *     alex/a09*            every host of alex whose name begins with a09
 *     alex/r30c[09-24]     a set of hosts, as elsewhere: r30c09, r30c10, ... r30c24
 *     alex/a0901,b[1-3]    several, with commas between them
 *     alex/a0901/hwthread:[0-71]
 *
 * A level is a list of names with *, ?, sets of numbers and classes of characters.  A
 * bracket of digits, commas and hyphens is a set of numbers, whose leading zeros set
 * the width; any other bracket is one character: [a-f], [!0-9].  What is \xHH in a path
 * is \xHH in a pattern.
 */
#ifndef MODEL_COMPONENT_PATTERN_H
#define MODEL_COMPONENT_PATTERN_H

#include "base/err.h"
#include "base/span_type.h"

/* Errors: -EINVAL (a bracket is not closed or its range ends before it begins, an empty
 * name or level, a level of over 1024 bytes); err names it. */
int component_pattern_check(struct span pattern, struct err *err);

/* Whether a path has as many levels as a pattern, and each level matches; an empty
 * pattern matches all, one that the check refuses may match nothing. */
bool component_path_matches(struct span path, struct span pattern);

/* Whether the name of one level matches the pattern of one. */
bool component_name_matches(struct span name, struct span pattern);

/* Cut the next of the comma-separated names off the pattern of a level; commas inside
 * brackets do not count.  false: there is none. */
bool component_pattern_next(struct span *level, struct span *ret);

#endif
