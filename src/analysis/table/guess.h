/* SPDX-License-Identifier: Apache-2.0 */
/* guess - a mapping for an undescribed table, out of its names and first
 * rows: a file for a person to read and correct.
 */
#ifndef ANALYSIS_GUESS_H
#define ANALYSIS_GUESS_H

#include "base/err.h"
#include "base/strbuf.h"

/* Appends the mapping with its reasons as comments; what it reads as, mapping_load()
 * takes.  Errors: as preview_read(); -ENODATA (no row, no column that could be a time,
 * or none that could be a performance: then out has the columns, as comments). */
int guess_mapping(const char *path, struct strbuf *out, struct err *err);

#endif
