/* SPDX-License-Identifier: Apache-2.0 */
/* resource - the health of resources over REST; the room's door.
 *
 *     GET  /v1/resources            what is so: a row a component
 *     GET  /v1/resources/check      which of these hosts are not to be used, and why
 *     GET  /v1/resources/sources    what each source states about one
 *     GET  /v1/resources/changes    the last changes, or the next (wait=30s)
 *     POST /v1/resources/drain      an administrator drains hosts or components
 *     POST /v1/resources/resume     and ends it
 *
 *     HTTP threads ── read lock ──▶ resource_table ◀── the writer's thread
 *          └─ drain, resume: a task ─▶ writer's thread: put ─▶ records ─▶ table
 *
 * POST /v1/resources is ingest's, and GET /v1/resources/history api's.
 *
 * Threads  new, register, stop, free: the program's; changed: any.  One of its own,
 * that replies to those who wait for changes.
 */
#ifndef API_RESOURCE_RESOURCE_H
#define API_RESOURCE_RESOURCE_H

#include "ingest/ingest.h"
#include "net/net.h"
#include "resource/resource.h"

struct resource_routes_opts {
    struct resource_table *table;
    /* On the writer's thread: store and apply. */
    int (*put)(void *arg, const struct resource_statement *statements, size_t count,
               struct submission_result *ret, struct err *err);
    void *arg;
};

struct resource_routes;

/* opts is copied.  Errors: -ENOMEM, -EAGAIN (threads). */
int resource_routes_new(const struct resource_routes_opts *opts,
                        struct resource_routes **ret, struct err *err);
/* Before the server starts; it stores by the writer.  Errors: -ENOMEM. */
int resource_routes_register(struct resource_routes *routes,
                             struct ingest_writer *writer, struct net_server *server);
/* Something changed: who waits for it is replied to.  NULL is fine. */
void resource_routes_changed(struct resource_routes *routes);
/* Who waits gets 503 at once: before net_server_free(), which waits for responses.
 * NULL is fine. */
void resource_routes_stop(struct resource_routes *routes);
void resource_routes_free(struct resource_routes *routes);
DEFINE_AUTO(struct resource_routes, resource_routes_free);

#endif
