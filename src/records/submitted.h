/* SPDX-License-Identifier: Apache-2.0 */
/* submitted - what jobs.c and summaries.c share on the way to a ledger and back;
 * private. */
#ifndef RECORDS_SUBMITTED_H
#define RECORDS_SUBMITTED_H

#include "records/jobs.h"
#include "records/ledger_put.h"

/* ---- putting ---- */

struct submission {
    struct records *records;
    const struct ledger *ledger;
    struct arena *arena; /* of the writer: until the next put */
    int64_t now_ms, oldest_ns;
    const struct scalar **rows;
    size_t row_count;
    struct records_submission result;
};

int submission_begin(struct submission *put, struct records *records,
                     const struct ledger *ledger, size_t count, size_t count_max,
                     int64_t now_ms, struct err *err);
/* Why something of that age is not stored, or NULL; INT64_MIN: its age is not known. */
const char *submission_check_age(const struct submission *put, int64_t t_ns);
void submission_refuse(struct submission *put, size_t index, const char *reason);
void submission_add(struct submission *put, const struct scalar *row);
int submission_end(struct submission *put, struct records_submission *ret,
                   struct err *err);

/* ---- reading ---- */

#define LEDGER_TERMS_MAX 30

struct ledger_terms {
    struct ledger_term terms[LEDGER_TERMS_MAX];
    size_t count;
};

/* Whose, as conditions with @.  owners NULL: everyone's.  More than
 * JOB_OWNERS_ACCOUNTS_MAX accounts: the first. */
struct owner_sql {
    const char *cluster, *user, *uid, *account;
};
void terms_add_owners(struct ledger_terms *terms, const struct owner_sql *sql,
                      const struct job_owners *owners);
/* value with data NULL: nothing is wanted of it. */
void terms_add_text(struct ledger_terms *terms, const char *sql, struct span value);
void terms_add_i64(struct ledger_terms *terms, const char *sql, int64_t value);
int ledger_read(struct records_reader *reader, const struct ledger_query *query,
                ledger_row_fn *fn, void *arg, struct err *err);

#endif
