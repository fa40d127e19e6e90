/* SPDX-License-Identifier: Apache-2.0 */
/* names - the tables of batches, servers and namespaces, for both engines.
 *
 * Threads  the writer's.
 * Errors   as in engine.h.
 */
#ifndef RECORDS_ENGINE_NAMES_H
#define RECORDS_ENGINE_NAMES_H

#include "base/arena.h"
#include "records/engine/statement.h"

/* The response to a batch as it is stored: reasons are numbers there. */
struct stored_response {
    uint64_t accepted, duplicate, refused;
    const char *refusals; /* "row:reason,row:reason" */
};

/* *ret_found: whether the batch is stored; the text lies in the arena. */
int batch_find(const struct sql_conn *conn, const struct uuid *agent, uint64_t sequence,
               struct arena *arena, bool *ret_found, struct stored_response *ret,
               struct err *err);
int batch_add(const struct sql_conn *conn, const struct uuid *agent, uint64_t sequence,
              int64_t now_ms, const struct stored_response *response, struct err *err);

/* The number of a server, stored where it is new. */
int server_find(const struct sql_conn *conn, struct span server, int32_t *ret,
                struct err *err);

int namespace_find(const struct sql_conn *conn, struct span fs, struct span format,
                   bool *ret_found, struct uuid *ret, struct err *err);
/* Store one where there is none yet: find it again, another program may have been
 * quicker.  Errors: -EEXIST (the namespace belongs to another file system or format).
 */
int namespace_add(const struct sql_conn *conn, struct span fs, struct span format,
                  const struct uuid *ns, struct err *err);
/* Store it whatever is there.  Errors: as namespace_add. */
int namespace_set(const struct sql_conn *conn, struct span fs, struct span format,
                  const struct uuid *ns, struct err *err);
/* Note that series of ns are stored under fs; calls fn with each other name under which
 * there are some: the file system was renamed. */
typedef int namespace_name_fn(void *arg, struct span name);
int namespace_names(const struct sql_conn *conn, const struct uuid *ns, struct span fs,
                    namespace_name_fn *fn, void *arg, struct err *err);
/* Every namespace; ns is valid during the call. */
typedef int namespace_each_fn(void *arg, const struct uuid *ns);
int namespace_each(const struct sql_conn *conn, namespace_each_fn *fn, void *arg,
                   struct err *err);

#endif
