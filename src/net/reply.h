/* SPDX-License-Identifier: Apache-2.0 */
/* reply - the responses to requests; net_reply*() of net/server.h are here, too. */
#ifndef NET_REPLY_H
#define NET_REPLY_H

#include "net/server_private.h"

/* Charge a body over RESPONSE_FREE_BYTES, cut to its size, until the request has ended.
 * Errors: those of budget_hold_set(). */
int reply_charge(struct net_request *request, struct strbuf *body);
/* There was no memory for the response: rc says why. */
void reply_refuse(struct net_request *request, int rc);
/* Of known length; body's memory is taken over.  NULL: memory is out. */
struct MHD_Response *reply_whole(struct net_request *request, struct strbuf *body);
/* The response is complete, or begins. */
void reply_hand_over(struct net_request *request, struct MHD_Response *response,
                     unsigned status, const char *content_type);

#endif
