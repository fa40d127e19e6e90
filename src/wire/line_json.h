/* SPDX-License-Identifier: Apache-2.0 */
/* line_json - a text of line protocol as JSON, one point or one error a line.
 *
 *     {"line":1,"name":"cpu_load","tags":{...},"fields":{"value":0.5},"t_ns":...}
 *     {"line":2,"column":9,"error":"a field has no value"}
 *
 * Memory   the longest line, and what one piece adds to out.
 * Threads  none inside.
 */
#ifndef WIRE_LINE_JSON_H
#define WIRE_LINE_JSON_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

struct line_json;

struct line_json_counts {
    uint64_t points, fields, bad_lines;
};

/* "ns", "us", "ms", "s" or "auto": what times count.  Errors: -EINVAL, with these. */
int line_json_unit_parse(const char *name, int64_t *ret_ns, struct err *err);

/* unit_ns: of line_json_unit_parse().  Errors: -ENOMEM. */
int line_json_new(int64_t unit_ns, struct line_json **ret);
void line_json_free(struct line_json *lines);
DEFINE_AUTO(struct line_json, line_json_free);

/* Parse one more piece of the text, cut anywhere; an empty one ends it.  Appends to
 * out, unless it is NULL: then lines are counted alone.  Errors: -ENOMEM. */
int line_json_feed(struct line_json *lines, struct span piece, struct strbuf *out);

const struct line_json_counts *line_json_counts(const struct line_json *lines);

#endif
