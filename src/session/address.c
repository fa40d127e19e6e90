/* SPDX-License-Identifier: Apache-2.0 */
/* address - where a node listens: "HOST:PORT", "[::1]:PORT" or "unix:PATH". */
#include "session/address.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *address_path(const char *address)
{
    return strncmp(address, "unix:", 5) == 0 ? address + 5 : NULL;
}

int address_split(const char *address, struct address_parts *ret)
{
    const char *colon = strrchr(address, ':');
    uint64_t port;
    if (!colon || number_parse_u64(span_of(colon + 1), &port) < 0 || port > 65535)
        return -EINVAL;
    struct span host = { address, (size_t)(colon - address) };
    if (host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']')
        host = (struct span){ host.data + 1, host.size - 2 };
    if (host.size == 0 || host.size >= sizeof ret->host)
        return -EINVAL;
    (void)snprintf(ret->host, sizeof ret->host, SPAN_FMT, SPAN_ARG(host));
    (void)snprintf(ret->port, sizeof ret->port, "%u", (unsigned)port);
    return 0;
}
