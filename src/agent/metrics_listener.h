/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_listener - GET /metrics of an agent, for a Prometheus on this machine.
 *
 *     127.0.0.1:9191, [::1]:9191, unix:/run/barograph/agent.sock
 *
 * One request a connection, on the agent's loop; nothing of a request is used but its
 * method and its path.
 * Limits   METRICS_PEERS_MAX connections, a head of 4 KiB, 5 s each.
 * Threads  the loop's.
 */
#ifndef AGENT_METRICS_LISTENER_H
#define AGENT_METRICS_LISTENER_H

#include "base/err.h"
#include "base/strbuf.h"

#include <uv.h>

#define METRICS_PEERS_MAX 8

typedef void metrics_print_fn(void *arg, struct strbuf *out);

struct metrics_listener;

/* Listen; it stays as long as the loop.  address "": *ret stays NULL.
 * Errors: -EINVAL (an address that is none, or no loopback), those of bind and listen.
 */
int metrics_listener_start(const char *address, uv_loop_t *loop,
                           metrics_print_fn *print, void *arg,
                           struct metrics_listener **ret, struct err *err);
/* What of an address would be refused.  Errors: -EINVAL. */
int metrics_listener_check(const char *address, struct err *err);

#endif
