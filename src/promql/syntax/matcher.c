/* SPDX-License-Identifier: Apache-2.0 */
/* matcher - a condition on one label. */
#include "promql/syntax/matcher.h"

#include "base/span.h"

int matcher_init(struct matcher *ret, struct arena *arena, struct span name,
                 enum matcher_kind kind, struct span value, struct err *err)
{
    const struct regex *regex = NULL;
    if (kind == MATCHER_REGEX || kind == MATCHER_NOT_REGEX) {
        int rc = regex_parse(value, arena, &regex, err);
        if (rc < 0)
            return rc;
    }
    *ret = (struct matcher){ name, kind, value, regex };
    return 0;
}

bool matcher_fits_text(const struct matcher *matcher, struct span value)
{
    switch (matcher->kind) {
    case MATCHER_EQ:
        return span_eq(value, matcher->value);
    case MATCHER_NE:
        return !span_eq(value, matcher->value);
    case MATCHER_REGEX:
        return regex_matches(matcher->regex, value);
    case MATCHER_NOT_REGEX:
        break;
    }
    return !regex_matches(matcher->regex, value);
}

bool matchers_fit(const struct matcher *matchers, size_t count,
                  const struct labels *labels)
{
    for (size_t i = 0; i < count; i++)
        if (!matcher_fits_text(&matchers[i], labels_get(labels, matchers[i].name)))
            return false;
    return true;
}

const char *matcher_kind_text(enum matcher_kind kind)
{
    static const char *const texts[] = { "=", "!=", "=~", "!~" };
    return texts[kind];
}
