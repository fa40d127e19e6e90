/* SPDX-License-Identifier: Apache-2.0 */
/* barod_waiting - a barod without its database yet: it listens, and says not now. */
#ifndef CMD_BAROD_WAITING_H
#define CMD_BAROD_WAITING_H

#include "net/net.h"

/* Listen where barod will, and answer every request with 503 and Retry-After, so that
 * senders and watchers hear the reason instead of a closed port.  Free it before the
 * real server starts.  Errors: what net_server_new and net_server_start say. */
int barod_waiting_start(const struct net_opts *opts, struct net_server **ret,
                        struct err *err);

#endif
