/* SPDX-License-Identifier: Apache-2.0 */
/* regex - regular expressions of RE2's syntax over a whole text, in linear time.
 *
 *     text ──▶ program of at most REGEX_PROGRAM_MAX instructions ──▶ a set of threads
 *                                                                   walks the text once
 *
 * Anchored at both ends; of several matches the leftmost alternative counts, as in RE2.
 * Time is bounded by the size of the program times that of the text, whatever both are.
 * Not supported, and refused by name: Unicode classes \p, and (?i) on letters outside
 * ASCII.  Back references and look-around do not exist in RE2.
 *
 * Threads  none inside; a compiled expression does not change.
 */
#ifndef PROMQL_REGEX_H
#define PROMQL_REGEX_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span_type.h"

#define REGEX_PROGRAM_MAX 4096
#define REGEX_REPEAT_MAX 1000
#define REGEX_DEPTH_MAX 64
#define REGEX_GROUPS_MAX 32

struct regex;

/* Compiled into arena; text must live as long.  Errors: -EINVAL (err: which part is
 * wrong or not supported), -ENOMEM. */
int regex_parse(struct span text, struct arena *arena, const struct regex **ret,
                struct err *err);

bool regex_matches(const struct regex *regex, struct span text);

/* Groups of a match: data NULL where one was passed over; number 0 is the whole text.
 */
struct regex_groups {
    struct span groups[REGEX_GROUPS_MAX];
};
bool regex_match_groups(const struct regex *regex, struct span text,
                        struct regex_groups *ret);

/* The group of this name; -1: none. */
int regex_group_named(const struct regex *regex, struct span name);

#endif
