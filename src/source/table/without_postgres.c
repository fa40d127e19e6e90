/* SPDX-License-Identifier: Apache-2.0 */
/* without_postgres - what a build without libpq says. */
#include "source/table/table_query.h"

int table_query_postgres(const char *conninfo, const char *query,
                         const struct table_query_events *events, struct err *err)
{
    (void)conninfo;
    (void)query;
    (void)events;
    return err_set(err, ENOSYS, "PostgreSQL: this program was built without libpq");
}
