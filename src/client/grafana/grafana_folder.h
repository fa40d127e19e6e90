/* SPDX-License-Identifier: Apache-2.0 */
/* grafana_folder - a folder that Grafana reads: data sources, dashboards, for one site.
 *
 *     DIR/provisioning/datasources/barograph.yaml    where barod is, which token
 *     DIR/provisioning/dashboards/barograph.yaml     that the dashboards are in DIR
 *     DIR/dashboards/ *.json                         of etc/grafana, with what was
 * found
 *
 * No token is written: Grafana reads it from its environment.
 * Threads  none inside.
 */
#ifndef CLIENT_GRAFANA_GRAFANA_FOLDER_H
#define CLIENT_GRAFANA_GRAFANA_FOLDER_H

#include "client/client.h"

/* Texts are the caller's. */
struct grafana_site {
    const char *url;        /* barod's, as Grafana reaches it */
    const char *postgresql; /* HOST[:PORT]/DATABASE; NULL: no such data source */
    struct strbuf cluster; /* that variables begin with; empty: the first in the list */
    struct strbuf fs;
    size_t cluster_count, fs_count; /* how many there are */
};

void grafana_site_done(struct grafana_site *site);
DEFINE_AUTO_DONE(struct grafana_site, grafana_site_done);

/* The clusters and file systems that the endpoint's barod has.  Errors: those of
 * client/http.h. */
int grafana_site_find(const struct client_endpoint *endpoint, struct grafana_site *site,
                      struct err *err);

/* Called for each file that was written. */
typedef void grafana_written_fn(void *arg, const char *path);

/* What is there is replaced.  Errors: -EINVAL (an address), those of files. */
int grafana_folder_write(const char *dir, const struct grafana_site *site,
                         grafana_written_fn *fn, void *arg, struct err *err);

#endif
