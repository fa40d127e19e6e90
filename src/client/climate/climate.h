/* SPDX-License-Identifier: Apache-2.0 */
/* climate - the runs of a climate, out of tables or a barod; the room's door. */
#ifndef CLIENT_CLIMATE_CLIMATE_H
#define CLIENT_CLIMATE_CLIMATE_H

#include "client/climate/climate_runs.h"
#include "client/climate/runs_files.h"

#endif
