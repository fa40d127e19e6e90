/* SPDX-License-Identifier: Apache-2.0 */
/* bulk - rows of any table into PostgreSQL: see engine/bulk.h and engine.h. */
#ifndef RECORDS_POSTGRES_BULK_H
#define RECORDS_POSTGRES_BULK_H

#include "records/postgres/backend.h"

void pg_day_table(enum target_kind kind, int32_t day, struct strbuf *out);
void pg_day_count_sql(enum target_kind kind, struct strbuf *out);
int pg_bulk_day_make(struct records_backend *b, enum target_kind kind, int32_t day,
                     struct err *err);
int pg_bulk_day_note(struct records_backend *b, enum target_kind kind,
                     const struct day_span *day, uint64_t row_count, struct err *err);
int pg_bulk_begin(struct records_backend *b, const struct bulk *bulk, struct err *err);
int pg_bulk_row(struct records_backend *b, const struct bulk_value *values,
                struct err *err);
int pg_bulk_end(struct records_backend *b, struct err *err);

#endif
