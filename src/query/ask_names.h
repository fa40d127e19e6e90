/* SPDX-License-Identifier: Apache-2.0 */
/* ask_names - a name that nobody has, told from somebody who does nothing.
 *
 *     user=alcie, nothing found ─▶ "there is no series of user 'alcie'; there are 1000"
 *
 * Only what the index of series holds is looked up (user, job, target), one series
 * each; the names shown are of the first few series.
 */
#ifndef QUERY_ASK_NAMES_H
#define QUERY_ASK_NAMES_H

#include "base/table.h"
#include "query/history.h"

/* A note for each name of the filter that no series has.  What the database cannot say
 * costs the note only. */
void ask_note_names(const struct history *history, const struct selection *sel,
                    struct table *ret);

#endif
