/* SPDX-License-Identifier: Apache-2.0 */
/* health - the health of resources at a time; the room's door. */
#ifndef QUERY_HEALTH_HEALTH_H
#define QUERY_HEALTH_HEALTH_H

#include "query/health/past_health.h"

#endif
