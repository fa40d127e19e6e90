/* SPDX-License-Identifier: Apache-2.0 */
/* transaction - the writer's transactions, and what a failure says of the database. */
#include "records/transaction.h"

#include "base/clock.h"
#include "records/names.h"

int check_connected(const struct records *records, struct err *err)
{
    return atomic_load(&records->is_connected)
               ? 0
               : err_set(err, EAGAIN, "the database is not there yet: try again");
}

int check_writable(const struct records *records, struct err *err)
{
    if (records->opts.access != RECORDS_WRITE)
        return err_set(err, EACCES, "records: the database was opened to be read only");
    return check_connected(records, err);
}

/* Where nothing was known before, nothing is forgotten. */
static int database_compare(struct records *records, struct err *err)
{
    const char *news = "";
    uint64_t generation = records->engine->generation
                              ? records->engine->generation(records->backend, &news)
                              : 0;
    if (generation == records->generation)
        return 0;
    series_cache_clear(records->cache);
    names_forget(records);
    records->witness_ms = T_NONE;
    int rc = names_note_configured(records, err);
    if (rc < 0)
        return rc;
    records->generation = generation;
    records_health_set_news(records->health, generation, news);
    return 0;
}

/* The transaction may have been the one that stored what is remembered. */
void transaction_rollback(struct records *records)
{
    records->engine->rollback(records->backend);
    names_forget(records);
}

int transaction_begin(struct records *records, struct err *err)
{
    struct err why = { 0 };
    if (records_health_is_damaged(records->health))
        return records_health_check(records->health, err);
    int rc = records->engine->begin(records->backend, &why);
    if (rc == 0) {
        rc = database_compare(records, &why);
        if (rc < 0)
            transaction_rollback(records);
    }
    records_health_set_begin(records->health, rc, why.text);
    if (rc < 0)
        return err_set(err, -rc, "%s", why.text);
    records->begun_ns = clock_monotonic_ns();
    return 0;
}

void transaction_failed(struct records *records, int rc, const struct err *err)
{
    if (rc == -EIO || rc == -ENOSPC || rc == -EACCES || rc == -EUCLEAN)
        records_health_set_write(records->health, rc, err ? err->text : "");
}

int transaction_commit(struct records *records, struct err *err)
{
    struct err why = { 0 };
    int rc = records->engine->commit(records->backend, &why);
    if (rc == 0) {
        records_health_set_write(records->health, 0, "");
        return 0;
    }
    transaction_failed(records, rc, &why);
    transaction_rollback(records);
    return err_set(err, -rc, "%s", why.text);
}
