/* SPDX-License-Identifier: Apache-2.0 */
/* resource_check - which of these hosts must not be used, and why: requested, printed.
 */
#ifndef CLIENT_RESOURCE_CHECK_H
#define CLIENT_RESOURCE_CHECK_H

#include "base/table/table.h"
#include "client/endpoint.h"

#include <stdio.h>

/* hosts NULL: this one, by the first label of its name; cluster NULL: of any.
 * Errors: those of client_http_fetch_table(), -EBADMSG. */
int resource_check_fetch(const struct client_endpoint *endpoint, const char *hosts,
                         const char *cluster, struct table *ret, struct err *err);
/* A line a host; notes go to notes. */
void resource_check_print(const struct table *table, FILE *out, FILE *notes);

#endif
