/* SPDX-License-Identifier: Apache-2.0 */
/* address - where a node listens: "HOST:PORT", "[::1]:PORT" or "unix:PATH". */
#ifndef SESSION_ADDRESS_H
#define SESSION_ADDRESS_H

struct address_parts {
    char host[256];
    char port[8];
};

/* The path of "unix:PATH"; NULL: it is another address. */
const char *address_path(const char *address);
/* A port of 0 is any, for who listens.  Errors: -EINVAL. */
int address_split(const char *address, struct address_parts *ret);

#endif
