/* SPDX-License-Identifier: Apache-2.0 */
/* zone - how far ahead of UTC the clocks of a place are, with its summer times.
 *
 * "UTC", "-8h", "+90m", "+01:00", or a name of the system's zone database
 * ("Europe/Berlin"), whose files (TZif, RFC 8536) are read here, so that no zone of the
 * process is changed.
 */
#ifndef BASE_ZONE_H
#define BASE_ZONE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/timetext.h"

#include <stdint.h>

struct zone {
    int64_t first_ns; /* ahead of UTC, before the first change */
    struct zone_change {
        int64_t t_ns;
        int64_t offset_ns; /* from then on */
    } * changes;
    size_t change_count;
};

/* Errors: -EINVAL (no such zone, or its file is none). */
int zone_load(const char *name, struct zone *ret, struct err *err);
/* The same of the bytes of a TZif file. */
int zone_parse(struct span bytes, struct zone *ret);
void zone_done(struct zone *zone);
DEFINE_AUTO_DONE(struct zone, zone_done);

int64_t zone_offset_ns(const struct zone *zone, int64_t t_ns);
/* When the clocks showed local_ns (as if it were UTC).  In the hour that comes twice in
 * autumn it is the first time; one that spring leaves out is as if the change had not
 * been yet. */
int64_t zone_utc_ns(const struct zone *zone, int64_t local_ns);
/* Of the hour that comes twice the second time; else as zone_utc_ns(). */
int64_t zone_utc_second_ns(const struct zone *zone, int64_t local_ns);

/* "2026-11-21 07:00:00": what the clocks of the place show, with as few decimals as
 * hold it. */
size_t zone_print(char out[static TIMETEXT_SIZE], const struct zone *zone,
                  int64_t t_ns);

#endif
