/* SPDX-License-Identifier: Apache-2.0 */
/* umami_svg - an UMAMI diagram as a picture. */
#ifndef DRAW_UMAMI_SVG_H
#define DRAW_UMAMI_SVG_H

#include "analysis/climate/climate.h"
#include "base/strbuf.h"

/* Appends a whole SVG document to *out; want of memory shows in out->failed. */
void umami_print_svg(const struct umami *umami, struct strbuf *out);

#endif
