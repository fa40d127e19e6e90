/* SPDX-License-Identifier: Apache-2.0 */
/* framing - heads that two programs could understand in two ways are refused. */
#ifndef NET_FRAMING_H
#define NET_FRAMING_H

#include <microhttpd.h>

/* What is wrong with the head's framing; NULL: nothing. */
const char *framing_find(struct MHD_Connection *connection, const char *version);

#endif
