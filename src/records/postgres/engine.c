/* SPDX-License-Identifier: Apache-2.0 */
/* engine - PostgreSQL's writer: one session, every put one synced transaction. */
#include "records/postgres/bulk.h"
#include "records/postgres/ledger.h"
#include "records/postgres/place.h"
#include "records/postgres/postgres.h"
#include "records/postgres/statement.h"
#include "records/tables/tables.h"

static void backend_close(struct records_backend *b)
{
    if (!b)
        return;
    pg_close(&b->conn);
    pg_upkeep_close(&b->upkeep);
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        day_list_done(&b->days[kind]);
    strbuf_done(&b->data);
    strbuf_done(&b->news);
    free((void *)(uintptr_t)b->opts.connection);
    free((void *)(uintptr_t)b->opts.schema);
    free(b);
}
DEFINE_AUTO(struct records_backend, backend_close);

static int encoding_check(struct pg_conn *c, struct err *err)
{
    const char *encoding = PQparameterStatus(c->pg, "server_encoding");
    if (encoding && strcmp(encoding, "UTF8") == 0)
        return 0;
    return err_set(err, EINVAL,
                   "postgres: the database's encoding is %s; create it with "
                   "ENCODING 'UTF8' TEMPLATE template0",
                   encoding ? encoding : "not known");
}

/* What is set and made is barod's: a reader finds it. */
static int look(struct records_backend *b, struct err *err)
{
    int rc = pg_place_find(&b->conn, err);
    if (rc == 0)
        rc = pg_schema_look(&b->conn, &b->version, err);
    if (rc == 0)
        rc = pg_detect(&b->conn, &b->schema, err);
    return rc < 0 ? rc : pg_tables_look(&b->conn, &b->schema, err);
}

static int migrate(struct records_backend *b, struct err *err)
{
    int rc = pg_detect(&b->conn, &b->schema, err);
    if (rc == 0)
        rc = pg_migrate(&b->conn, &b->schema, err);
    if (rc == 0)
        rc = pg_private_revoke(&b->conn, err);
    if (rc == 0)
        rc = pg_tables_look(&b->conn, &b->schema, err);
    if (rc == 0 && b->schema.is_hypertable && b->schema.edition == PG_COMMUNITY)
        rc = pg_policies_keep(&b->conn, &b->opts, &b->schema, err);
    if (rc == 0)
        rc = pg_identity_read(&b->conn, &b->identity, err);
    b->is_migrated = rc == 0;
    b->is_known = b->is_known || rc == 0;
    b->version = SCHEMA_VERSION;
    return rc;
}

/* Is it the one we left?  Where not, all is done again that an open does. */
static int session_recognise(struct records_backend *b, struct err *err)
{
    const struct sql_conn conn = pg_sql(&b->conn);
    struct identity_found found = { .pending = b->in_doubt ? &b->writer_id : NULL };
    struct pg_place place;
    bool is_same = false;
    int rc = pg_place_look(&b->conn, &place, err);
    if (rc == 0 && !place.is_ours)
        return identity_refuse_empty("postgres: the database at the address",
                                     &b->identity, err);
    if (rc == 0)
        rc = pg_version_read(&b->conn, &found.version, err);
    if (rc == 0)
        rc = schema_version_check(found.version, err);
    if (rc == 0 && found.version == SCHEMA_VERSION)
        rc = pg_identity_read(&b->conn, &found.have, err);
    if (rc == 0)
        rc = identity_recognise(&conn, &b->identity, &found, &is_same, &b->news, err);
    if (rc < 0)
        return rc;
    if (is_same) {
        found.have.arrived_ms = b->identity.arrived_ms;
        b->identity = found.have; /* it may have what was in doubt */
        return 0;
    }
    b->is_migrated = false;
    b->generation++; /* also where opening it fails: it is tried again, and is other */
    return 0;
}

static int write_setup(struct records_backend *b, struct err *err)
{
    /* Lookups of a batch's series go by index whatever the statistics are: a table that
     * has just begun to grow has none. */
    int rc = pg_exec(&b->conn,
                     "SET synchronous_commit = on; SET temp_buffers = '64MB';"
                     "SET enable_seqscan = off; SET enable_hashjoin = off;"
                     "SET enable_mergejoin = off",
                     err);
    if (rc == 0)
        rc = pg_check_writable(&b->conn, err);
    if (rc == 0 && b->opts.is_exclusive)
        rc = pg_writer_lock(&b->conn, &b->writer, err);
    if (rc == 0 && b->is_known)
        rc = session_recognise(b, err);
    if (rc == 0 && !b->is_migrated)
        rc = migrate(b, err);
    b->days_loaded = false;
    return rc < 0 ? rc : pg_stage_make(b, err);
}

/* Runs on each new connection. */
static int session_setup(void *arg, struct err *err)
{
    struct records_backend *b = arg;
    int rc = encoding_check(&b->conn, err);
    if (rc < 0)
        return rc;
    const bool is_read = b->opts.access == RECORDS_READ;
    /* The server gives up first, and reports why; the wait is for one that cannot. */
    const struct pg_session session = { .schema = b->opts.schema,
                                        .statement_ms = b->conn.wait_ms / 2,
                                        .lock_ms = is_read ? PG_READ_LOCK_MS
                                                           : b->conn.wait_ms / 8,
                                        .is_read_only = is_read };
    rc = pg_session_begin(&b->conn, &session, err);
    if (rc < 0)
        return rc;
    return is_read ? look(b, err) : write_setup(b, err);
}

static int connected(struct records_backend *b, struct err *err)
{
    int rc = pg_connect(&b->conn, b->opts.connection, session_setup, b, err);
    if (rc == 0 && b->opts.access == RECORDS_WRITE && !b->days_loaded)
        rc = pg_days_load(b, err);
    return rc;
}

static void describe(struct records_backend *b)
{
    static const char *const editions[] = { [PG_PLAIN] = "",
                                            [PG_APACHE] = "Apache edition",
                                            [PG_COMMUNITY] = "community edition" };
    char timescale[256] = "without TimescaleDB, native partitions";
    if (b->schema.edition != PG_PLAIN)
        (void)snprintf(
            timescale, sizeof timescale, "TimescaleDB %s %s, %s%s%s",
            b->schema.extension, editions[b->schema.edition],
            b->schema.is_hypertable ? "hypertables" : "not used: the tables are older",
            *b->schema.compression ? ", no compression: " : "", b->schema.compression);
    (void)snprintf(b->description, sizeof b->description,
                   "PostgreSQL %s, %s, schema %lld",
                   PQparameterStatus(b->conn.pg, "server_version"), timescale,
                   (long long)b->version);
}

static int backend_open(const struct records_opts *opts, struct records_backend **ret,
                        struct err *err)
{
    AUTO(backend_close) struct records_backend *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    b->conn.wait_ms = opts->timeout_ns ? opts->timeout_ns / NS_PER_MS : PG_WAIT_MS;
    b->opts = *opts;
    b->opts.connection = strdup(opts->connection ? opts->connection : "");
    b->opts.schema = strdup(opts->schema ? opts->schema : "");
    if (!b->opts.connection || !b->opts.schema)
        return -ENOMEM;
    int rc = uuid_new(&b->writer_id);
    if (rc == 0)
        rc = connected(b, err);
    if (rc < 0)
        return rc;
    describe(b);
    *ret = TAKE(b);
    return 0;
}

static const char *backend_describe(const struct records_backend *b)
{
    return b->description;
}

static void rollback(struct records_backend *b)
{
    /* A connection that cannot even roll back is left; the server does it then. */
    if (b->in_transaction && b->conn.pg && pg_exec(&b->conn, "ROLLBACK", NULL) < 0)
        pg_close(&b->conn);
    b->in_transaction = false;
    b->days_loaded = false;
}

static int begin_once(struct records_backend *b, struct err *err)
{
    const struct sql_conn conn = pg_sql(&b->conn);
    int rc = connected(b, err);
    if (rc == 0) {
        pg_upkeep_poll(&b->upkeep, &b->conn);
        rc = pg_exec(&b->conn, "BEGIN", err);
    }
    b->in_transaction = rc == 0;
    if (rc == 0)
        rc = pg_schema_check(&b->conn, err);
    if (rc == 0)
        rc = identity_advance(&conn, &b->identity, &b->writer_id, &b->pending_epoch,
                              err);
    if (rc < 0)
        rollback(b);
    return rc;
}

/* A database may be restored without an end of our session: its schema is dropped and
 * made again, or a pooler hides that the server is another one.  A new session sees
 * what there is. */
static int begin(struct records_backend *b, struct err *err)
{
    int rc = begin_once(b, err);
    if (rc != -ESTALE)
        return rc;
    pg_close(&b->conn);
    rc = begin_once(b, err);
    return rc == -ESTALE ? -EAGAIN : rc;
}

static int commit(struct records_backend *b, struct err *err)
{
    int rc = pg_exec(&b->conn, "COMMIT", err);
    b->in_doubt = rc < 0;
    if (rc < 0)
        return rc;
    b->in_transaction = false;
    b->identity.epoch = b->pending_epoch;
    b->identity.writer = b->writer_id;
    return 0;
}

static void background(const struct records_backend *b, struct records_background *ret)
{
    *ret = (struct records_background){ .failed = b->upkeep.failed,
                                        .failures = b->upkeep.failures,
                                        .compressed = b->upkeep.compressed,
                                        .chunk_failures = b->upkeep.chunk_failures,
                                        .is_compressing = b->upkeep.is_busy,
                                        .why = b->upkeep.why,
                                        .chunk_why = b->upkeep.chunk_why };
}

static uint64_t generation(const struct records_backend *b, const char **ret_news)
{
    *ret_news = strbuf_text(&b->news);
    return b->generation;
}

/* Within a transaction a broken connection stays one: what came before is lost. */
static int writer_sql(struct records_backend *b, struct sql_conn *ret, struct err *err)
{
    int rc = b->in_transaction ? 0 : connected(b, err);
    if (rc == 0)
        *ret = pg_sql(&b->conn);
    return rc;
}

static void note_batch(struct records_backend *b, int64_t now_ms)
{
    b->identity.arrived_ms = now_ms;
}

/* Partitions are made in transactions of their own, so that the locks they take are
 * not held while rows go in. */
static int prepare_days(struct records_backend *b, const struct keyed_row *rows,
                        size_t count, struct err *err)
{
    int rc = connected(b, err);
    int32_t last = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        int32_t day = day_of(rows[i].row->t_ms);
        if (i > 0 && day == last && rows[i].row->kind == rows[i - 1].row->kind)
            continue;
        last = day;
        if (!day_list_find(&b->days[rows[i].row->kind], day))
            rc = pg_day_make(b, rows[i].row->kind, day, err);
    }
    return rc;
}

static int maintain(struct records_backend *b, int64_t now_ms, int64_t oldest_ms,
                    int64_t batch_oldest_ms, struct err *err)
{
    int rc = connected(b, err);
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++) {
        int32_t tomorrow = day_of(now_ms + MS_PER_DAY);
        if (!day_list_find(&b->days[kind], tomorrow))
            rc = pg_day_make(b, (enum target_kind)kind, tomorrow, err);
    }
    if (rc == 0)
        rc = pg_days_drop(b, oldest_ms, err);
    if (rc == 0 && b->schema.is_hypertable && b->schema.edition == PG_COMMUNITY)
        pg_upkeep_step(&b->upkeep, &b->conn, &b->opts, now_ms);
    if (rc < 0)
        return rc;
    struct pg_args args = { 0 };
    pg_add_time(&args, batch_oldest_ms);
    return pg_query(&b->conn, "DELETE FROM batches WHERE arrived < $1", &args, NULL,
                    err);
}

static int ledger_drop(struct records_backend *b, const struct ledger *ledger,
                       int64_t oldest_ns, struct err *err)
{
    int rc = connected(b, err);
    return rc < 0 ? rc : pg_ledger_drop(b, ledger, oldest_ns, err);
}

const struct records_engine records_postgres = {
    .name = "postgres",
    .open = backend_open,
    .verify = pg_verify,
    .migrate = pg_engine_migrate,
    .close = backend_close,
    .describe = backend_describe,
    .background = background,
    .generation = generation,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .writer_sql = writer_sql,
    .note_batch = note_batch,
    .find_series = pg_find_series,
    .add_series = pg_add_series,
    .prepare_days = prepare_days,
    .put_rows = pg_put_rows,
    .maintain = maintain,
    .ledger_find = pg_ledger_find,
    .ledger_put = pg_ledger_put,
    .ledger_prune = pg_ledger_prune,
    .ledger_drop = ledger_drop,
    .reader_open = pg_reader_open,
    .reader_close = pg_reader_close,
    .reader_watch = pg_reader_watch,
    .reader_series = pg_reader_series,
    .reader_rows = pg_reader_rows,
    .reader_extent = pg_reader_extent,
    .reader_sql = pg_reader_sql,
    .rollup_newest = pg_rollup_newest,
    .next_rows = pg_next_rows,
    .rollup_touch = pg_rollup_touch,
    .roller_open = pg_roller_open,
    .roller_close = pg_roller_close,
    .roller_begin = pg_roller_begin,
    .roller_put = pg_roller_put,
    .roller_end = pg_roller_end,
    .roller_drop = pg_roller_drop,
    .reader_begin = pg_reader_begin,
    .reader_end = pg_reader_end,
    .reader_cells = pg_reader_cells,
    .day_table = pg_day_table,
    .day_count_sql = pg_day_count_sql,
    .day_make = pg_bulk_day_make,
    .day_note = pg_bulk_day_note,
    .bulk_begin = pg_bulk_begin,
    .bulk_row = pg_bulk_row,
    .bulk_end = pg_bulk_end,
};
