/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what barod is made of: the rooms that daemon joins. */
#ifndef DAEMON_PARTS_H
#define DAEMON_PARTS_H

#include "api/api.h"
#include "api/resource/resource.h"
#include "base/system/budget.h"
#include "daemon/config/config.h"
#include "daemon/forward.h"
#include "daemon/health/host_presence.h"
#include "daemon/health/statement_times.h"
#include "daemon/jobs/jobs.h"
#include "daemon/member/session.h"
#include "daemon/rollup/rollup.h"
#include "daemon/scrub.h"
#include "daemon/senders.h"
#include "daemon/store_sink.h"
#include "ingest/ingest.h"
#include "net/net.h"
#include "query/query.h"
#include "records/records.h"
#include "resource/resource.h"
#include "signin/signin.h"

#include <uv.h>

struct daemon_parts {
    struct budget *budget; /* of memory: see memory.h */
    const struct daemon_opts *opts;
    struct site *site;
    struct resource_rules *resource_rules;
    struct resource_table *resources;
    struct resource_routes *resource_routes;
    struct own_statements *statements; /* of barod itself, about resources */
    struct host_presence *presence;    /* NULL: no host is discovered */
    uint64_t resource_changes;         /* of the database, when resources were loaded */
    struct statements_moved statements_moved;
    struct site_rules *rules;
    struct node_peaks *peaks;
    struct log_dirs *log_dirs; /* NULL: none is configured */
    struct records *records;
    struct metric_store *store;          /* NULL: none is configured */
    struct running_hosts *running;       /* never NULL once barod started */
    struct footprint_worker *footprints; /* NULL: none are wanted, or no store */
    struct live *live;
    struct cell_cache *cells; /* hours of the database in memory */
    struct daemon_scrub *scrub;
    struct rollup_worker *roller; /* NULL: no roll-ups are wanted */
    struct ingest_writer *writer;
    struct net_server *server;
    struct jobstats_routes *jobstats;
    struct submission_routes *submissions;
    struct daemon_forward *forward; /* NULL: nothing is forwarded */
    struct store_sink *write;       /* NULL: there is no store */
    struct write_routes *writing;   /* likewise */
    struct remote_routes *remote;   /* likewise */
    struct daemon_senders *senders; /* NULL: their shares are not saved */
    struct nats_source *nats;       /* NULL: there is no address */
    struct scrape_source *scrape;   /* NULL: nothing is scraped */
    struct daemon_session *session; /* NULL: none is configured */
    struct api *api;
    struct login *login;
    int64_t maintain_ms, maintained_ms;
    bool is_unwell;            /* likewise: the last probe failed */
    uint64_t database_changes; /* of the writer's thread: those that were dealt with */
    struct daemon_waiting *waiting; /* NULL: the database was there at the start */
};

#endif
