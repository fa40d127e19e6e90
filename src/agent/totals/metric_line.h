/* SPDX-License-Identifier: Apache-2.0 */
/* metric_line - one value as a line of line protocol, as barod names it.
 *
 *     lustre_write_bytes,cluster=lustre,hostname=oss01,type=ost,type-id=s-OST0001
 *     value=7 1669010520000000000                          (one line)
 */
#ifndef AGENT_TOTALS_METRIC_LINE_H
#define AGENT_TOTALS_METRIC_LINE_H

#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>

/* What all lines of one time share. */
struct metric_line {
    const char *cluster, *host;
    struct strbuf *out;
    int64_t t_ns;
};

/* Of what the metric is: all empty, the host itself. */
struct metric_of {
    struct span target;
    struct span type; /* "ost", "mdt"; "hwthread" */
    /* Of whom: a reader of the target's changelog ("changelog", its name), a user of
     * it ("user", a number).  part empty: of the target itself. */
    struct span part_type;
    struct span part;
};

/* Is it one that a line can hold?  What the server prints is not trusted: a name with
 * blanks or control bytes is none. */
bool metric_line_is_name(struct span name);
/* metric: up to three pieces of a name.  A failure of the memory is out's. */
void metric_line_add(const struct metric_line *line, const char *const metric[3],
                     const struct metric_of *of, double value);

#endif
