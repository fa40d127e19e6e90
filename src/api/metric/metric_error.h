/* SPDX-License-Identifier: Apache-2.0 */
/* metric_error - errors below /api/, in the form of cc-metric-store. */
#ifndef API_METRIC_ERROR_H
#define API_METRIC_ERROR_H

#include "net/net.h"

/* 503 and 504 where err_http_status() has them, else 400. */
unsigned metric_error_status(int rc);
/* {"status":"Bad Request","error":...}.  err without a text: that of errno. */
void metric_reply_error(struct net_request *request, int rc, const struct err *err);

#endif
