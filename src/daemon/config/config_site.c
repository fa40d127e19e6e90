/* SPDX-License-Identifier: Apache-2.0 */
/* config_site - the site that a barod.conf describes. */
#include "daemon/config/config_site.h"

#include "daemon/config/sections.h"

int config_site_load(const char *path, struct config_site *ret, struct err *err)
{
    AUTO(config_site_done) struct config_site made = { 0 };
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    int rc = path ? config_load(path, sections, count, &made.config, err) : 0;
    if (rc == 0)
        rc = site_new(made.config, &made.site, err);
    if (rc < 0)
        return rc;
    *ret = made;
    made = (struct config_site){ 0 };
    return 0;
}

void config_site_done(struct config_site *site)
{
    site_free(site->site);
    config_free(site->config);
    *site = (struct config_site){ 0 };
}
