/* SPDX-License-Identifier: Apache-2.0 */
/* accept - the thread that accepts connections and sweeps out the slow ones. */
#ifndef NET_ACCEPT_H
#define NET_ACCEPT_H

#include "net/server_private.h"

/* Errors: -EMFILE, -EAGAIN (no thread). */
int accept_start(struct net_server *server, struct err *err);
void accept_stop(struct net_server *server);
/* For libmicrohttpd: a connection begins or ends. */
void accept_notify(void *arg, struct MHD_Connection *connection, void **socket_context,
                   enum MHD_ConnectionNotificationCode code);

#endif
