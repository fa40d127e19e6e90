/* SPDX-License-Identifier: Apache-2.0 */
/* store_status - what barod says of its metric store, as a table. */
#ifndef CLIENT_STORE_STATUS_H
#define CLIENT_STORE_STATUS_H

#include "base/table/table.h"

/* json: the response of /v1/status.  *ret, an initialised, empty table, gets a row for
 * each number of the member "store", and a note for each text.
 * Errors: -EBADMSG (no JSON), -ENOENT (this barod has no metric store), -ENOMEM. */
int store_status_read(struct span json, struct table *ret, struct err *err);

#endif
