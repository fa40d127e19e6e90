/* SPDX-License-Identifier: Apache-2.0 */
/* message - what PostgreSQL reports of a failure, as an error number and one line. */
#ifndef RECORDS_POSTGRES_MESSAGE_H
#define RECORDS_POSTGRES_MESSAGE_H

#include "base/err.h"

/* The errno (positive) of a SQLSTATE, by its class where the whole code is not listed;
 * EIO: it is neither.  Both may be NULL. */
int pg_state_errnum(const char *state, const char *message);
/* err gets the first line of libpq's message, without secrets.  Returns -errnum. */
int pg_message_error(struct err *err, int errnum, const char *message);

#endif
