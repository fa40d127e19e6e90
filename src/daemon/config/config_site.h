/* SPDX-License-Identifier: Apache-2.0 */
/* config_site - the site that a barod.conf describes, for programs that only need how
 * file systems are called and how clients write identifiers.
 */
#ifndef DAEMON_CONFIG_CONFIG_SITE_H
#define DAEMON_CONFIG_CONFIG_SITE_H

#include "base/config.h"
#include "model/model.h"

struct config_site {
    struct config *config; /* NULL: none was read; the site's names lie in it */
    struct site *site;
};

/* Read the file; path NULL: a site of which nothing is configured.
 * Errors: as config_load() and site_new(); then *ret is untouched. */
int config_site_load(const char *path, struct config_site *ret, struct err *err);
/* Also of zeros. */
void config_site_done(struct config_site *site);
DEFINE_AUTO_DONE(struct config_site, config_site_done);

#endif
