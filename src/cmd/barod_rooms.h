/* SPDX-License-Identifier: Apache-2.0 */
/* barod_rooms - the rooms of the daemon that must be told of each other. */
#ifndef CMD_BAROD_ROOMS_H
#define CMD_BAROD_ROOMS_H

#include "api/api.h"
#include "base/budget.h"
#include "cmd/barod_config.h"
#include "cmd/barod_rollup.h"
#include "cmd/barod_scrub.h"
#include "cmd/barod_senders.h"
#include "cmd/barod_write.h"
#include "ingest/ingest.h"
#include "net/net.h"
#include "query/query.h"
#include "records/records.h"

#include <uv.h>

struct barod_rooms {
    struct budget *budget; /* of memory: see barod_memory.h */
    const struct barod_opts *opts;
    struct site *site;
    struct records *records;
    struct metric_store *store; /* NULL: none is configured */
    struct live *live;
    struct barod_scrub *scrub;
    struct rollup_worker *roller; /* NULL: no roll-ups are wanted */
    struct ingest_writer *writer;
    struct net_server *server;
    struct ingest *ingest;
    struct told_routes *told;
    struct barod_write *write;     /* NULL: there is no store */
    struct write_routes *writing;  /* likewise */
    struct barod_senders *senders; /* NULL: their shares are not saved */
    struct nats_source *nats;      /* NULL: there is no address */
    struct scrape_source *scrape;  /* NULL: nothing is scraped */
    struct api *api;
    struct barod_own *own; /* NULL: own metrics are not kept */
    int64_t maintain_ms, maintained_ms;
    bool is_unwell;            /* likewise: the last probe failed */
    uint64_t database_changes; /* of the writer's thread: those that were dealt with */
    struct barod_waiting *waiting; /* NULL: the database was there at the start */
};

/* GET /metrics, for Prometheus, and GET /healthz.  Errors: -ENOMEM. */
int barod_metrics_register(struct barod_rooms *rooms);
/* What /metrics answers. */
void barod_metrics_print(const struct barod_rooms *rooms, struct strbuf *out);
/* How full every budget and limit is. */
void barod_metrics_add_limits(const struct barod_rooms *rooms, uint64_t resident_bytes,
                              struct strbuf *out);
/* The part of it that the store has. */
void barod_metrics_add_store(struct metric_store *store, struct strbuf *out);

/* ---- barod_own: the daemon's own metrics as samples of its store ---- */

/* On the loop's thread, every store.own_metrics.  Without a store, or where the
 * interval is 0, there is nothing to do.  Errors: -EINVAL (an interval below 1 s),
 * -ENOMEM. */
int barod_own_start(struct barod_rooms *rooms, const struct barod_opts *opts,
                    uv_loop_t *loop, struct err *err);
/* Before the loop's last turn. */
void barod_own_stop(struct barod_rooms *rooms);

#endif
