/* SPDX-License-Identifier: Apache-2.0 */
/* counters - rates out of counters: increments, selections, sums by group and window;
 * the room's door. */
#ifndef QUERY_COUNTERS_COUNTERS_H
#define QUERY_COUNTERS_COUNTERS_H

#include "query/counters/accumulator.h"
#include "query/counters/chain.h"
#include "query/counters/increment.h"
#include "query/counters/measure.h"
#include "query/counters/result.h"
#include "query/counters/rounds.h"
#include "query/counters/selection.h"

#endif
