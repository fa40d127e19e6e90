/* SPDX-License-Identifier: Apache-2.0 */
/* names - batches, servers and namespaces in SQLite: as engine.h says. */
#ifndef RECORDS_SQLITE_NAMES_H
#define RECORDS_SQLITE_NAMES_H

#include "records/sqlite/backend.h"

int sqlite_find_batch(struct records_backend *b, const struct uuid *agent,
                      uint64_t sequence, struct arena *arena, bool *ret_found,
                      struct stored_response *ret, struct err *err);
int sqlite_add_batch(struct records_backend *b, const struct uuid *agent,
                     uint64_t sequence, int64_t now_ms,
                     const struct stored_response *response, struct err *err);
int sqlite_server_id(struct records_backend *b, struct span server, int32_t *ret,
                     struct err *err);
int sqlite_find_namespace(struct records_backend *b, struct span fs, struct span format,
                          bool *ret_found, struct uuid *ret, struct err *err);
int sqlite_add_namespace(struct records_backend *b, struct span fs, struct span format,
                         const struct uuid *ns, struct err *err);
int sqlite_set_namespace(struct records_backend *b, struct span fs, struct span format,
                         const struct uuid *ns, struct err *err);
int sqlite_namespace_names(struct records_backend *b, const struct uuid *ns,
                           struct span fs, engine_name_fn *fn, void *arg,
                           struct err *err);

#endif
