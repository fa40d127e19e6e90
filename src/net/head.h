/* SPDX-License-Identifier: Apache-2.0 */
/* head - what the head of a request states: path, query, headers, length of the body.
 */
#ifndef NET_HEAD_H
#define NET_HEAD_H

#include "net/server_private.h"

/* Percent-decode path, variables and query into the request's arena.
 * Errors: -EINVAL, -EMSGSIZE, -ENOMEM. */
int head_decode(struct net_request *request);
/* Content-Length, or UINT64_MAX where the end is not known; 0: no body. */
uint64_t head_body_length(const struct net_request *request);
/* Is it one that the route wants?  Parameters (";charset=") do not count. */
bool head_has_content_type(const struct net_request *request);
/* For libmicrohttpd: paths and queries are matched as sent. */
/* The value of a header that must be there once: how often it is there, and its value
 * where that is once. */
size_t head_count_header(const struct net_request *request, const char *name,
                         struct span *ret);
size_t head_unescape_nothing(void *arg, struct MHD_Connection *connection, char *text);

#endif
