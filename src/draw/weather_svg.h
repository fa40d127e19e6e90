/* SPDX-License-Identifier: Apache-2.0 */
/* weather_svg - the weather of a window as a picture. */
#ifndef DRAW_WEATHER_SVG_H
#define DRAW_WEATHER_SVG_H

#include "analysis/weather/weather.h"
#include "base/err.h"
#include "base/strbuf.h"

/* Curves of all bytes, and heat maps of targets; of what is known.
 * Errors: as lmt_grid_read(), -ENOENT (no bytes are known), -E2BIG (too many targets).
 */
int weather_print_svg(const struct weather *weather, struct lmt_series *const *series,
                      size_t count, struct strbuf *out, struct err *err);

#endif
