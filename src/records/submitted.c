/* SPDX-License-Identifier: Apache-2.0 */
/* submitted - what jobs.c and summaries.c share on the way to a ledger and back. */
#include "records/submitted.h"

#include "records/reader.h"

#include <assert.h>

int submission_begin(struct submission *put, struct records *records,
                     const struct ledger *ledger, size_t count, size_t count_max,
                     int64_t now_ms, struct err *err)
{
    int64_t retention_ns = records->opts.retention_jobs_ns;
    *put = (struct submission){ .records = records,
                                .ledger = ledger,
                                .arena = &records->arena,
                                .now_ms = now_ms,
                                .oldest_ns = INT64_MIN };
    if (count > count_max)
        return err_set(err, EMSGSIZE, "records: %zu at once, %zu are allowed", count,
                       count_max);
    if (retention_ns > 0)
        put->oldest_ns = now_ms * NS_PER_MS - retention_ns;
    arena_reset(&records->arena);
    put->rows = arena_alloc(put->arena, (count + 1) * sizeof *put->rows);
    return put->rows ? 0 : -ENOMEM;
}

const char *submission_check_age(const struct submission *put, int64_t t_ns)
{
    if (t_ns == INT64_MIN)
        return NULL;
    if (t_ns < put->oldest_ns)
        return "it is older than retention_jobs in [records]";
    if (t_ns > (put->now_ms + RECORDS_FUTURE_MS) * NS_PER_MS)
        return "a time of it is still to come";
    return NULL;
}

void submission_refuse(struct submission *put, size_t index, const char *reason)
{
    struct records_submission *result = &put->result;
    result->refused++;
    if (result->refusal_count < RECORDS_SUBMISSION_REFUSALS_MAX)
        result->refusals[result->refusal_count++] =
            (struct records_submission_refusal){ .index = index, .reason = reason };
}

void submission_add(struct submission *put, const struct scalar *row)
{
    put->rows[put->row_count++] = row;
}

int submission_end(struct submission *put, struct records_submission *ret,
                   struct err *err)
{
    size_t size = (put->row_count + 1) * sizeof(enum ledger_outcome);
    enum ledger_outcome *outcomes = arena_alloc(put->arena, size);
    if (!outcomes)
        return -ENOMEM;
    int rc = ledger_put(put->records, put->ledger, put->rows, put->row_count,
                        put->arena, outcomes, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < put->row_count; i++) {
        put->result.accepted += outcomes[i] == LEDGER_ACCEPTED;
        put->result.changed += outcomes[i] == LEDGER_CHANGED;
        put->result.duplicate += outcomes[i] == LEDGER_DUPLICATE;
    }
    *ret = put->result;
    return 0;
}

/* ---- reading ---- */

static void term_add(struct ledger_terms *terms, struct ledger_term term)
{
    assert(terms->count < LEDGER_TERMS_MAX);
    terms->terms[terms->count++] = term;
}

void terms_add_text(struct ledger_terms *terms, const char *sql, struct span value)
{
    if (value.data)
        term_add(terms,
                 (struct ledger_term){ sql, SCALAR_TEXT, scalar_text(value), false });
}

static void alternative_add(struct ledger_terms *terms, size_t first, const char *sql,
                            struct span value)
{
    term_add(terms, (struct ledger_term){ sql, SCALAR_TEXT, scalar_text(value),
                                          terms->count > first });
}

void terms_add_owners(struct ledger_terms *terms, const struct owner_sql *sql,
                      const struct job_owners *owners)
{
    if (!owners)
        return;
    if (owners->cluster.size > 0)
        terms_add_text(terms, sql->cluster, owners->cluster);
    /* The first is always there: owners without a name own nothing. */
    size_t first = terms->count;
    alternative_add(terms, first, sql->user, owners->user);
    if (owners->uid.size > 0)
        alternative_add(terms, first, sql->uid, owners->uid);
    for (size_t i = 0; i < owners->account_count && i < JOB_OWNERS_ACCOUNTS_MAX; i++)
        if (owners->accounts[i].size > 0)
            alternative_add(terms, first, sql->account, owners->accounts[i]);
}

void terms_add_i64(struct ledger_terms *terms, const char *sql, int64_t value)
{
    term_add(terms, (struct ledger_term){ sql, SCALAR_I64, scalar_i64(value), false });
}

int ledger_read(struct records_reader *reader, const struct ledger_query *query,
                ledger_row_fn *fn, void *arg, struct err *err)
{
    struct sql_conn conn;
    int rc = reader->engine->reader_sql(reader->reader, &conn, err);
    if (rc == 0)
        rc = ledger_select(&conn, query, fn, arg, err);
    return reader_result(reader, rc, err);
}
