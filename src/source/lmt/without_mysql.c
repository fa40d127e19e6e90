/* SPDX-License-Identifier: Apache-2.0 */
/* without_mysql - what a build without libmariadb says. */
#include "source/lmt/database_mysql.h"

int lmt_mysql_open(const char *defaults, const struct lmt_opts *opts, void **ret_state,
                   const struct lmt_format **ret_format, struct err *err)
{
    (void)opts;
    (void)ret_state;
    (void)ret_format;
    return err_set(err, ENOSYS, "%s: this program was built without libmariadb",
                   defaults);
}
