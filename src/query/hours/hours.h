/* SPDX-License-Identifier: Apache-2.0 */
/* hours - rows and roll-ups of a database: which are read, and what they add up to; the
 * room's door. */
#ifndef QUERY_HOURS_HOURS_H
#define QUERY_HOURS_HOURS_H

#include "query/hours/cell_cache.h"
#include "query/hours/history.h"
#include "query/hours/rollup.h"
#include "query/hours/rollup_check.h"

#endif
