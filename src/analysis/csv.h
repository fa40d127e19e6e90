/* SPDX-License-Identifier: Apache-2.0 */
/* csv - rows of fields out of a file, plain or gzip, streamed (RFC 4180).
 *
 * Fields may be quoted, and hold separators, doubled quotes and line ends then.  Memory
 * is that of the longest row.
 */
#ifndef ANALYSIS_CSV_H
#define ANALYSIS_CSV_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

#define CSV_ROW_BYTES_MAX ((size_t)1 << 20)
#define CSV_FIELDS_MAX 4096

struct csv;

/* Errors: what open says, -ENOMEM. */
int csv_open(const char *path, struct csv **ret, struct err *err);
void csv_close(struct csv *csv);
DEFINE_AUTO(struct csv, csv_close);

/* The next row; *ret is valid until the next call.  Returns 1, 0 at the end.
 * Errors: -EBADMSG (a file that is cut or damaged, a row that is too long), -EIO. */
int csv_next(struct csv *csv, const struct span **ret, size_t *ret_count,
             struct err *err);
uint64_t csv_line(const struct csv *csv); /* at which the row began, from 1 */

#endif
