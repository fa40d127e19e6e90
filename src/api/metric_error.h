/* SPDX-License-Identifier: Apache-2.0 */
/* metric_error - errors below /api/, in the form of cc-metric-store. */
#ifndef API_METRIC_ERROR_H
#define API_METRIC_ERROR_H

#include "net/net.h"

/* {"status":"Bad Request","error":...}: 503 where a second try may succeed (-ENOMEM,
 * -EAGAIN, -ESHUTDOWN), 504 after -ETIMEDOUT, else 400.  err without a text: that of
 * errno. */
void metric_reply_error(struct net_request *request, int rc, const struct err *err);

#endif
