/* SPDX-License-Identifier: Apache-2.0 */
/* line_value - what the parts of a line stand for: names and strings without their
 * escapes, a field as a double, the unit of a time.
 *
 * Threads  any: nothing is remembered.
 */
#ifndef WIRE_LINE_VALUE_H
#define WIRE_LINE_VALUE_H

#include "wire/line_protocol.h"

/* Characters of a name or tag value without its escapes, into out (of size s.size at
 * least); returns how many.  A backslash escapes comma, equals sign and blank, in
 * measurements comma and blank only; before anything else it stands for itself. */
size_t token_unescape(struct span s, char *out);
size_t measurement_unescape(struct span s, char *out);
/* The same for strings, where it escapes the quote and itself, and makes n, r and t
 * line end, carriage return and tab. */
size_t string_unescape(struct span s, char *out);

/* The field as a double.  Bools are 0 and 1.
 * Errors: -EDOM (a string), -ERANGE (an integer that no double can hold). */
int line_field_double(const struct line_field *field, double *ret);

/* The unit of a time that was sent without one, in nanoseconds: seconds, milli-, micro-
 * or nanoseconds, decided by the size of the number.  Each range holds the years 1973
 * to 5138. */
int64_t line_time_unit(int64_t value);

#endif
