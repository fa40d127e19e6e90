/* SPDX-License-Identifier: Apache-2.0 */
/* status - /v1/status: what the daemon stores and counted; private to api. */
#ifndef API_STATUS_H
#define API_STATUS_H

#include "api/api_private.h"

/* ctx without a history: the database is away.  Reads the database, on a worker. */
void status_write(struct api *api, const struct query_ctx *ctx, struct strbuf *out);

#endif
