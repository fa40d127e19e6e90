/* SPDX-License-Identifier: Apache-2.0 */
/* fabric_series - what others on a file system's fabric did, out of a set of series. */
#ifndef CLIENT_SERIES_FABRIC_SERIES_H
#define CLIENT_SERIES_FABRIC_SERIES_H

#include "analysis/job/job.h"
#include "client/series/set.h"

/* Of the file systems that share a fabric with this one and have series.  to_s is the
 * end of the work; the window ends a step of the series later.  What the set gave
 * before is not valid any more.
 * Errors: as fabric_read(); *ret is then untouched. */
int fabric_series_read(struct series_set *set, const struct site_file *site,
                       const struct site_filesystem *of, int64_t from_s, int64_t to_s,
                       struct fabric *ret, struct err *err);
/* What this one did itself, in [from_s, to_s). */
int fabric_series_read_own(struct series_set *set, const struct site_filesystem *of,
                           int64_t from_s, int64_t to_s, struct fabric *ret,
                           struct err *err);

#endif
