/* SPDX-License-Identifier: Apache-2.0 */
/* quantity - numbers as people write them in the cells of a table.
 *
 *     "85 %", "$1.25", "1.2 GiB/s", "512K", "1-02:03:04", "3h 20m", "1.234,5"
 *
 * Each gives NaN for what is none.
 */
#ifndef ANALYSIS_QUANTITY_H
#define ANALYSIS_QUANTITY_H

#include "base/span_type.h"

/* How a file writes its numbers. */
struct number_form {
    char decimal;   /* '.' or ',' */
    char thousands; /* between groups of three digits; ' ' also the unbreakable ones;
                       '\0': none */
};

/* A number of that form and nothing else.  Errors: -EINVAL. */
int quantity_cell(struct span text, const struct number_form *form, double *ret);

/* The first number in the text, without what stands around it. */
double quantity_number(struct span text);
/* Bytes, or bytes a second: K, M, G, T, P, E alone and with iB are powers of 1024, kB,
 * MB and so on of 1000; "bit" is an eighth; "/s" and "ps" may follow. */
double quantity_bytes(struct span text);
/* Seconds: [days-]hours:minutes:seconds, minutes:seconds, numbers with ns, us, ms, s, m
 * (min), h, d, w, several of which are added; a bare number. */
double quantity_seconds(struct span text);

#endif
