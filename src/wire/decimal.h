/* SPDX-License-Identifier: Apache-2.0 */
/* decimal - text -> double, correctly rounded, without strtod where that can be
 * avoided.
 *
 * Collectors send two kinds of numbers: short decimals (12.25), which are one exact
 * division, and the 16 or 17 digits of a computed double, which are one division in
 * 64 bits of mantissa and a look at whether rounding twice could have hurt.  The rest
 * (more than 19 digits, huge exponents, the one in 500 that lies too near a half) goes
 * to strtod.
 */
#ifndef WIRE_DECIMAL_H
#define WIRE_DECIMAL_H

#include "base/span_type.h"

/* The whole of s: [+-] digits [. digits] [e [+-] digits], with a digit before or after
 * the point.  No hex, no inf, no nan.  Tiny numbers become denormals or 0.
 * Errors: -EINVAL (not such a number), -ERANGE (beyond the largest double). */
int decimal_parse(struct span s, double *ret);

#endif
