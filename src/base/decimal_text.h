/* SPDX-License-Identifier: Apache-2.0 */
/* decimal_text - doubles as text: with so many decimals, or the shortest that reads
 * back as the same double.
 *
 * Answers hold millions of numbers, and nearly all are short decimals: these take one
 * multiplication and a few digits.  What has up to 17, as a mean has, is found in
 * integers of 128 bits; the very large, the very small and powers of two by printf.
 */
#ifndef BASE_DECIMAL_TEXT_H
#define BASE_DECIMAL_TEXT_H

#include <stddef.h>

/* The longest text of any finite double with three decimals. */
#define DECIMAL_TEXT_MAX 320

/* The exact value rounded to 2 or 3 decimals, a tie to the even digit, as "%.3f" has
 * it.  NaN and infinities are "null".  Returns the number of characters; no NUL. */
size_t decimal_print_2(char out[static DECIMAL_TEXT_MAX], double value);
size_t decimal_print_3(char out[static DECIMAL_TEXT_MAX], double value);

/* As few digits as read back as the same 64 bits; "null" likewise.  What every value is
 * printed by that a program may read. */
size_t decimal_print_shortest(char out[static DECIMAL_TEXT_MAX], double value);
/* The same onto a strbuf. */
struct strbuf;
void decimal_add_shortest(struct strbuf *out, double value);

#endif
