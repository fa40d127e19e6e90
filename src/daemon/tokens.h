/* SPDX-License-Identifier: Apache-2.0 */
/* tokens - barod logs each day which tokens end soon.
 *
 * Threads  the loop's.
 */
#ifndef DAEMON_TOKENS_H
#define DAEMON_TOKENS_H

#include "net/net.h"

#include <uv.h>

void daemon_tokens_start(struct net_server *server, uv_loop_t *loop);
/* Before the server ends, and the loop's last turn. */
void daemon_tokens_stop(void);

#endif
