/* SPDX-License-Identifier: Apache-2.0 */
/* write_response - what a sender of metrics hears, in its own server's words. */
#ifndef INGEST_WRITE_RESPONSE_H
#define INGEST_WRITE_RESPONSE_H

#include "ingest/line_receiver.h"
#include "net/net.h"

enum write_dialect {
    WRITE_CLUSTERCOCKPIT,
    WRITE_INFLUX_1,
    WRITE_INFLUX_2,
    WRITE_DIALECT_COUNT,
};

/* Everything was taken that could be; what was refused is counted by reason, and makes
 * it 400, or 503 with Retry-After (retry_after_s) where some of it may be taken later.
 */
void write_response(struct net_request *request, enum write_dialect dialect,
                    const struct line_result *result, unsigned retry_after_s);
/* It has to be sent again. */
void write_response_failed(struct net_request *request, enum write_dialect dialect,
                           int rc, const struct err *err);

#endif
