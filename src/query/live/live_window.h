/* SPDX-License-Identifier: Apache-2.0 */
/* live_window - the time of which memory holds everything: shorter where memory is
 * short; private to live.
 *
 * Threads  any.
 */
#ifndef QUERY_LIVE_LIVE_WINDOW_H
#define QUERY_LIVE_LIVE_WINDOW_H

#include "query/live/live_private.h"

/* What is older than this may be dropped. */
int64_t live_horizon_ms(const struct live *live);
/* Everything after this time is in memory; T_NONE: nothing is. */
int64_t live_complete_from_ms(struct live *live);
/* The same for readers: T_NONE also until the database was read. */
int64_t live_shown_from_ms(struct live *live);
/* A row of this time came. */
void live_note_latest(struct live *live, int64_t t_ms);

/* Memory is out: an eighth less, but never below five minutes. */
void live_window_shorten(struct live *live);
/* There is memory again: an eighth more, which fills from now on. */
void live_window_lengthen(struct live *live);

#endif
