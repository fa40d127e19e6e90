/* SPDX-License-Identifier: Apache-2.0 */
/* csv - rows of fields out of a file, packed or not, streamed (RFC 4180, and what
 * people write instead).
 *
 * Fields may be quoted, and hold separators, doubled quotes and line ends then.  Lines
 * end on LF, CR LF or CR; a byte order mark and Excel's first line "sep=;" are passed
 * over; empty lines are no rows.  Memory is that of the longest row.
 */
#ifndef ANALYSIS_CSV_H
#define ANALYSIS_CSV_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

#define CSV_ROW_BYTES_MAX ((size_t)1 << 20)
#define CSV_FIELDS_MAX 4096
#define CSV_GUESS '\0'

struct csv_form {
    char separator;      /* ' ': any number of blanks and tabs; CSV_GUESS: what divides
                            the first lines into equal numbers of fields */
    char comment;        /* lines that begin with it are no rows; '\0': none */
    bool no_quotes;      /* '"' is a byte like others */
    bool is_latin1;      /* bytes are those of ISO 8859-1, and become UTF-8 */
    uint64_t skip_lines; /* before the first row */
};

struct csv;

/* "-" is standard input.  Errors: as unpack_open(). */
int csv_open_form(const char *path, const struct csv_form *form, struct csv **ret,
                  struct err *err);
/* Commas, and nothing else of a form. */
int csv_open(const char *path, struct csv **ret, struct err *err);
void csv_close(struct csv *csv);
DEFINE_AUTO(struct csv, csv_close);

/* The next row; *ret is valid until the next call.  Returns 1, 0 at the end.
 * Errors: -EBADMSG (a file that is cut or damaged, a row that is too long), -EIO. */
int csv_next(struct csv *csv, const struct span **ret, size_t *ret_count,
             struct err *err);
uint64_t csv_line(const struct csv *csv);  /* at which the row began, from 1 */
char csv_separator(const struct csv *csv); /* also where it was guessed */
/* The last row holds a quote that is never closed, and all that was behind it. */
bool csv_is_open(const struct csv *csv);

/* What lies ahead, as far as it was read: at most 64 KiB, for guesses. */
struct span csv_ahead(const struct csv *csv);

#endif
