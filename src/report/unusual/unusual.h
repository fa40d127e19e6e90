/* SPDX-License-Identifier: Apache-2.0 */
/* unusual - tables of what differs from what is usual; the room's door. */
#ifndef REPORT_UNUSUAL_UNUSUAL_H
#define REPORT_UNUSUAL_UNUSUAL_H

#include "report/unusual/bad_ost_table.h"
#include "report/unusual/finding_rate_text.h"
#include "report/unusual/footprint_text.h"
#include "report/unusual/node_table.h"
#include "report/unusual/phases_text.h"
#include "report/unusual/roofline_text.h"
#include "report/unusual/weather_usual_text.h"

#endif
