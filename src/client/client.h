/* SPDX-License-Identifier: Apache-2.0 */
/* client - requests to a barod, a database or files, whoever sends them; the room's
 * door.
 *
 *     options ─▶ selection ─┬▶ URL ─▶ barod (REST) ─▶ JSON ─┬▶ table
 *                           └▶ a database, directly ────────┘
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "client/agent_socket.h"
#include "client/args.h"
#include "client/completion_values.h"
#include "client/endpoint.h"
#include "client/entry_texts.h"
#include "client/http.h"
#include "client/observed.h"
#include "client/request.h"
#include "client/resource_changes.h"
#include "client/resource_check.h"
#include "client/server_counters.h"
#include "client/store_status.h"
#include "client/watch.h"

#endif
