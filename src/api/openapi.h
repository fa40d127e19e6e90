/* SPDX-License-Identifier: Apache-2.0 */
/* openapi - the description of the routes, out of their table; private to api. */
#ifndef API_OPENAPI_H
#define API_OPENAPI_H

#include "api/api_private.h"

/* The OpenAPI 3.0 document. */
void openapi_write(const struct api_route *routes, size_t count, struct strbuf *out);

#endif
