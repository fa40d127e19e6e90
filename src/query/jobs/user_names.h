/* SPDX-License-Identifier: Apache-2.0 */
/* user_names - numbers for the names of a query, and names for the numbers of a result.
 *
 *     user=alice ─▶ 1001 ─▶ series of 1001 ─▶ user 1001, user_name alice
 *
 * Names are those that the database stores (doc/decisions/0470): nothing is looked up
 * in a directory.
 */
#ifndef QUERY_JOBS_USER_NAMES_H
#define QUERY_JOBS_USER_NAMES_H

#include "base/table/table.h"
#include "query/hours/hours.h"

/* Where the selection's user or group is not a number: every number that bore that name
 * within the window (all time where it has none), into users and groups of its filter.
 * Notes what else such a number was called, and that a name was never seen.
 * Errors: -EINVAL (names are not known here: no database), -ENOMEM, as
 * records_find_id_names. */
int user_names_resolve(const struct history *history, struct selection *sel,
                       struct table *ret, struct err *err);

/* A column user_name behind each user of table, group_name behind each group: null
 * where the name is not known.  A row's name is that of its time "to", else of t_ms.
 * A database that is away, or of before there were names, costs the names only. */
void user_names_add(const struct history *history, int64_t t_ms, struct table *table);

#endif
