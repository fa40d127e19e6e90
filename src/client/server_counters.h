/* SPDX-License-Identifier: Apache-2.0 */
/* server_counters - the daemon's own counters, as a table.
 *
 *     # HELP baro_net_requests_total Requests received.
 *     # TYPE baro_net_requests_total counter               metric  value  meaning
 *     baro_net_requests_total 17                      ─▶
 */
#ifndef CLIENT_SERVER_COUNTERS_H
#define CLIENT_SERVER_COUNTERS_H

#include "base/table/table.h"
#include "client/endpoint.h"

/* text: the page /metrics in Prometheus' text form.  *ret, an initialised, empty table,
 * gets a row for each line with a number; other lines are skipped.
 * Errors: -ENOMEM. */
int server_counters_read(struct span text, struct table *ret);

/* Is there a counter of barod in the page?  Others have a /metrics as well. */
bool server_counters_are_of_barod(struct span text);

/* The same of a server.
 * Errors: those of a request (client/http.h), -EBADMSG (the response is not of barod;
 * the line has how its page begins), -ENOMEM. */
int server_counters_fetch(const struct client_endpoint *endpoint, struct table *ret,
                          struct err *err);

#endif
