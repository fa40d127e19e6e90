/* SPDX-License-Identifier: Apache-2.0 */
/* matcher - a condition on one label: =, !=, =~ or !~ and a text.
 *
 * A label that a series does not have reads as empty.
 * Threads  none inside: a matcher does not change once it is made.
 */
#ifndef PROMQL_MATCHER_H
#define PROMQL_MATCHER_H

#include "base/arena.h"
#include "base/err.h"
#include "promql/regex/regex.h"
#include "promql/syntax/labels.h"

enum matcher_kind { MATCHER_EQ, MATCHER_NE, MATCHER_REGEX, MATCHER_NOT_REGEX };

struct matcher {
    struct span name;
    enum matcher_kind kind;
    struct span value;
    const struct regex *regex; /* of the last two kinds */
};

/* Fill *ret; the texts stay where they are.  Errors: -EINVAL (the regular expression;
 * err names the part), -ENOMEM. */
int matcher_init(struct matcher *ret, struct arena *arena, struct span name,
                 enum matcher_kind kind, struct span value, struct err *err);

bool matcher_fits_text(const struct matcher *matcher, struct span value);
bool matchers_fit(const struct matcher *matchers, size_t count,
                  const struct labels *labels);

/* As it is written: =, !=, =~, !~. */
const char *matcher_kind_text(enum matcher_kind kind);

#endif
