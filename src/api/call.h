/* SPDX-License-Identifier: Apache-2.0 */
/* call - one request to the database on its way; private to api.
 *
 *     HTTP thread: parameters checked ─▶ queue ─▶ worker: its readers ─▶ response
 *                  400                   503      504 at the deadline
 */
#ifndef API_CALL_H
#define API_CALL_H

#include "api/api_private.h"

/* A handler of net: arg is a struct api_binding. */
void call_handle(void *arg, struct net_request *request);
/* The workers that run calls; each has readers of its own. */
struct workers_opts call_workers(struct api *api, size_t count, size_t queue_max);

#endif
