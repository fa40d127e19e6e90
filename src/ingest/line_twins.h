/* SPDX-License-Identifier: Apache-2.0 */
/* line_twins - lines of one text that differ only in tags that are not looked at.
 *
 * They name one series, and where they have one time as well the last of them is what
 * is stored: the others are counted.  Only lines that have such tags are noted, in a
 * table whose hash has a seed of this process: no sender can choose times that meet.
 *
 * Threads  none inside.
 */
#ifndef INGEST_LINE_TWINS_H
#define INGEST_LINE_TWINS_H

#include "ingest/series_memo.h"

struct line_twins {
    struct line_twin *items;
    size_t count, capacity; /* a power of two, or 0 */
    uint64_t probes;        /* slots looked at so far */
};

void line_twins_done(struct line_twins *twins);
/* Note the sample of a line; true: another line had this series and time before.
 * Without memory nothing is noted. */
bool line_twins_add(struct line_twins *twins, const struct level_series *series,
                    int64_t t_ns, struct memo_key line);
size_t line_twins_bytes(const struct line_twins *twins);

#endif
