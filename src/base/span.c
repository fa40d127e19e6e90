/* SPDX-License-Identifier: Apache-2.0 */
/* span - a piece of text that somebody else owns. */
#include "base/span.h"

#include "base/cleanup.h"

#include <fnmatch.h>
#include <stdlib.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct span span_trim(struct span s)
{
    while (s.size && is_blank(s.data[0]))
        s = span_skip(s, 1);
    while (s.size && is_blank(s.data[s.size - 1]))
        s.size--;
    return s;
}

bool span_cut(struct span *s, char separator, struct span *head)
{
    const char *at = s->size ? memchr(s->data, separator, s->size) : NULL;
    if (!at) {
        *head = *s;
        *s = (struct span){ s->data + s->size, 0 };
        return false;
    }
    *head = (struct span){ s->data, (size_t)(at - s->data) };
    *s = span_skip(*s, head->size + 1);
    return true;
}

char *span_dup(struct span s)
{
    char *copy = malloc(s.size + 1);
    if (!copy)
        return NULL;
    if (s.size)
        memcpy(copy, s.data, s.size);
    copy[s.size] = '\0';
    return copy;
}

bool span_glob(struct span s, const char *pattern)
{
    char small[256];
    char *text = small;
    if (s.size >= sizeof small) {
        text = span_dup(s);
        if (!text)
            return false;
    } else {
        if (s.size)
            memcpy(small, s.data, s.size);
        small[s.size] = '\0';
    }
    bool hit = fnmatch(pattern, text, 0) == 0;
    if (text != small)
        free(text);
    return hit;
}

/* The comma behind the first pattern, or the end. */
static const char *pattern_end(const char *at)
{
    const char *open = NULL;
    for (; *at && (*at != ',' || open); at++) {
        if (*at == '[' && !open && strchr(at, ']'))
            open = at;
        else if (*at == ']' && open && at > open + 1)
            open = NULL;
    }
    return at;
}

bool span_glob_any(struct span s, const char *patterns)
{
    const char *end = pattern_end(patterns);
    if (!*end)
        return span_glob(s, patterns);
    for (;; patterns = end + 1, end = pattern_end(patterns)) {
        AUTO_FREE char *one =
            span_dup((struct span){ patterns, (size_t)(end - patterns) });
        if (one && span_glob(s, one))
            return true;
        if (!one || !*end)
            return false;
    }
}
