/* SPDX-License-Identifier: Apache-2.0 */
/* told - what jobs.c and summaries.c share on the way to a ledger and back; private. */
#ifndef RECORDS_TOLD_H
#define RECORDS_TOLD_H

#include "records/jobs.h"
#include "records/ledger_put.h"

/* ---- putting ---- */

struct told_put {
    struct records *records;
    const struct ledger *ledger;
    struct arena *arena; /* of the writer: until the next put */
    int64_t now_ms, oldest_ns;
    const struct scalar **rows;
    size_t row_count;
    struct records_told told;
};

int told_begin(struct told_put *put, struct records *records,
               const struct ledger *ledger, size_t count, size_t count_max,
               int64_t now_ms, struct err *err);
/* Why something of that age is not kept, or NULL; INT64_MIN: not told. */
const char *told_age_check(const struct told_put *put, int64_t t_ns);
void told_refuse(struct told_put *put, size_t index, const char *reason);
void told_add(struct told_put *put, const struct scalar *row);
int told_end(struct told_put *put, struct records_told *ret, struct err *err);

/* ---- reading ---- */

#define TOLD_TERMS_MAX 10

struct told_terms {
    struct ledger_term terms[TOLD_TERMS_MAX];
    size_t count;
};

/* value with data NULL: nothing is wanted of it. */
void told_want_text(struct told_terms *terms, const char *sql, struct span value);
void told_want_i64(struct told_terms *terms, const char *sql, int64_t value);
int told_read(struct records_reader *reader, const struct ledger_query *query,
              ledger_row_fn *fn, void *arg, struct err *err);

#endif
