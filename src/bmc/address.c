/* SPDX-License-Identifier: Apache-2.0 */
/* address - HOST[:PORT] of a target as numbers, found before anything is sent there. */
#include "bmc/address.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void address_split(const char *text, const char *default_port,
                          struct bmc_address *ret)
{
    const char *colon = strrchr(text, ':');
    const char *bracket = strrchr(text, ']');
    bool has_port = colon && (!bracket || colon > bracket) &&
                    (bracket || strchr(text, ':') == colon);
    size_t size = has_port ? (size_t)(colon - text) : strlen(text);
    if (text[0] == '[' && size > 1 && text[size - 1] == ']') {
        text++;
        size -= 2;
    }
    *ret = (struct bmc_address){ .is_v6 = false };
    (void)snprintf(ret->host, sizeof ret->host, "%.*s", (int)size, text);
    (void)snprintf(ret->port, sizeof ret->port, "%.7s",
                   has_port ? colon + 1 : default_port);
}

int bmc_address_resolve(const char *text, const char *default_port,
                        struct bmc_address *ret, struct err *err)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
    struct bmc_address address;
    struct addrinfo *found = NULL;
    address_split(text, default_port, &address);
    int rc = getaddrinfo(address.host, address.port, &hints, &found);
    if (rc == EAI_MEMORY)
        return err_set(err, ENOMEM, "out of memory");
    if (rc != 0)
        return err_set(err, EHOSTUNREACH, "its name '%s' is not resolved: %s",
                       address.host,
                       rc == EAI_AGAIN ? "no name server responded" : gai_strerror(rc));
    address.is_v6 = found->ai_family == AF_INET6;
    rc = getnameinfo(found->ai_addr, found->ai_addrlen, address.number,
                     sizeof address.number, NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    if (rc != 0)
        return err_set(err, EHOSTUNREACH, "its name '%s' is not resolved: %s",
                       address.host, gai_strerror(rc));
    *ret = address;
    return 0;
}
