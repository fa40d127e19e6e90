/* SPDX-License-Identifier: Apache-2.0 */
/* remote - remote write of Prometheus into the store: configured, counted. */
#ifndef DAEMON_REMOTE_H
#define DAEMON_REMOTE_H

#include "daemon/parts.h"

/* After the routes of lines, whose lookup cache it shares.  Errors: -EINVAL (the
 * section), -ENOMEM. */
int daemon_remote_new(struct daemon_parts *parts, bool has_tokens, struct err *err);
/* As Prometheus reads it. */
void daemon_remote_print(struct remote_routes *routes, struct strbuf *out);

#endif
