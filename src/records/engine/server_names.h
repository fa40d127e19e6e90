/* SPDX-License-Identifier: Apache-2.0 */
/* server_names - the names of servers by their numbers, as a reader remembers them. */
#ifndef RECORDS_ENGINE_SERVER_NAMES_H
#define RECORDS_ENGINE_SERVER_NAMES_H

#include "base/arena.h"
#include "records/engine/statement.h"

struct server_name {
    int64_t server;
    struct span name;
};

struct server_names {
    struct arena arena; /* the list and its texts */
    struct server_name *names;
    size_t count;
};

void server_names_init(struct server_names *names);
void server_names_done(struct server_names *names);
/* Read the table again: nothing is copied where it is as it was.  Names only ever get
 * more, but in a database that was restored meanwhile.
 * Errors: -ENOMEM, as in engine.h; then the list may be incomplete. */
int server_names_load(struct server_names *names, const struct sql_conn *conn,
                      struct err *err);
/* Empty: the number is 0 or not known.  Valid until the next load. */
struct span server_names_find(const struct server_names *names, int64_t server);

#endif
