/* SPDX-License-Identifier: Apache-2.0 */
/* listed_parts - the parts that a target listed, and those that it does not any more.
 *
 *     reading 1   fan:1 fan:2
 *     reading 2   fan:1            of a table that was read whole
 *     reading 3   fan:1            ─▶ fan:2 is gone, from now on
 *
 * A table that was not read whole is no reason: what is missing may be in the rest.  A
 * part that is listed again is not gone any more.
 *
 * Bounds   LISTED_PARTS_MAX; those that are gone make room first, and what is not
 *          remembered is counted.
 * Threads  none inside.
 */
#ifndef BMC_LISTED_PARTS_H
#define BMC_LISTED_PARTS_H

#include "base/hashmap.h"
#include "bmc/report.h"

#define LISTED_PARTS_MAX ((size_t)1000)

/* All 0: nothing was listed. */
struct listed_parts {
    struct hashmap by_name; /* "TYPE <newline> ID" */
    uint64_t lost;          /* parts of the last reading that are not remembered */
};

typedef void listed_parts_fn(void *arg, const char *type, const char *id);

void listed_parts_done(struct listed_parts *listed);
DEFINE_AUTO_DONE(struct listed_parts, listed_parts_done);

/* A reading: fn has each part that is gone. */
void listed_parts_read(struct listed_parts *listed, const struct bmc_report *report,
                       listed_parts_fn *fn, void *arg);

#endif
