/* SPDX-License-Identifier: Apache-2.0 */
/* server_export - samples through a barod, as text: the list of series, then a query
 * for each.
 *
 * A range that has more than a response may hold is queried in halves, the earlier
 * first.
 */
#ifndef MIGRATE_SERVER_EXPORT_H
#define MIGRATE_SERVER_EXPORT_H

#include "migrate/directory_export.h"
#include "migrate/http_peer.h"

/* A window without an end ends a second after now_ns.
 * Errors: what the peer and the text's write() return, -EBADMSG, -ENOMEM. */
int server_export(const struct http_peer *barod,
                  const struct export_selection *selection, int64_t now_ns,
                  struct sample_text *text, struct err *err);

#endif
