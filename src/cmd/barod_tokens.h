/* SPDX-License-Identifier: Apache-2.0 */
/* barod_tokens - barod logs each day which tokens end soon.
 *
 * Threads  the loop's.
 */
#ifndef CMD_BAROD_TOKENS_H
#define CMD_BAROD_TOKENS_H

#include "net/net.h"

#include <uv.h>

void barod_tokens_start(struct net_server *server, uv_loop_t *loop);
/* Before the server ends, and the loop's last turn. */
void barod_tokens_stop(void);

#endif
