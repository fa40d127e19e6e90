/* SPDX-License-Identifier: Apache-2.0 */
/* lua - the host process of an owner's Lua plugins, from inside; the room's door. */
#ifndef PLUGIN_LUA_LUA_H
#define PLUGIN_LUA_LUA_H

#include "plugin/lua/pattern.h"
#include "plugin/lua/sandbox.h"
#include "plugin/lua/script.h"
#include "plugin/lua/serve.h"

#endif
