/* SPDX-License-Identifier: Apache-2.0 */
/* migrate_peer - a connection of client for the room migrate, and its warnings. */
#ifndef CMD_MIGRATE_PEER_H
#define CMD_MIGRATE_PEER_H

#include "client/client.h"
#include "migrate/migrate.h"

/* The peer uses http, which outlives it. */
struct http_peer migrate_peer(struct client_http *http);

/* A migrate_warn_fn: "baro COMMAND: text" on standard error; arg is the command. */
void migrate_warn(void *arg, const char *text);
/* The same for what ends the command; returns its exit status. */
int migrate_failed(const char *command, int rc, const struct err *err);

/* A sample_text_write_fn: onto standard output. */
int migrate_write_stdout(void *arg, struct span lines, struct err *err);

#endif
