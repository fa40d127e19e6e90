/* SPDX-License-Identifier: Apache-2.0 */
/* column_name - what the name of a column shows of its values.
 *
 * A name is words: "JobIDRaw" is job, id, raw; "write_bw (MiB/s)" is write, bw, mib, s.
 */
#ifndef ANALYSIS_TABLE_COLUMN_NAME_H
#define ANALYSIS_TABLE_COLUMN_NAME_H

#include "base/strbuf.h"

#include <stdbool.h>

enum column_topic {
    COLUMN_TIME,
    COLUMN_SPEED,
    COLUMN_LENGTH, /* of time */
    COLUMN_CLASS,
    COLUMN_SIZE, /* of a run */
    COLUMN_METRIC,
};

/* The higher the surer; 0: none of the words. */
int column_name_score(struct span name, enum column_topic topic);
/* Whether it is a part of the name, whatever its case. */
bool column_name_has(struct span name, const char *part);
/* "job_id", "JobIDRaw", "run": not "runtime", "job nodes" or "grid". */
bool column_name_is_id(struct span name);

enum column_direction { COLUMN_NEITHER, COLUMN_READ, COLUMN_WRITE };

/* Of a name, or of what is in a field.  Appends the rest of it to rest, where that is
 * not NULL: names that differ in nothing else have the same. */
enum column_direction column_direction_of(struct span text, struct strbuf *rest);

#endif
