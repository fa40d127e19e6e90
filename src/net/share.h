/* SPDX-License-Identifier: Apache-2.0 */
/* share - what one sender may hold of the memory of requests, responses and queries.
 *
 * net_request_hold() and net_request_name() of net/server.h are here, too.
 */
#ifndef NET_SHARE_H
#define NET_SHARE_H

#include "net/server_private.h"

/* The status of a refusal for lack of memory, and its text for the client. */
struct share_refusal {
    unsigned status;
    bool is_limited; /* the sender is to try again later */
    const char *detail;
};

/* rc: -EMSGSIZE (more than one may have), -EDQUOT (the sender has its share; reported
 * to net_server_on_limited()), anything else (all of it is used). */
struct share_refusal share_refuse(struct net_request *request, const char *account,
                                  int rc);
/* Why the request's own hold had no memory, where rc is about that: -EMSGSIZE or
 * -EDQUOT.  0: rc is about something else. */
int share_refused(const struct net_request *request, int rc);
/* A response that had begun was cut off: rc says why there was no memory for it. */
void share_report_cut(const struct net_request *request, int rc);
/* The sender is to slow down: to net_server_on_limited(). */
void share_report_limited(struct net_request *request, const char *reason,
                          const char *key);

#endif
