/* SPDX-License-Identifier: Apache-2.0 */
/* weather - what file systems did in a window of time; the room's door. */
#ifndef ANALYSIS_WEATHER_WEATHER_H
#define ANALYSIS_WEATHER_WEATHER_H

#include "analysis/weather/bad_ost.h"
#include "analysis/weather/fabric.h"
#include "analysis/weather/fs_weather.h"
#include "analysis/weather/health_history.h"
#include "analysis/weather/weather_usual.h"
#include "analysis/weather/window_jobs.h"

#endif
