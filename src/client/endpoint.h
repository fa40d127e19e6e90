/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint - where results come from: a barod, or a database without one.
 *
 *     barod                            where BARO_SERVER says, or the usual socket
 *     unix:/run/barograph/barod.sock   a socket
 *     http://..., https://...          an address
 */
#ifndef CLIENT_ENDPOINT_H
#define CLIENT_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#define CLIENT_SERVER_DEFAULT "unix:/run/barograph/barod.sock"

/* The texts are the caller's and outlive what is opened with them.  All may be NULL. */
struct client_endpoint {
    const char *server;     /* URL; NULL: BARO_SERVER, or CLIENT_SERVER_DEFAULT */
    const char *token_file; /* NULL: BARO_TOKEN_FILE, or none; "": none */
    const char *ca_file;    /* CA bundle; NULL: the system's */
    const char *records;    /* a database that is read without a daemon */
    int64_t timeout_ns;     /* of one whole request; 0: as usual */
};

/* The URL of the endpoint's barod, never NULL and never "". */
const char *client_endpoint_url(const struct client_endpoint *endpoint);

/* Whether name is "barod" or an URL, and not a file. */
bool client_endpoint_is_server(const char *name);

/* The endpoint that name means, an URL or "barod", with the tokens of base. */
struct client_endpoint client_endpoint_named(const char *name,
                                             const struct client_endpoint *base);

#endif
