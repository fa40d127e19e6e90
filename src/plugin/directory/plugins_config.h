/* SPDX-License-Identifier: Apache-2.0 */
/* plugins_config - the section [plugins], of baro-agent.conf and of barod.conf. */
#ifndef PLUGIN_DIRECTORY_PLUGINS_CONFIG_H
#define PLUGIN_DIRECTORY_PLUGINS_CONFIG_H

#include "base/config.h"

struct plugins_opts {
    const char *directory; /* "": none are run */
    const char *host;      /* the program */
    const char *role;
    struct config_list reads; /* none: reads_default */
    uint64_t instructions, memory_bytes, strikes;
};

bool plugins_are_configured(const struct plugins_opts *opts);

extern const struct config_section plugins_config_section;

#endif
