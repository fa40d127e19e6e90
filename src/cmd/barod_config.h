/* SPDX-License-Identifier: Apache-2.0 */
/* barod_config - the sections of barod.conf, gathered from the rooms that own them. */
#ifndef CMD_BAROD_CONFIG_H
#define CMD_BAROD_CONFIG_H

#include "base/config.h"

/* All sections that barod understands; *ret_count says how many. */
const struct config_section *barod_config_sections(size_t *ret_count);
void barod_config_describe(struct strbuf *out);

#endif
