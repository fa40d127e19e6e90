/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - what the writer, the roller and a reader share of PostgreSQL's hours. */
#ifndef RECORDS_POSTGRES_ROLLUP_H
#define RECORDS_POSTGRES_ROLLUP_H

#include "records/postgres/backend.h"

/* Of rollup.c: writers hold it shared, who begins an hour holds it alone. */
#define PG_HOURS_LOCK "6512369773"
/* The text of the index and that of the statement must be one. */
#define PG_LONG_CELL "\"timestamp\" - since > INTERVAL '1 hour'"
_Static_assert(ROLLUP_LONG_MS == MS_PER_HOUR, "the index of long cells is of one hour");

#endif
