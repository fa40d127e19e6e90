/* SPDX-License-Identifier: Apache-2.0 */
/* plugin - plugins, built in and in Lua; the room's door. */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

#include "plugin/builtin.h"
#include "plugin/contribution.h"
#include "plugin/host.h"
#include "plugin/reads.h"
#include "plugin/trial.h"
#include "plugin/yield.h"

#endif
