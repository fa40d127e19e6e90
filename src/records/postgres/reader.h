/* SPDX-License-Identifier: Apache-2.0 */
/* reader - one reading session; rollup.c reads the cells. */
#ifndef RECORDS_POSTGRES_READER_H
#define RECORDS_POSTGRES_READER_H

#include "records/postgres/backend.h"

struct engine_reader {
    struct pg_conn conn;
    char *connection, *schema;
    bool finds_place; /* it may look for the schema: see place.h */
    bool in_snapshot; /* between begin and end: a new connection would be elsewhere */
    struct server_names servers;
};

int pg_reader_connected(struct engine_reader *r, struct err *err);
int pg_servers_load(struct engine_reader *r, struct err *err);
void pg_put_sids(struct strbuf *out, const int64_t *sids, size_t count);

#endif
