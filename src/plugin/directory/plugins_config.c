/* SPDX-License-Identifier: Apache-2.0 */
/* plugins_config - the section [plugins]. */
#include "plugin/directory/plugins_config.h"

#include "base/number.h"

#include <stddef.h>

#define PLUGINS(field) offsetof(struct plugins_opts, field)

bool plugins_are_configured(const struct plugins_opts *opts)
{
    return opts->directory && *opts->directory;
}

static const struct config_key plugins_keys[] = {
    { "directory", CONFIG_TEXT, PLUGINS(directory), NULL, 0, 0,
      "Directory of plugins (*.lua): agents call them at each trigger of their own, or "
      "of the session, barod as its control node at each result; empty: none. What is "
      "changed in it counts from the next on." },
    { "host", CONFIG_TEXT, PLUGINS(host), BARO_LIBEXECDIR "/baro-plugin-host", 0, 0,
      "The program that they run in." },
    { "role", CONFIG_TEXT, PLUGINS(role), NULL, 0, 0,
      "The role of this node, for sources of plugins that name roles; empty: any. "
      "Sinks "
      "are called whatever the roles." },
    { "read", CONFIG_LIST, PLUGINS(reads), NULL, 0, 0,
      "A pattern of files that plugins may read; may be repeated; none: counters in "
      "proc and sys that concern no process." },
    { "instructions", CONFIG_COUNT, PLUGINS(instructions), "1000000", 1000,
      INT64_C(1) << 32, "Instructions of one call." },
    { "memory", CONFIG_SIZE, PLUGINS(memory_bytes), "1MiB", 65536, 1 << 30,
      "Memory of one plugin." },
    { "strikes", CONFIG_COUNT, PLUGINS(strikes), "3", 1, 1000,
      "Calls that failed or were over their budget, one after another, until a plugin "
      "is suspended." },
};

const struct config_section plugins_config_section = {
    "plugins",
    false,
    plugins_keys,
    COUNT_OF(plugins_keys),
    "Plugins in Lua: agents call their source, barod, the control node of a session, "
    "their sink.",
};
