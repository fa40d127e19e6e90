/* SPDX-License-Identifier: Apache-2.0 */
/* own_statements - what barod itself states about resources, on its way to the records.
 *
 *     sinks of plugins ─┐
 *     silent hosts ─────┴▶ a bounded queue ──writer's thread──▶ resources_put
 *
 * What cannot be stored now stays in it: the database may be away.
 *
 * Bounds   OWN_STATEMENTS_MAX; more are lost, counted and logged.
 * Threads  put: any, it never waits.  flush: the writer's.  stats: any.
 */
#ifndef DAEMON_HEALTH_OWN_STATEMENTS_H
#define DAEMON_HEALTH_OWN_STATEMENTS_H

#include "ingest/ingest.h"
#include "model/model.h"

#define OWN_STATEMENTS_MAX ((size_t)100000)

struct own_statements;

/* As submission_sink has it: all of them or, with an error, none. */
typedef int own_statements_put_fn(void *arg,
                                  const struct resource_statement *statements,
                                  size_t count, struct submission_result *ret,
                                  struct err *err);

/* Errors: -ENOMEM. */
int own_statements_new(own_statements_put_fn *put, void *arg,
                       struct own_statements **ret);
void own_statements_free(struct own_statements *own); /* NULL is fine */
/* From then on what is put is stored soon; before it, and after writer NULL, at a
 * flush. */
void own_statements_attach(struct own_statements *own, struct ingest_writer *writer);

/* Copied.  Errors: -ENOSPC, -ENOMEM: it is lost, which is counted. */
int own_statements_put(struct own_statements *own,
                       const struct resource_statement *statement);
void own_statements_flush(struct own_statements *own); /* NULL is fine */

struct own_statements_stats {
    uint64_t stored, refused, lost;
    size_t waiting;
};
void own_statements_stats(struct own_statements *own, struct own_statements_stats *ret);

#endif
