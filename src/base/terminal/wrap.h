/* SPDX-License-Identifier: Apache-2.0 */
/* wrap - lines that are too long for a page, broken at blanks.
 *
 *     slow-target     14 to 15 s of 41 s: all files on one target were
 *                     slow: OST 14 (OST000e)
 *
 * What comes on the next line stands below the text: behind the blanks that the line
 * began with, or behind its label, which is what two blanks or more follow.  A line of
 * several such gaps is a row of a table, and stays as it is; so does a word that is too
 * long by itself, since people copy paths.
 */
#ifndef BASE_TERMINAL_WRAP_H
#define BASE_TERMINAL_WRAP_H

#include "base/span_type.h"
#include "base/strbuf.h"

#define WRAP_COLUMNS_MIN 40
#define WRAP_COLUMNS_DEFAULT 100

/* columns: at least WRAP_COLUMNS_MIN. */
void wrap_lines(struct span text, size_t columns, struct strbuf *out);

/* For pages written to fd: what COLUMNS says, else the terminal's, else the default. */
size_t wrap_columns(int fd);

#endif
