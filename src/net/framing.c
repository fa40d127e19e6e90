/* SPDX-License-Identifier: Apache-2.0 */
/* framing - heads that two programs could understand in two ways are refused.
 *
 * A proxy before us that takes another header for the length of a body would see other
 * requests in the same bytes (request smuggling).  libmicrohttpd lets all of this
 * through, so the headers are looked at as they came: RFC 9112, 3.2, 5.1 and 6.3.
 */
#include "net/framing.h"

#include "base/span.h"

#include <ctype.h>
#include <strings.h>

struct framing {
    size_t hosts, lengths, codings;
    struct span length;
    const char *reason; /* NULL: nothing was found */
};

static bool is_token(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!isalnum((unsigned char)name.data[i]) &&
            !strchr("!#$%&'*+-.^_`|~", name.data[i]))
            return false;
    return name.size > 0;
}

static bool is_named(struct span name, const char *wanted)
{
    return name.size == strlen(wanted) &&
           strncasecmp(name.data, wanted, name.size) == 0;
}

static bool is_digits(struct span value)
{
    for (size_t i = 0; i < value.size; i++)
        if (value.data[i] < '0' || value.data[i] > '9')
            return false;
    return value.size > 0;
}

static void add_length(struct framing *f, struct span value)
{
    value = span_trim(value);
    if (!is_digits(value))
        f->reason = "Content-Length is not a number";
    else if (f->lengths++ > 0 && !span_eq(value, f->length))
        f->reason = "two values of Content-Length";
    f->length = value;
}

static enum MHD_Result add_header(void *arg, enum MHD_ValueKind kind, const char *key,
                                  size_t key_size, const char *data, size_t size)
{
    struct framing *f = arg;
    struct span name = { key, key_size }, value = { data ? data : "", size };
    (void)kind;
    if (!is_token(name)) {
        f->reason = "the name of a header has a blank or another byte that it may not";
    } else if (is_named(name, "Host")) {
        f->hosts++;
    } else if (is_named(name, "Content-Length")) {
        add_length(f, value);
    } else if (is_named(name, "Transfer-Encoding")) {
        f->codings++;
        if (!is_named(span_trim(value), "chunked"))
            f->reason = "a Transfer-Encoding other than chunked";
    }
    return f->reason ? MHD_NO : MHD_YES;
}

const char *framing_find(struct MHD_Connection *connection, const char *version)
{
    struct framing f = { 0 };
    bool is_newest = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_header, &f);
    if (f.reason)
        return f.reason;
    if (f.codings > 1)
        return "two Transfer-Encoding headers";
    if (f.codings && f.lengths)
        return "both Transfer-Encoding and Content-Length";
    if (f.codings && !is_newest)
        return "a Transfer-Encoding in HTTP/1.0";
    if (f.hosts > 1)
        return "two Host headers";
    if (f.hosts == 0 && is_newest)
        return "no Host header";
    return NULL;
}
