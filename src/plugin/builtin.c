/* SPDX-License-Identifier: Apache-2.0 */
/* builtin - when a plugin is due. */
#include "plugin/builtin.h"

bool plugin_is_due(const struct plugin_manifest *m, uint64_t epoch, const char *role)
{
    if (!(m->functions & 1U << PLUGIN_SOURCE) || epoch % m->period != 0)
        return false;
    if (m->role_count == 0 || !role || !*role)
        return true;
    for (size_t i = 0; i < m->role_count; i++)
        if (strcmp(m->roles[i], role) == 0)
            return true;
    return false;
}
