/* SPDX-License-Identifier: Apache-2.0 */
/* database_error - what is reported to a sender of an error that only barod's side can
 * mend.
 */
#ifndef DAEMON_DATABASE_ERROR_H
#define DAEMON_DATABASE_ERROR_H

#include "base/err.h"

/* -EACCES (the database does not let barod write), -EBADMSG (a newer program has
 * changed it) and -EUCLEAN (it is damaged) become -EAGAIN, with a text without details
 * of the database: the sender did nothing wrong and sends again later.  Any other rc
 * stays. */
int database_error(int rc, struct err *err);

#endif
