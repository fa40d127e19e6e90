/* SPDX-License-Identifier: Apache-2.0 */
/* space - how full file systems are, how fast they fill and when they are full; the
 * room's door. */
#ifndef ANALYSIS_SPACE_SPACE_H
#define ANALYSIS_SPACE_SPACE_H

#include "analysis/space/space_check.h"
#include "analysis/space/space_owners.h"
#include "analysis/space/space_parts.h"
#include "analysis/space/space_trend.h"

#endif
