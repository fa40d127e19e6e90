/* SPDX-License-Identifier: Apache-2.0 */
/* resource - the health of components; the room's door. */
#ifndef RESOURCE_RESOURCE_H
#define RESOURCE_RESOURCE_H

#include "resource/checks.h"
#include "resource/effect.h"
#include "resource/of_reading.h"
#include "resource/presence.h"
#include "resource/rules.h"
#include "resource/table.h"
#include "resource/table_admit.h"

#endif
