/* SPDX-License-Identifier: Apache-2.0 */
/* request - one request, from its head to the end of its response: libmicrohttpd's
 * callbacks. */
#ifndef NET_REQUEST_H
#define NET_REQUEST_H

#include "net/server_private.h"

enum MHD_Result request_access(void *arg, struct MHD_Connection *connection,
                               const char *url, const char *method, const char *version,
                               const char *data, size_t *size, void **state);
void request_completed(void *arg, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code);

#endif
