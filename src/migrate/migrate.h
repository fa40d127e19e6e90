/* SPDX-License-Identifier: Apache-2.0 */
/* migrate - samples and configuration from cc-metric-store and back; the room's door.
 *
 *     cc-metric-store                                    barograph
 *     checkpoints, logs ─▶ checkpoint_import ─▶ target ─┬▶ a store's directory
 *                                                       └▶ a running barod
 *     checkpoints ◀─ checkpoint_export ◀────────────────── a store's directory
 *     line protocol, CSV ◀─ sample_text ◀─┬ directory_export ◀─ a store's directory
 *                                         └ server_export ◀── a running barod
 *     config.json ─▶ ccms_config ─▶ barod.conf
 *     running ◀─── shadow: the same queries, differences ───▶ running
 */
#ifndef MIGRATE_MIGRATE_H
#define MIGRATE_MIGRATE_H

#include "migrate/ccms_config.h"
#include "migrate/checkpoint_export.h"
#include "migrate/checkpoint_import.h"
#include "migrate/directory_export.h"
#include "migrate/directory_target.h"
#include "migrate/export_plan.h"
#include "migrate/server_export.h"
#include "migrate/server_target.h"
#include "migrate/shadow.h"
#include "migrate/shadow_table.h"

#endif
