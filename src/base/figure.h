/* SPDX-License-Identifier: Apache-2.0 */
/* figure - numbers as people read them: three significant digits, a prefix, the unit.
 *
 *     1234567 bytes    1.18 MiB        1234.5    1.23 k        1234567 ns    1.23 ms
 *     1023.96 KiB      1.00 MiB        999.5     1.00 k        5400 s        1.50 h
 *
 * A whole number below the first prefix stands as it is.  What is no number is "-".
 * What a program reads is printed by base/decimal_text.
 */
#ifndef BASE_FIGURE_H
#define BASE_FIGURE_H

#include <stddef.h>
#include <stdint.h>

#define FIGURE_SIZE 32 /* of any of these texts, with NUL */

/* out ends in NUL in any case; size is at least 1. */
void figure_print_bytes(char *out, size_t size, double bytes); /* "12.3 GiB" */
void figure_print_count(char *out, size_t size, double count); /* "4.56 k" */
/* "0 s", "250 ms", "1.50 h", "3.00 d": nothing below a microsecond. */
void figure_print_duration(char *out, size_t size, int64_t ns);
/* With its unit, which gets the prefix where it may have one: "345 Gflops/s", "78.0
 * GiB", "2400 MHz", "0.25 %".  unit may be "". */
void figure_print_unit(char *out, size_t size, double value, const char *unit);
/* Without a prefix, and without zeros at the end: "0.0123", "47", "1230000". */
void figure_print_number(char *out, size_t size, double value);

#endif
