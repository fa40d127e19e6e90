/* SPDX-License-Identifier: Apache-2.0 */
/* http - one connection to a barod: requests, and what their responses mean.
 *
 * A response that is no success becomes -errno, with what the server says, and with the
 * option that helps: --server where nothing listens, --token-file where a token is
 * missing.
 *
 * Threads  none inside: a connection belongs to one thread, and to one side of a fork.
 * Errors   of each request, beside its own: -ENOTCONN (nothing listens there),
 *          -ETIMEDOUT, -EMSGSIZE (the response is too long, or 413), -EACCES (TLS, or
 *          403), -EPERM (401), -EBADMSG (400), -ENOENT (404), -ERANGE (422), -EAGAIN
 *          (503, 429), -EIO, -ENOMEM.
 */
#ifndef CLIENT_HTTP_H
#define CLIENT_HTTP_H

#include "base/table/table.h"
#include "client/endpoint.h"
#include "net/net.h"

struct client_http;

/* Nothing is sent yet.  *ret is the caller's, to client_http_close().
 * Errors: what reading the token file says, -EINVAL (the URL), -ENOMEM. */
int client_http_open(const struct client_endpoint *endpoint, struct client_http **ret,
                     struct err *err);
void client_http_close(struct client_http *http);
DEFINE_AUTO(struct client_http, client_http_close);

/* *ret is the body; it is valid until the next request of this connection. */
int client_http_get(struct client_http *http, const char *path, struct span *ret,
                    struct err *err);
int client_http_get_url(struct client_http *http, const struct net_url *url,
                        struct span *ret, struct err *err);
/* The same of what a person typed: what the server refuses as wrong whatever it has
 * (400) is -EINVAL, so that the command ends as misused. */
int client_http_get_typed(struct client_http *http, const struct net_url *url,
                          struct span *ret, struct err *err);
/* The same, waiting as long as the server requests where its limit of requests per
 * second is reached: for those that send many. */
int client_http_get_paced(struct client_http *http, const char *path, struct span *ret,
                          struct err *err);
/* A GET with a body of JSON, as cc-metric-store's /api/query takes it. */
int client_http_get_with(struct client_http *http, const char *path, struct span body,
                         struct span *ret, struct err *err);

/* What the server cannot accept now (503, 429) is sent again after the time it requests
 * for, 30 times at most: only what may arrive twice. */
int client_http_post(struct client_http *http, const char *path,
                     const char *content_type, struct span body, struct span *ret,
                     struct err *err);

/* Whether the last response said that there is more than its limit (Baro-More). */
bool client_http_has_more(const struct client_http *http);

/* ---- one request on a connection of its own ---- */

/* Append the body of the response to *ret. */
int client_http_fetch(const struct client_endpoint *endpoint, const char *path,
                      struct strbuf *ret, struct err *err);
/* Read the response's JSON into ret, an initialised, empty table.
 * Errors: as client_http_get_typed(), -EBADMSG (no table). */
int client_http_fetch_table(const struct client_endpoint *endpoint,
                            const struct net_url *url, struct table *ret,
                            struct err *err);

#endif
