/* SPDX-License-Identifier: Apache-2.0 */
/* sender_routes - GET /v1/store/senders: who has created how many series and metrics.
 *
 * For administrators: the names of senders are hosts, token ids, uids and addresses.
 */
#ifndef INGEST_SENDER_ROUTES_H
#define INGEST_SENDER_ROUTES_H

#include "ingest/sender_quota.h"
#include "net/net.h"

/* quota outlives the server.  Errors: -ENOMEM. */
int sender_routes_register(struct sender_quota *quota, struct net_server *server);

#endif
