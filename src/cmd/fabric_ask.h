/* SPDX-License-Identifier: Apache-2.0 */
/* fabric_ask - what others on a file system's fabric did: from the shelf, by the site's
 * file.
 */
#ifndef CMD_FABRIC_ASK_H
#define CMD_FABRIC_ASK_H

#include "analysis/job/job.h"
#include "client/series/series.h"

/* Of the file systems that share a fabric with this one and have series.  to_s is the
 * end of the work; the window ends a step of the series later.  The shelf is shared
 * among file systems; what it gave before is not valid any more.
 * Errors: as fabric_read(); *ret is then untouched. */
int fabric_ask(struct series_set *shelf, const struct site_file *site,
               const struct site_filesystem *of, int64_t from_s, int64_t to_s,
               struct fabric *ret, struct err *err);
/* What this one did itself, in [from_s, to_s). */
int fabric_ask_own(struct series_set *shelf, const struct site_filesystem *of,
                   int64_t from_s, int64_t to_s, struct fabric *ret, struct err *err);

#endif
