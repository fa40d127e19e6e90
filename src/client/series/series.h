/* SPDX-License-Identifier: Apache-2.0 */
/* series - what servers measured, out of files or a barod; the room's door. */
#ifndef CLIENT_SERIES_SERIES_H
#define CLIENT_SERIES_SERIES_H

#include "client/series/clock_guess.h"
#include "client/series/clock_list.h"
#include "client/series/fabric_series.h"
#include "client/series/files.h"
#include "client/series/measure.h"
#include "client/series/open.h"
#include "client/series/opts.h"
#include "client/series/reference.h"
#include "client/series/server.h"
#include "client/series/set.h"
#include "client/series/slice.h"
#include "client/series/weather_series.h"

#endif
