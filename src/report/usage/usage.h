/* SPDX-License-Identifier: Apache-2.0 */
/* usage - what jobs used of what they were given, for people; the room's door. */
#ifndef REPORT_USAGE_USAGE_H
#define REPORT_USAGE_USAGE_H

#include "report/usage/run_metrics_table.h"
#include "report/usage/usage_table.h"
#include "report/usage/usage_text.h"

#endif
