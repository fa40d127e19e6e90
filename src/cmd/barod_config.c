/* SPDX-License-Identifier: Apache-2.0 */
/* barod_config - the sections of barod.conf, gathered from the rooms that own them. */
#include "cmd/barod_config.h"

const struct config_section *barod_config_sections(size_t *ret_count)
{
    static const struct config_section sections[1];
    *ret_count = 0;
    return sections;
}

void barod_config_describe(struct strbuf *out)
{
    size_t count;
    const struct config_section *sections = barod_config_sections(&count);
    config_describe(sections, count, out);
}
