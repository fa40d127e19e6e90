/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_check - health that a plugin states, as a check of resources. */
#ifndef PLUGIN_DIRECTORY_PLUGIN_CHECK_H
#define PLUGIN_DIRECTORY_PLUGIN_CHECK_H

#include "plugin/plugin.h"
#include "resource/resource.h"

struct resource_check plugin_check_of(const struct plugin_health *health);
/* Is this the event that a plugin does not run any more?  Then *ret is what all that it
 * stated is from now on: unknown where it was suspended or its file is not safe, up
 * where it was removed, so that it stands against nothing. */
bool plugin_check_end(const struct plugin_event *event, struct resource_check *ret);

#endif
