/* SPDX-License-Identifier: Apache-2.0 */
/* series - series in SQLite: found by name, added; one prepared statement each. */
#ifndef RECORDS_SQLITE_SERIES_H
#define RECORDS_SQLITE_SERIES_H

#include "records/sqlite/backend.h"

/* Once a connection: the statements of the two below. */
int sqlite_series_prepare(struct records_backend *b, struct err *err);
/* As in engine.h. */
int sqlite_find_series(struct records_backend *b, struct series **series, size_t count,
                       struct arena *arena, struct err *err);
int sqlite_add_series(struct records_backend *b, struct series **series, size_t count,
                      struct err *err);

#endif
