/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_names - a name that no series has, as a note: not to be taken for idleness.
 *
 *     user=alcie, nothing found ─▶ "there is no series of user 'alcie'; there are 1000"
 *
 * Only what the index of series holds is looked up (user, job, target), one series
 * each; the names shown are of the first few series.  Others (fs, server, group, node,
 * executable) are named together: the caller has found no series that fits all of them.
 */
#ifndef QUERY_JOBS_UNKNOWN_NAMES_H
#define QUERY_JOBS_UNKNOWN_NAMES_H

#include "base/table/table.h"
#include "query/hours/hours.h"

/* A note for each name of the filter that no series has.  What the database cannot say
 * costs the note only. */
void unknown_names_note(const struct history *history, const struct selection *sel,
                        struct table *ret);

#endif
