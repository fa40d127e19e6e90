/* SPDX-License-Identifier: Apache-2.0 */
/* line_repeats - lines of one text that differ only in tags that are not looked at.
 *
 * They name one series, and where they have one time as well the last of them is what
 * is stored: the others are counted.  Only lines that have such tags are noted, in a
 * table whose hash has a seed of this process: no sender can choose times that meet.
 *
 * Threads  none inside.
 */
#ifndef INGEST_LINE_REPEATS_H
#define INGEST_LINE_REPEATS_H

#include "ingest/lookup_cache.h"

struct line_repeats {
    struct line_repeat *items;
    size_t count, capacity; /* a power of two, or 0 */
    uint64_t probes;        /* slots looked at so far */
};

void line_repeats_done(struct line_repeats *repeats);
/* Note the sample of a line; true: another line had this series and time before.
 * Without memory nothing is noted. */
bool line_repeats_add(struct line_repeats *repeats, const struct level_series *series,
                      int64_t t_ns, struct lookup_key line);
size_t line_repeats_bytes(const struct line_repeats *repeats);

#endif
