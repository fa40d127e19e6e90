/* SPDX-License-Identifier: Apache-2.0 */
/* database_error - what is reported to a sender of an error that only barod's side can
 * mend.
 */
#include "daemon/database_error.h"

#include <errno.h>

int database_error(int rc, struct err *err)
{
    if (rc == -EACCES)
        return err_set(err, EAGAIN, "the database does not let barod write");
    if (rc == -EBADMSG)
        return err_set(err, EAGAIN, "the database is newer than this barod");
    if (rc == -EUCLEAN)
        return err_set(err, EAGAIN, "the database is damaged: see barod's log");
    return rc;
}
