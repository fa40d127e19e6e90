/* SPDX-License-Identifier: Apache-2.0 */
/* grafana - dashboards and data sources for a site's Grafana; the room's door. */
#ifndef CLIENT_GRAFANA_GRAFANA_H
#define CLIENT_GRAFANA_GRAFANA_H

#include "client/grafana/grafana_folder.h"

#endif
