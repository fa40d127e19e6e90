/* SPDX-License-Identifier: Apache-2.0 */
/* preview - the first rows of an undescribed table, and how it is written.
 *
 *     bytes ─▶ separator, comments, lines before the names ─▶ names, or none
 *           ─▶ encoding, a row of units ─▶ how numbers are written, what is missing
 *
 * Every guess is a key of [table]; what was not guessed is as sheet_default.
 *
 * Limits   PREVIEW_ROWS_MAX rows of at most PREVIEW_BYTES_MAX together.
 * Threads  none inside.
 */
#ifndef ANALYSIS_TABLE_SAMPLE_H
#define ANALYSIS_TABLE_SAMPLE_H

#include "analysis/table/sheet.h"
#include "base/arena.h"

#define PREVIEW_ROWS_MAX 5000
#define PREVIEW_BYTES_MAX ((size_t)64 << 20)
#define PREVIEW_MISSING_MAX 8

struct table_preview {
    struct arena arena;
    struct sheet sheet; /* as guessed; its texts live in arena */
    struct span *names; /* of the columns; "c1", "c2" ... where there are none */
    size_t column_count;
    struct span **rows; /* trimmed, each of column_count fields */
    size_t row_count;
    bool has_names;
    bool is_cut; /* there are more rows */
    struct span missing[PREVIEW_MISSING_MAX];
    size_t missing_count;
};

/* Errors: as csv_open_form() and csv_next(), -ENODATA (no row). */
int preview_read(const char *path, struct table_preview *ret, struct err *err);
void preview_done(struct table_preview *sample);
DEFINE_AUTO_DONE(struct table_preview, preview_done);

/* What stands there, as the sheet has it. */
struct value preview_value(const struct table_preview *sample, size_t row,
                           size_t column);

/* The section [table]; "" where nothing is unlike the default. */
void preview_print(const struct table_preview *sample, struct strbuf *out);

#endif
