/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - Lua's patterns, matched with a bound of steps.
 *
 * Lua's own matcher runs in C, where no instruction is counted: twenty times "a?" cost
 * it seconds.  This one counts each comparison, gives up when its steps are used, and
 * does not nest deeper than PATTERN_DEPTH_MAX.
 */
#ifndef PLUGIN_LUA_PATTERN_H
#define PLUGIN_LUA_PATTERN_H

#include "base/span_type.h"

#include <stdint.h>

#define PATTERN_CAPTURES_MAX 32
#define PATTERN_DEPTH_MAX 200
#define PATTERN_POSITION ((size_t)-1) /* the size of a capture "()" */

struct pattern_capture {
    size_t at, size;
};

struct pattern_match {
    size_t at, end; /* of the subject */
    size_t capture_count;
    struct pattern_capture captures[PATTERN_CAPTURES_MAX];
};

/* The first match at or after from; *steps are what is left.  Returns 1 and the match,
 * 0 (there is none).  Errors: -EINVAL (a malformed pattern), -E2BIG (too deep, or the
 * steps are used up). */
int pattern_find(struct span subject, struct span pattern, size_t from, int64_t *steps,
                 struct pattern_match *ret);
/* The first occurrence of a text, with the same bound. */
int pattern_find_plain(struct span subject, struct span text, size_t from,
                       int64_t *steps, struct pattern_match *ret);
/* Has it characters that mean something in a pattern? */
bool pattern_is_plain(struct span pattern);

#endif
