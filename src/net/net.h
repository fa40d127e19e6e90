/* SPDX-License-Identifier: Apache-2.0 */
/* net - the HTTP server and client, tokens and limits; the room's door.
 *
 *     listeners ──accept──▶ HTTP threads ──▶ route table ──▶ handler
 *     (TCP, unix)             head, token,     method, path,     responds, or
 *                             body decoded     role              defers it to
 *                             piece by piece                     any thread
 *
 * libmicrohttpd does the protocol; no other room sees it.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include "net/client.h"
#include "net/rate.h"
#include "net/server.h"
#include "net/status.h"
#include "net/token/token.h"
#include "net/url.h"

#endif
