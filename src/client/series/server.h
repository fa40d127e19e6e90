/* SPDX-License-Identifier: Apache-2.0 */
/* server - a running barod as a series of what servers measured.
 *
 *     barod                            where BARO_SERVER says, or the usual socket
 *     unix:/run/barograph/barod.sock   or an address: http://..., https://...
 */
#ifndef CLIENT_SERIES_SERVER_H
#define CLIENT_SERIES_SERVER_H

#include "client/series/opts.h"
#include "source/lmt/lmt.h"

/* Whether a series of this name is a barod's. */
bool series_server_is(const char *name);

/* What a person should know of the answers is said on standard error, once.
 * Errors: as lmt_barod_open(), and those of client/http.h. */
int series_server_open(const char *name, const struct series_opts *way,
                       const struct lmt_opts *opts, struct lmt_series **ret,
                       struct err *err);

#endif
