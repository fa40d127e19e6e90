/* SPDX-License-Identifier: Apache-2.0 */
/* query - what was asked, answered; the room's door.
 *
 *     rows ──▶ increment ──▶ tally ──▶ answer (a table)
 *      │                       ▲
 *      └──▶ live (kept) ───────┘
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "query/answer.h"
#include "query/ask.h"
#include "query/history.h"
#include "query/increment.h"
#include "query/live.h"
#include "query/measure.h"
#include "query/metric_points.h"
#include "query/metric_read.h"
#include "query/metric_resample.h"
#include "query/metric_select.h"
#include "query/metric_window.h"
#include "query/rollup.h"
#include "query/rollup_check.h"
#include "query/selection.h"
#include "query/tally.h"

#endif
