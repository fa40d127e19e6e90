/* SPDX-License-Identifier: Apache-2.0 */
/* draw - pictures: SVG, and charts for a terminal; the room's door. */
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include "draw/axis.h"
#include "draw/heatmap.h"
#include "draw/line_bands.h"
#include "draw/line_plot.h"
#include "draw/roofline_svg.h"
#include "draw/row_map.h"
#include "draw/strip.h"
#include "draw/study_svg.h"
#include "draw/svg.h"
#include "draw/timeline_svg.h"
#include "draw/umami_svg.h"
#include "draw/umami_text.h"
#include "draw/weather_svg.h"

#endif
