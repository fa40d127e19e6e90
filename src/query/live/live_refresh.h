/* SPDX-License-Identifier: Apache-2.0 */
/* live_refresh - marked series, read from the database again; private to live.
 *
 * Threads  any; the database is read without a lock.
 */
#ifndef QUERY_LIVE_LIVE_REFRESH_H
#define QUERY_LIVE_LIVE_REFRESH_H

#include "query/live/live_private.h"

/* Those that sel selects.  A series of which a row comes meanwhile stays marked; that
 * is tried some times.  Errors: what history returns, -ENOMEM. */
int live_refresh(struct live *live, const struct history *history,
                 const struct selection *sel, struct err *err);

#endif
