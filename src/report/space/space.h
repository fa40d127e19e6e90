/* SPDX-License-Identifier: Apache-2.0 */
/* space - file systems and their targets as tables: used, growth, full when, health;
 * the room's door. */
#ifndef REPORT_SPACE_SPACE_H
#define REPORT_SPACE_SPACE_H

#include "report/space/health_table.h"
#include "report/space/owner_table.h"
#include "report/space/space_table.h"

#endif
