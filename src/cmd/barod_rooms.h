/* SPDX-License-Identifier: Apache-2.0 */
/* barod_rooms - the rooms of the daemon that must be told of each other. */
#ifndef CMD_BAROD_ROOMS_H
#define CMD_BAROD_ROOMS_H

#include "api/api.h"
#include "cmd/barod_config.h"
#include "cmd/barod_rollup.h"
#include "cmd/barod_write.h"
#include "ingest/ingest.h"
#include "net/net.h"
#include "query/query.h"
#include "records/records.h"

struct barod_rooms {
    struct site *site;
    struct records *records;
    struct metric_store *store; /* NULL: none is configured */
    struct live *live;
    struct rollup_worker *roller; /* NULL: no roll-ups are wanted */
    struct ingest_writer *writer;
    struct net_server *server;
    struct ingest *ingest;
    struct barod_write *write;    /* NULL: there is no store */
    struct write_routes *writing; /* likewise */
    struct api *api;
    int64_t maintain_ms, maintained_ms;
};

/* GET /metrics, for Prometheus, and GET /healthz.  Errors: -ENOMEM. */
int barod_metrics_register(struct barod_rooms *rooms);

#endif
