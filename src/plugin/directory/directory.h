/* SPDX-License-Identifier: Apache-2.0 */
/* directory - the plugins of an administrator's directory, run on a loop; the room's
 * door.
 *
 *     [plugins] ─▶ plugin_dir ─▶ plugin_runner ─▶ yields
 */
#ifndef PLUGIN_DIRECTORY_DIRECTORY_H
#define PLUGIN_DIRECTORY_DIRECTORY_H

#include "plugin/directory/event_text.h"
#include "plugin/directory/plugin_check.h"
#include "plugin/directory/plugin_epoch.h"
#include "plugin/directory/plugin_merge.h"
#include "plugin/directory/plugin_runner.h"
#include "plugin/directory/plugins_config.h"

#endif
