/* SPDX-License-Identifier: Apache-2.0 */
/* token_cookie - a token in a header of cookies. */
#include "net/token/token_cookie.h"

#include "base/span.h"

#include <string.h>

#define NAME_BYTES                         \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"           \
    "abcdefghijklmnopqrstuvwxyz0123456789" \
    "_-."

bool token_cookie_is_name(const char *name)
{
    size_t size = strlen(name);
    return size > 0 && size <= TOKEN_COOKIE_NAME_MAX &&
           strspn(name, NAME_BYTES) == size;
}

struct span token_cookie_find(struct span header, const char *name)
{
    struct span pair, key, found = { 0 };
    bool has_more = header.size > 0;
    while (has_more) {
        has_more = span_cut(&header, ';', &pair);
        if (!span_cut(&pair, '=', &key) || !span_is(span_trim(key), name))
            continue;
        if (found.data)
            return (struct span){ 0 };
        found = span_trim(pair);
    }
    return found;
}
