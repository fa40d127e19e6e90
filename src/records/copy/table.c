/* SPDX-License-Identifier: Apache-2.0 */
/* table - the tables that a copy of a database has, and by what each is divided. */
#include "records/copy/table.h"

#define SERIES_IN_PART 65536
#define JOBS_PART_NS (24 * INT64_C(3600) * NS_PER_S)

static const struct bulk_column namespaces_columns[] = { { "fs", BULK_TEXT },
                                                         { "format", BULK_TEXT },
                                                         { "namespace", BULK_UUID } };
static const struct bulk_column namespace_names_columns[] = {
    { "namespace", BULK_UUID }, { "fs", BULK_TEXT }
};
static const struct bulk_column servers_columns[] = { { "server", BULK_I32 },
                                                      { "name", BULK_TEXT } };
static const struct bulk_column series_columns[] = {
    { "sid", BULK_I64 },           { "time_series_id", BULK_UUID },
    { "fs", BULK_TEXT },           { "target", BULK_TEXT },
    { "kind", BULK_TEXT },         { "entry_id", BULK_TEXT },
    { "entry_bytes", BULK_BYTES }, { "format", BULK_TEXT },
    { "job_id", BULK_TEXT },       { "user_id", BULK_TEXT },
    { "group_id", BULK_TEXT },     { "nodename", BULK_TEXT },
    { "executable", BULK_TEXT },   { "pid", BULK_TEXT },
    { "flags", BULK_I32 },         { "is_login", BULK_BOOL },
};
static const struct bulk_column rows_columns[] = {
    { "timestamp", BULK_TIME }, { "sid", BULK_I64 },
    { "since", BULK_TIME },     { "previous", BULK_TIME },
    { "reset", BULK_BOOL },     { "server", BULK_I32 },
    { "more", BULK_TEXT },      { "snapshot_time", BULK_I64 },
    { "start_time", BULK_I64 },
};
static const struct bulk_column cells_columns[] = {
    { "hour", BULK_TIME },       { "sid", BULK_I64 },    { "part", BULK_I32 },
    { "server", BULK_I32 },      { "since", BULK_TIME }, { "timestamp", BULK_TIME },
    { "flags", BULK_I32 },       { "count", BULK_I64 },  { "missing", BULK_I64 },
    { "missing_sum", BULK_I64 },
};
static const struct bulk_column hours_columns[] = { { "kind", BULK_TEXT },
                                                    { "hour", BULK_TIME },
                                                    { "is_clean", BULK_BOOL },
                                                    { "changes", BULK_I64 } };
static const struct bulk_column batches_columns[] = {
    { "agent", BULK_UUID },    { "sequence", BULK_I64 }, { "arrived", BULK_TIME },
    { "taken", BULK_I64 },     { "known", BULK_I64 },    { "refused", BULK_I64 },
    { "refusals", BULK_TEXT },
};

static const char *const op_columns[] = {
#define OP_COLUMNS(id, name, mdt, ost, sum) name, name "_sum",
    OP_TABLE(OP_COLUMNS)
#undef OP_COLUMNS
};

/* columns, then two for each operation of the kind where the table has operations. */
static int table_make(struct copy_table *table, const struct bulk_column *columns,
                      size_t count, bool has_ops)
{
    struct bulk_column *made = calloc(count + COUNT_OF(op_columns), sizeof *made);
    if (!made)
        return -ENOMEM;
    memcpy(made, columns, count * sizeof *made);
    for (size_t i = 0; has_ops && i < COUNT_OF(op_columns); i++)
        if (op_is_on((enum op)(i / 2), table->kind))
            made[count++] = (struct bulk_column){ op_columns[i], BULK_I64 };
    table->columns = made;
    table->column_count = count;
    return 0;
}

static int ledger_make(struct copy_table *table, const struct ledger *ledger)
{
    static const enum bulk_type types[] = { [SCALAR_TEXT] = BULK_TEXT,
                                            [SCALAR_I64] = BULK_I64,
                                            [SCALAR_DOUBLE] = BULK_DOUBLE };
    table->columns = calloc(ledger->column_count, sizeof *table->columns);
    if (!table->columns)
        return -ENOMEM;
    table->name = ledger->table;
    table->is_private = ledger->is_private;
    table->column_count = ledger->column_count;
    for (size_t i = 0; i < ledger->column_count; i++)
        table->columns[i] = (struct bulk_column){ ledger->columns[i].name,
                                                  types[ledger->columns[i].type] };
    return 0;
}

enum {
    AT_NAMESPACES,
    AT_NAMES,
    AT_SERVERS,
    AT_SERIES,
    AT_ROWS,
    AT_CELLS = AT_ROWS + TARGET_KIND_COUNT,
    AT_HOURS = AT_CELLS + TARGET_KIND_COUNT,
    AT_JOBS,
    AT_SUMMARIES,
    AT_ID_NAMES,
    AT_READINGS,
    AT_STEPS,
    AT_METRICS,
    AT_STATEMENTS,
    AT_CHANGES,
    AT_SESSIONS,
    AT_FILES,
    AT_DATASETS,
    AT_STAYS,
    AT_PART_CHANGES,
    AT_BATCHES,
    AT_END,
};
_Static_assert(AT_END == COPY_TABLE_COUNT, "each table has its position");

static const struct copy_table tables[COPY_TABLE_COUNT] = {
    [AT_NAMESPACES] = { .name = "namespaces" },
    [AT_NAMES] = { .name = "namespace_names" },
    [AT_SERVERS] = { .name = "servers" },
    [AT_SERIES] = { "series", COPY_BY_NUMBER, "sid", SERIES_IN_PART, 0, NULL, 0 },
    [AT_ROWS + TARGET_MDT] = { "jobstats_mdt", COPY_BY_DAY, "timestamp", MS_PER_DAY,
                               TARGET_MDT, NULL, 0 },
    [AT_ROWS + TARGET_OST] = { "jobstats_ost", COPY_BY_DAY, "timestamp", MS_PER_DAY,
                               TARGET_OST, NULL, 0 },
    [AT_CELLS + TARGET_MDT] = { "rollup_mdt", COPY_BY_TIME, "hour", MS_PER_DAY,
                                TARGET_MDT, NULL, 0 },
    [AT_CELLS + TARGET_OST] = { "rollup_ost", COPY_BY_TIME, "hour", MS_PER_DAY,
                                TARGET_OST, NULL, 0 },
    [AT_HOURS] = { .name = "rollup_hours" },
    [AT_JOBS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_SUMMARIES] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_READINGS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_STEPS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_METRICS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_STATEMENTS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_CHANGES] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_SESSIONS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_FILES] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_DATASETS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_STAYS] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_PART_CHANGES] = { NULL, COPY_BY_NUMBER, "start_ns", JOBS_PART_NS, 0, NULL, 0 },
    [AT_BATCHES] = { .name = "batches",
                     .key = COPY_BY_ID_BYTE0,
                     .key_column = "agent" },
};

int copy_tables_make(struct copy_tables *ret)
{
    static const struct {
        const struct bulk_column *columns;
        size_t count;
        int at;
        bool has_ops;
    } made[] = {
        { namespaces_columns, COUNT_OF(namespaces_columns), AT_NAMESPACES, false },
        { namespace_names_columns, COUNT_OF(namespace_names_columns), AT_NAMES, false },
        { servers_columns, COUNT_OF(servers_columns), AT_SERVERS, false },
        { series_columns, COUNT_OF(series_columns), AT_SERIES, false },
        { rows_columns, COUNT_OF(rows_columns), AT_ROWS + TARGET_MDT, true },
        { rows_columns, COUNT_OF(rows_columns), AT_ROWS + TARGET_OST, true },
        { cells_columns, COUNT_OF(cells_columns), AT_CELLS + TARGET_MDT, true },
        { cells_columns, COUNT_OF(cells_columns), AT_CELLS + TARGET_OST, true },
        { hours_columns, COUNT_OF(hours_columns), AT_HOURS, false },
        { batches_columns, COUNT_OF(batches_columns), AT_BATCHES, false },
    };
    const struct ledger *const ledgers[] = { &ledger_jobs,
                                             ledger_summaries(),
                                             &ledger_id_names,
                                             &ledger_target_readings,
                                             &ledger_job_steps,
                                             &ledger_job_metrics,
                                             &ledger_resource_statements,
                                             &ledger_resource_changes,
                                             &ledger_session_reports,
                                             &ledger_job_files,
                                             &ledger_job_datasets,
                                             &ledger_part_stays,
                                             &ledger_part_changes };
    int rc = 0;
    memcpy(ret->tables, tables, sizeof tables);
    for (size_t i = 0; i < COUNT_OF(made) && rc == 0; i++)
        rc = table_make(&ret->tables[made[i].at], made[i].columns, made[i].count,
                        made[i].has_ops);
    for (size_t i = 0; i < COUNT_OF(ledgers) && rc == 0; i++)
        rc = ledger_make(&ret->tables[AT_JOBS + i], ledgers[i]);
    return rc;
}

void copy_tables_done(struct copy_tables *made)
{
    for (size_t i = 0; i < COPY_TABLE_COUNT; i++)
        free(made->tables[i].columns);
}
