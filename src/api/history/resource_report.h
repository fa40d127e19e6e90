/* SPDX-License-Identifier: Apache-2.0 */
/* resource_report - GET /v1/resources/report: failures and repairs of components, by
 * class; private to api. */
#ifndef API_HISTORY_RESOURCE_REPORT_H
#define API_HISTORY_RESOURCE_REPORT_H

#include "api/api_private.h"

/* As api_route has them. */
int resource_report_read(struct net_request *request, void **ret_query,
                         struct err *err);
int resource_report_fetch(const struct api_readers *readers, const void *query,
                          struct api_result *ret, struct err *err);

#endif
