/* SPDX-License-Identifier: Apache-2.0 */
/* span - a piece of text that somebody else owns: a pointer and a length, no NUL.
 *
 * Everything that comes from outside is read as spans, so that nothing is copied before
 * it is understood.  A span is valid as long as what it points into.
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include "base/span_type.h"

#define SPAN(literal) ((struct span){ (literal), sizeof(literal) - 1 })
#define SPAN_FMT "%.*s"
#define SPAN_ARG(s) (int)(s).size, (s).data

static inline struct span span_of(const char *text)
{
    return (struct span){ text, text ? strlen(text) : 0 };
}

static inline bool span_eq(struct span a, struct span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* By bytes, and the shorter first: below 0, 0, above 0, as memcmp(). */
static inline int span_compare(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static inline bool span_is(struct span s, const char *text)
{
    return span_eq(s, span_of(text));
}

static inline bool span_starts(struct span s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.size >= n && memcmp(s.data, prefix, n) == 0;
}

static inline bool span_ends(struct span s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.size >= n && memcmp(s.data + s.size - n, suffix, n) == 0;
}

static inline struct span span_skip(struct span s, size_t n)
{
    if (n > s.size)
        n = s.size;
    return (struct span){ s.data + n, s.size - n };
}

/* Without blanks, tabs and line ends on either side. */
struct span span_trim(struct span s);

/* Cut off the part before the first separator: it goes to *head, s keeps the rest after
 * the separator.  Returns false when there is none; then *head is all of s and s empty.
 */
bool span_cut(struct span *s, char separator, struct span *head);

/* A NUL-terminated copy on the heap; NULL when memory is out. */
char *span_dup(struct span s);

/* Shell-like pattern (*, ?, [a-z]) against the whole of s. */
bool span_glob(struct span s, const char *pattern);
/* The same with several patterns, between commas that do not stand in brackets. */
bool span_glob_any(struct span s, const char *patterns);

#endif
