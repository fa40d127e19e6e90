/* SPDX-License-Identifier: Apache-2.0 */
/* format - an expression as text, as /api/v1/format_query prints it.
 *
 * What fits into FORMAT_COLUMNS is one line; what is longer is broken at its operands,
 * two blanks a level.  Parsing the text gives the same tree again.
 */
#ifndef PROMQL_FORMAT_H
#define PROMQL_FORMAT_H

#include "base/strbuf.h"
#include "promql/syntax/expr.h"

#define FORMAT_COLUMNS 100

/* In one line, whatever its length. */
void format_add_line(struct strbuf *out, const struct expr *e);
void format_add(struct strbuf *out, const struct expr *e);

#endif
