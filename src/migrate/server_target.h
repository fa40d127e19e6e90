/* SPDX-License-Identifier: Apache-2.0 */
/* server_target - imported samples to a running barod, by POST /api/write. */
#ifndef MIGRATE_SERVER_TARGET_H
#define MIGRATE_SERVER_TARGET_H

#include "migrate/http_peer.h"
#include "migrate/import_target.h"

/* The peer is copied; its arg outlives the target.  Errors: -ENOMEM. */
int server_target_open(const struct http_peer *peer, struct import_target *ret,
                       struct err *err);

#endif
