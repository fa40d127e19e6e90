/* SPDX-License-Identifier: Apache-2.0 */
/* put_rows - rows into the tables of their days, one prepared INSERT each. */
#ifndef RECORDS_SQLITE_PUT_ROWS_H
#define RECORDS_SQLITE_PUT_ROWS_H

#include "records/sqlite/backend.h"

/* As in engine.h. */
int sqlite_put_rows(struct records_backend *b, enum target_kind kind,
                    struct keyed_row *rows, size_t count, struct err *err);
/* Finalize the prepared INSERTs: an open one locks the table that it names. */
void sqlite_inserts_drop(struct records_backend *b);

#endif
