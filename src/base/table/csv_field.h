/* SPDX-License-Identifier: Apache-2.0 */
/* csv_field - one field of a row of CSV, as RFC 4180 quotes it. */
#ifndef BASE_TABLE_CSV_FIELD_H
#define BASE_TABLE_CSV_FIELD_H

#include "base/strbuf.h"

/* Append a field, in quotes where it holds a comma, a quote or a line end, and where it
 * is empty: nothing between two commas is a missing value. */
void csv_field_add(struct strbuf *out, struct span field);

/* Cut the first field and what ends it (a comma, a line end) off *rest, and write it
 * into out, without its quotes.  Memory that is missing is remembered by out. */
void csv_field_cut(struct span *rest, struct strbuf *out);

#endif
