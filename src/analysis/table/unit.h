/* SPDX-License-Identifier: Apache-2.0 */
/* unit - what a number is measured in, so that only numbers of one kind are compared.
 *
 *     "64MiB"  ─▶ 67108864, bytes         "10min" ─▶ 600, seconds
 *     "2GB/s"  ─▶ 2e9, bytes/second       "90%"   ─▶ 0.9, a share
 *
 * Values are in bytes, seconds and joules, whatever they were written in.
 *
 * Threads  none: no state.
 */
#ifndef ANALYSIS_TABLE_UNIT_H
#define ANALYSIS_TABLE_UNIT_H

#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum unit_scale {
    UNIT_COUNT, /* a plain number: 12 files */
    UNIT_SHARE, /* of a whole, as written with %: 0.9 is 90% */
    UNIT_RATIO, /* either: bytes by bytes, 0 and 1 */
};

/* Exponents: bytes a second are {1, -1, 0}. */
struct unit {
    signed char bytes, seconds, joules;
    bool is_time;          /* seconds since 1970, not a length of time */
    enum unit_scale scale; /* where all exponents are 0 */
};

/* By its name as columns have it ("GiB/s", "1/s", "%", "time", ""); *ret_factor makes a
 * value of it one of bytes, seconds and joules.  False: it is not known. */
bool unit_of_name(struct span name, struct unit *ret, double *ret_factor);

/* Whether two numbers may be compared, added or subtracted. */
bool unit_is_like(const struct unit *a, const struct unit *b);
bool unit_is_none(const struct unit *unit); /* a count, share or ratio */
/* Of a * b, or with sign -1 of a / b.  False: nothing that has such a unit is known. */
bool unit_multiply(const struct unit *a, const struct unit *b, int sign,
                   struct unit *ret);
/* "bytes", "bytes/s", "a share (%)", "a plain number" */
void unit_describe(const struct unit *unit, struct strbuf *out);
/* A value with its unit for people: "1.50 GiB/s", "90 %", "12.3 min", "1.23 k". */
void unit_print_value(const struct unit *unit, double value, struct strbuf *out);

#endif
