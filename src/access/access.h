/* SPDX-License-Identifier: Apache-2.0 */
/* access - who may see what: one decision for every route; the room's door. */
#ifndef ACCESS_ACCESS_H
#define ACCESS_ACCESS_H

#include "access/access_client.h"
#include "access/access_rules.h"
#include "access/decision.h"

#endif
