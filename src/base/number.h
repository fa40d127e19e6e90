/* SPDX-License-Identifier: Apache-2.0 */
/* number - numbers <-> text; the only family of parsers for numbers from outside.
 *
 * All take a whole span: nothing may stand before or after the number.
 * Errors: -EINVAL (not a number), -ERANGE (does not fit); then *ret is untouched.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/span_type.h"

#include <stdint.h>

#define NUMBER_DIGITS_MAX 20
#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define MS_PER_S INT64_C(1000)

int number_parse_u64(struct span s, uint64_t *ret);
int number_parse_i64(struct span s, int64_t *ret);
/* Finite decimal only: no hex, no inf, no nan. */
int number_parse_double(struct span s, double *ret);

/* Seconds with up to nine decimals ("1723114647.887515895") as nanoseconds, exactly;
 * further decimals are cut off.  May be negative. */
int number_parse_seconds(struct span s, int64_t *ret_ns);

/* A length of time with its unit: "250ms", "10s", "2m", "1h", "7d".  Never negative. */
int number_parse_duration(struct span s, int64_t *ret_ns);

/* A size with its unit: "512B", "64KiB", "32MiB", "2GiB", also decimal kB, MB, GB. */
int number_parse_size(struct span s, uint64_t *ret_bytes);

/* Digits of value without NUL into out; returns how many. */
size_t number_print_u64(char out[static NUMBER_DIGITS_MAX], uint64_t value);

/* "2m", "90s", "36h", "1234567ns": the largest unit that leaves it whole, so that
 * number_parse_duration() reads the same.  For settings; results that people read have
 * figure_print_duration(). */
void number_print_duration(char *out, size_t size, int64_t ns);

#endif
