/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint - where results come from: a barod, or a database without one. */
#include "client/endpoint.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <stdlib.h>
#include <string.h>

#define NAME_OF_DEFAULT "barod"

const char *client_endpoint_url(const struct client_endpoint *endpoint)
{
    const char *url = endpoint->server ? endpoint->server : getenv("BARO_SERVER");
    return url && *url ? url : CLIENT_SERVER_DEFAULT;
}

bool client_endpoint_is_server(const char *name)
{
    static const char *const prefixes[] = { "unix:", "http://", "https://" };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (span_starts(span_of(name), prefixes[i]))
            return true;
    return strcmp(name, NAME_OF_DEFAULT) == 0;
}

struct client_endpoint client_endpoint_named(const char *name,
                                             const struct client_endpoint *base)
{
    struct client_endpoint named = *base;
    if (strcmp(name, NAME_OF_DEFAULT) != 0)
        named.server = name;
    return named;
}
