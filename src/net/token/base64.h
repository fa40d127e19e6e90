/* SPDX-License-Identifier: Apache-2.0 */
/* base64 - bytes <-> the URL-safe alphabet of RFC 4648, without padding. */
#ifndef NET_TOKEN_BASE64_H
#define NET_TOKEN_BASE64_H

#include "base/strbuf.h"

void base64_print(struct strbuf *out, struct span bytes);
/* Append the bytes.  Errors: -EINVAL (another character, padding, bits left over: one
 * text for each value only), -ENOMEM. */
int base64_parse(struct span text, struct strbuf *out);

#endif
