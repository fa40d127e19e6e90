/* SPDX-License-Identifier: Apache-2.0 */
/* put - a batch on its way into the database: check, find series, store, respond.
 *
 *     rows ─▶ checked ─▶ series: cache ─▶ one query ─▶ described
 *          ─▶ sorted by (kind, time, sid), each key once ─▶ stored ─▶ COMMIT ─▶
 * stored_fn
 */
#include "base/span.h"
#include "records/batch_series.h"
#include "records/clock_doubt.h"
#include "records/hour_touch.h"
#include "records/names.h"
#include "records/refusal.h"
#include "records/transaction.h"

struct put {
    struct records *records;
    const struct jobbatch *batch;
    int64_t now_ms;
    struct arena *arena;
    struct keyed_row *rows; /* accepted; sorted by rows_sort() */
    size_t row_count;
    struct batch_series series;
    size_t off_count; /* refused for their time alone */
    bool *is_new;     /* by index in the batch */
    enum refusal reasons[RECORDS_REFUSALS_MAX];
    struct records_response response;
};

static void refuse(struct put *put, size_t index, enum refusal reason)
{
    struct records_response *response = &put->response;
    response->refused++;
    if (response->refusal_count == RECORDS_REFUSALS_MAX)
        return;
    put->reasons[response->refusal_count] = reason;
    response->refusals[response->refusal_count++] =
        (struct records_refusal){ .row = index, .reason = refusal_text(reason) };
}

/* ---- checking ---- */

static int rows_check(struct put *put)
{
    size_t count = put->batch->row_count;
    put->rows = arena_alloc(put->arena, count * sizeof *put->rows + 1);
    put->is_new = arena_alloc(put->arena, count + 1);
    if (!put->rows || !put->is_new ||
        batch_series_init(&put->series, put->records, put->arena, count) < 0)
        return -ENOMEM;
    int64_t oldest_ms = put->now_ms - put->records->retention_ms;
    for (size_t i = 0; i < count; i++) {
        enum refusal reason = refusal_of_row(&put->batch->rows[i], oldest_ms,
                                             put->now_ms + RECORDS_FUTURE_MS);
        if (reason != REFUSAL_NONE) {
            refuse(put, i, reason);
            put->off_count += reason == REFUSAL_OLD || reason == REFUSAL_FUTURE;
            continue;
        }
        put->rows[put->row_count++] =
            (struct keyed_row){ .row = &put->batch->rows[i], .index = (uint32_t)i };
    }
    return 0;
}

/* ---- rows ---- */

static int row_order(const void *a, const void *b)
{
    const struct keyed_row *x = a, *y = b;
    if (x->row->kind != y->row->kind)
        return x->row->kind < y->row->kind ? -1 : 1;
    if (x->row->t_ms != y->row->t_ms)
        return x->row->t_ms < y->row->t_ms ? -1 : 1;
    if (x->sid != y->sid)
        return x->sid < y->sid ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Give rows their sid and server, put them into the order of the primary key, and drop
 * all but the first of those with the same key. */
static int rows_sort(struct put *put, struct err *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < put->row_count; i++) {
        struct keyed_row *row = &put->rows[i];
        const struct series *s = put->series.series[row->index];
        if (s->kind != row->row->kind) {
            refuse(put, row->index, REFUSAL_KIND);
            continue;
        }
        int rc = names_server(put->records, row->row->server, &row->server_id, err);
        if (rc < 0)
            return rc;
        row->sid = s->sid;
        put->rows[kept++] = *row;
    }
    put->row_count = kept;
    if (kept == 0)
        return 0;
    qsort(put->rows, put->row_count, sizeof *put->rows, row_order);
    kept = 0;
    for (size_t i = 0; i < put->row_count; i++) {
        const struct keyed_row *last = kept ? &put->rows[kept - 1] : NULL;
        if (last && last->sid == put->rows[i].sid &&
            last->row->t_ms == put->rows[i].row->t_ms)
            put->response.duplicate++;
        else
            put->rows[kept++] = put->rows[i];
    }
    put->row_count = kept;
    return 0;
}

static int rows_store(struct put *put, struct err *err)
{
    struct records *records = put->records;
    for (size_t i = 0; i < put->row_count;) {
        enum target_kind kind = put->rows[i].row->kind;
        size_t end = i;
        while (end < put->row_count && put->rows[end].row->kind == kind)
            end++;
        int rc = records->engine->put_rows(records->backend, kind, put->rows + i,
                                           end - i, err);
        if (rc == 0)
            rc = hour_touch_rows(records, kind, put->rows + i, end - i, err);
        if (rc < 0)
            return rc;
        i = end;
    }
    for (size_t i = 0; i < put->row_count; i++) {
        put->is_new[put->rows[i].index] = put->rows[i].is_new;
        if (put->rows[i].is_new)
            put->response.accepted++;
        else
            put->response.duplicate++;
    }
    return 0;
}

/* ---- responses ---- */

static int response_store(struct put *put, struct err *err)
{
    AUTO(strbuf_done) struct strbuf refusals = STRBUF_INIT;
    const struct records_response *response = &put->response;
    refusals_print(&refusals, response->refusals, put->reasons,
                   response->refusal_count);
    if (strbuf_error(&refusals))
        return -ENOMEM;
    struct stored_response stored = { .accepted = response->accepted,
                                      .duplicate = response->duplicate,
                                      .refused = response->refused,
                                      .refusals = strbuf_text(&refusals) };
    struct records *records = put->records;
    struct sql_conn conn;
    int rc = records->engine->writer_sql(records->backend, &conn, err);
    if (rc == 0)
        rc = batch_add(&conn, &put->batch->agent, put->batch->sequence, put->now_ms,
                       &stored, err);
    if (rc == 0)
        records->engine->note_batch(records->backend, put->now_ms);
    return rc;
}

static void response_restore(const struct stored_response *stored,
                             struct records_response *ret)
{
    *ret = (struct records_response){ .accepted = stored->accepted,
                                      .duplicate = stored->duplicate,
                                      .refused = stored->refused,
                                      .replayed = true };
    ret->refusal_count =
        refusals_parse(span_of(stored->refusals), ret->refusals, RECORDS_REFUSALS_MAX);
}

/* 1: the batch was known, and has its first response again. */
static int response_find(struct put *put, struct err *err)
{
    struct records *records = put->records;
    struct stored_response stored = { 0 };
    struct sql_conn conn;
    bool found = false;
    int rc = records->engine->writer_sql(records->backend, &conn, err);
    if (rc == 0)
        rc = batch_find(&conn, &put->batch->agent, put->batch->sequence, put->arena,
                        &found, &stored, err);
    if (rc < 0 || !found)
        return rc;
    response_restore(&stored, &put->response);
    return 1;
}

/* Between begin and commit.  Returns 1 when the batch was known: nothing was done. */
static int put_in(struct put *put, struct err *err)
{
    int rc = put->batch->has_id ? response_find(put, err) : 0;
    if (rc != 0)
        return rc;
    if (put->off_count && put->off_count == put->batch->row_count)
        rc = clock_doubt_check(put->records, put->now_ms, err);
    if (rc == 0)
        rc = batch_series_find(&put->series, put->rows, put->row_count, err);
    if (rc == 0)
        rc = rows_sort(put, err);
    if (rc == 0)
        rc = rows_store(put, err);
    if (rc == 0 && put->batch->has_id)
        rc = response_store(put, err);
    return rc;
}

/* After COMMIT: nothing here can fail the batch any more. */
static void put_report(struct put *put, records_stored_fn *stored_fn, void *arg)
{
    const struct jobbatch *batch = put->batch;
    for (size_t i = 0; stored_fn && i < batch->row_count; i++)
        if (put->is_new[i])
            stored_fn(arg, put->series.series[i], &batch->rows[i]);
    clock_doubt_note(put->records, put->rows, put->row_count);
    batch_series_cache(&put->series); /* last: it may evict one of those above */
}

int records_put(struct records *records, const struct jobbatch *batch, int64_t now_ms,
                struct records_response *ret, records_stored_fn *stored_fn, void *arg,
                struct err *err)
{
    if (batch->row_count > JOBBATCH_ROWS_MAX)
        return err_set(err, EMSGSIZE, "records: %zu rows in a batch, %d are allowed",
                       batch->row_count, JOBBATCH_ROWS_MAX);
    struct put put = { .records = records, .batch = batch, .now_ms = now_ms };
    put.arena = &records->arena;
    arena_reset(&records->arena);
    int rc = check_writable(records, err);
    if (rc == 0)
        rc = rows_check(&put);
    if (rc == 0)
        rc = records->engine->prepare_days(records->backend, put.rows, put.row_count,
                                           err);
    if (rc == 0)
        rc = transaction_begin(records, err);
    if (rc < 0)
        return rc;
    rc = put_in(&put, err);
    if (rc == 0) {
        rc = transaction_commit(records, err);
        records->doubts += rc == -EAGAIN || rc == -EIO; /* others say no, and mean it */
    } else {
        transaction_failed(records, rc, err);
        transaction_rollback(records);
    }
    if (rc < 0)
        return rc == -EEXIST ? -EAGAIN
                             : rc; /* another writer was quicker: look again */
    if (rc == 0)
        put_report(&put, stored_fn, arg);
    *ret = put.response;
    return 0;
}

uint64_t records_doubts(const struct records *records)
{
    return records->doubts;
}

int records_namespace(struct records *records, struct span fs, struct span format,
                      struct uuid *ret, struct err *err)
{
    int rc = check_writable(records, err);
    if (rc == 0)
        rc = transaction_begin(records, err);
    if (rc < 0)
        return rc;
    struct namespace_known known;
    rc = names_namespace(records, fs, format, &known, err);
    if (rc < 0)
        transaction_rollback(records);
    else
        rc = transaction_commit(records, err);
    if (rc == 0)
        *ret = known.ns;
    return rc;
}
