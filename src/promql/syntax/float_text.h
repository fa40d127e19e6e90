/* SPDX-License-Identifier: Apache-2.0 */
/* float_text - numbers as Prometheus prints them: the fewest digits that read back as
 * the same double, NaN, +Inf, -Inf.
 */
#ifndef PROMQL_FLOAT_TEXT_H
#define PROMQL_FLOAT_TEXT_H

#include "base/strbuf.h"

/* Without an exponent: 0.00000012, 1000000000000000000000000. */
void float_text_add_plain(struct strbuf *out, double value);
/* With one below 1e-6 and from 1e21 on: 1.2e-07. */
void float_text_add(struct strbuf *out, double value);
/* With one below 1e-4 and from 1e6 on: what Go prints for a number of an expression. */
void float_text_add_short(struct strbuf *out, double value);

#endif
