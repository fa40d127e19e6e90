/* SPDX-License-Identifier: Apache-2.0 */
/* own_line - one line of the metrics page, read again. */
#ifndef DAEMON_OWN_LINE_H
#define DAEMON_OWN_LINE_H

#include "base/span_type.h"
#include "store/store.h"

struct own_line {
    struct span name;
    struct span label, label_value; /* of one label; empty: none */
    double value;
};

/* name{label="value"} number; at most one label is read.  A "# TYPE" line sets *kind,
 * which holds for the lines that follow.  False: the line has no value. */
bool own_line_parse(struct span line, enum metric_kind *kind, struct own_line *ret);

#endif
