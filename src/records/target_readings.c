/* SPDX-License-Identifier: Apache-2.0 */
/* target_readings - how full targets were, and which servers had them. */
#include "records/target_readings.h"

#include "base/number.h"
#include "records/records_private.h"
#include "records/submitted.h"

int records_put_target_readings(struct records *records,
                                const struct target_reading *readings, size_t count,
                                int64_t now_ms, struct records_submission *ret,
                                struct err *err)
{
    struct submission put;
    int rc = submission_begin(&put, records, &ledger_target_readings, count,
                              RECORDS_READINGS_MAX, now_ms, err);
    put.oldest_ns = (now_ms - records->retention_ms) * NS_PER_MS;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *reason = target_reading_check(&readings[i]);
        if (!reason && readings[i].t_ns < put.oldest_ns)
            reason = "it is older than retention in [records]";
        if (!reason)
            reason = submission_check_age(&put, readings[i].t_ns);
        if (reason) {
            submission_refuse(&put, i, reason);
            continue;
        }
        const struct scalar *row =
            target_reading_ledger_row(&readings[i], now_ms, put.arena);
        if (row)
            submission_add(&put, row);
        else
            rc = -ENOMEM;
    }
    return rc < 0 ? rc : submission_end(&put, ret, err);
}

/* ---- finding ---- */

struct readings_find {
    records_target_reading_fn *fn;
    void *arg;
};

static int on_reading_row(void *arg, const struct scalar *row)
{
    const struct readings_find *find = arg;
    struct target_reading reading;
    target_reading_ledger_reading(row, &reading);
    /* Another program may have stored what is none here. */
    return target_reading_check(&reading) ? 0 : find->fn(find->arg, &reading);
}

int records_find_target_readings(struct records_reader *reader,
                                 const struct target_reading_filter *filter,
                                 records_target_reading_fn *fn, void *arg,
                                 struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct readings_find find = { fn, arg };
    terms_add_text(&terms, "fs = @", filter->fs);
    if (!filter->fs.data) /* an index has the end, which is the same */
        terms_add_i64(&terms, LEDGER_END " >= @", filter->from_ns);
    terms_add_i64(&terms, "start_ns >= @", filter->from_ns);
    terms_add_i64(&terms, "start_ns < @", filter->to_ns);
    const struct ledger_query query = { .ledger = &ledger_target_readings,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "cluster, target, start_ns, source" };
    return ledger_read(reader, &query, on_reading_row, &find, err);
}
