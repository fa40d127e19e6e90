/* SPDX-License-Identifier: Apache-2.0 */
/* url - a path of a server with its parameters, percent-encoded. */
#include "net/url.h"

#include "base/number.h"
#include "base/span.h"

#include <string.h>

void net_url_init(struct net_url *url, const char *path)
{
    *url = (struct net_url){ .separator = '?' };
    strbuf_adds(&url->text, path);
}

void net_url_done(struct net_url *url)
{
    strbuf_done(&url->text);
}

/* The unreserved characters of RFC 3986. */
static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~", c));
}

static void add_encoded(struct net_url *url, struct span text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (is_unreserved(text.data[i]))
            strbuf_addc(&url->text, text.data[i]);
        else
            strbuf_addf(&url->text, "%%%02X", (unsigned)(unsigned char)text.data[i]);
    }
}

void net_url_add_segment(struct net_url *url, struct span segment)
{
    strbuf_addc(&url->text, '/');
    add_encoded(url, segment);
}

void net_url_add_span(struct net_url *url, const char *name, struct span value)
{
    if (!value.data)
        return;
    strbuf_addf(&url->text, "%c%s=", url->separator, name);
    url->separator = '&';
    add_encoded(url, value);
}

void net_url_add(struct net_url *url, const char *name, const char *value)
{
    net_url_add_span(url, name, span_of(value));
}

void net_url_add_u64(struct net_url *url, const char *name, uint64_t value)
{
    char digits[NUMBER_DIGITS_MAX];
    size_t size = number_print_u64(digits, value);
    net_url_add_span(url, name, (struct span){ digits, size });
}
