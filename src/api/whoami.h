/* SPDX-License-Identifier: Apache-2.0 */
/* whoami - GET /v1/whoami: what the server believes of who asks. */
#ifndef API_WHOAMI_H
#define API_WHOAMI_H

#include "net/net.h"

/* Before net_server_start.  Errors: -ENOMEM. */
int whoami_register(struct net_server *server);

#endif
