/* SPDX-License-Identifier: Apache-2.0 */
/* html_map - rows over time as a figure of an HTML page, with what its colours mean. */
#ifndef REPORT_JOB_HTML_MAP_H
#define REPORT_JOB_HTML_MAP_H

#include "base/strbuf.h"
#include "draw/draw.h"

/* unit: of the values; "": none.  True: it was drawn; without a number there is nothing
 * to draw.  What failed is in out->error. */
bool html_map_print(const struct row_map *map, const char *unit, struct strbuf *out);

#endif
