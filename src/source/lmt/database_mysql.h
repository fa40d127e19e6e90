/* SPDX-License-Identifier: Apache-2.0 */
/* database_mysql - series out of an LMT database in MySQL or MariaDB; for this room
 * alone. */
#ifndef SOURCE_LMT_DATABASE_MYSQL_H
#define SOURCE_LMT_DATABASE_MYSQL_H

#include "source/lmt/series_format.h"

#define LMT_MYSQL_PREFIX "mysql:"

/* defaults is an option file, whose [client] tells socket or host, user, password and
 * database.  Errors: what access says, -EBADMSG with the server's words, -ENOSYS (not
 * built in), as lmt_database_open(). */
int lmt_mysql_open(const char *defaults, const struct lmt_opts *opts, void **ret_state,
                   const struct lmt_format **ret_format, struct err *err);

#endif
