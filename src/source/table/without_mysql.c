/* SPDX-License-Identifier: Apache-2.0 */
/* without_mysql - what a build without libmariadb reports. */
#include "source/table/table_query.h"

int table_query_mysql(const char *defaults, const char *query, int64_t timeout_ns,
                      const struct table_query_events *events, struct err *err)
{
    (void)query;
    (void)timeout_ns;
    (void)events;
    return err_set(err, ENOSYS, "%s: this program was built without libmariadb",
                   defaults);
}
