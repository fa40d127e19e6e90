/* SPDX-License-Identifier: Apache-2.0 */
/* query - typed results out of stored rows and samples; the room's door.
 *
 *     rows ──▶ increment ──▶ accumulator ──▶ result (a table)
 *      │                       ▲
 *      └──▶ live (in memory) ──┘
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "query/counters/counters.h"
#include "query/health/health.h"
#include "query/hours/hours.h"
#include "query/jobs/jobs.h"
#include "query/live/live.h"
#include "query/metric/metric.h"

#endif
