/* SPDX-License-Identifier: Apache-2.0 */
/* umami_text - an UMAMI diagram for a terminal. */
#ifndef DRAW_UMAMI_TEXT_H
#define DRAW_UMAMI_TEXT_H

#include "analysis/climate/climate.h"
#include "base/strbuf.h"

/* Appends lines of at most width columns, the width of the terminal. */
void umami_print_text(const struct umami *umami, unsigned width, struct strbuf *out);

#endif
