/* SPDX-License-Identifier: Apache-2.0 */
/* token_cookie - a token in a header "Cookie: a=b; NAME=TOKEN", as browsers send it.
 *
 * Threads  none inside.
 */
#ifndef NET_TOKEN_TOKEN_COOKIE_H
#define NET_TOKEN_TOKEN_COOKIE_H

#include "base/span_type.h"

#include <stdbool.h>

enum { TOKEN_COOKIE_NAME_MAX = 64 };

/* Letters, digits, "_", "-" and ".": what every browser and proxy leaves as it is. */
bool token_cookie_is_name(const char *name);
/* The value of the only cookie of that name, within header; data NULL: there is none,
 * or it is there twice: which of them is the site's, is not known. */
struct span token_cookie_find(struct span header, const char *name);

#endif
