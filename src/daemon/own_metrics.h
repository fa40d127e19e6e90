/* SPDX-License-Identifier: Apache-2.0 */
/* own_metrics - the daemon's own metrics as samples of its store.
 *
 * Threads  the loop's.
 */
#ifndef DAEMON_OWN_METRICS_H
#define DAEMON_OWN_METRICS_H

#include "daemon/parts.h"

#include <uv.h>

struct own_metrics;

/* Every store.own_metrics of opts.  Without a store, or where the interval is 0, *ret
 * stays untouched.  Errors: -EINVAL (an interval below 1 s), -ENOMEM. */
int own_metrics_start(struct daemon_parts *parts, const struct daemon_opts *opts,
                      uv_loop_t *loop, struct own_metrics **ret, struct err *err);
/* Before the loop's last turn.  NULL is fine. */
void own_metrics_stop(struct own_metrics *own);

#endif
