/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_svg - a year of runs with both averages, and the regions where they part. */
#ifndef DRAW_TIMELINE_SVG_H
#define DRAW_TIMELINE_SVG_H

#include "analysis/climate/climate.h"
#include "base/strbuf.h"

/* group NULL: all runs.  Errors: -ENOMEM. */
int study_timeline_svg(const struct study *study, const char *group,
                       struct strbuf *out);

#endif
