/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - hours of increments: the door to what the engines store of them. */
#include "records/rollup.h"

#include "records/reader.h"
#include "records/transaction.h"

/* ---- making ---- */

struct records_roller {
    const struct records_engine *engine;
    struct records_health *health; /* of the records */
    struct engine_roller *roller;
};

static int roller_result(const struct records_roller *roller, int rc,
                         const struct err *err)
{
    if (rc == -EUCLEAN)
        records_health_set_damage(roller->health, err ? err->text : "damage was read");
    return rc;
}

int records_roller_open(struct records *records, struct records_roller **ret,
                        struct err *err)
{
    AUTO(records_roller_close)
    struct records_roller *roller = calloc(1, sizeof *roller);
    if (!roller)
        return -ENOMEM;
    roller->engine = records->engine;
    roller->health = records->health;
    int rc = check_connected(records, err);
    if (rc == 0)
        rc = records->engine->roller_open(records->backend, &roller->roller, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(roller);
    return 0;
}

void records_roller_close(struct records_roller *roller)
{
    if (!roller)
        return;
    if (roller->roller)
        roller->engine->roller_close(roller->roller);
    free(roller);
}

int records_roller_begin(struct records_roller *roller, enum target_kind kind,
                         int64_t hour_ms, int64_t *ret_ticket, struct err *err)
{
    return roller_result(
        roller,
        roller->engine->roller_begin(roller->roller, kind, hour_ms, ret_ticket, err),
        err);
}

int records_roller_put(struct records_roller *roller, enum target_kind kind,
                       int64_t hour_ms, int64_t ticket, const struct rollup_cell *cells,
                       size_t count, struct err *err)
{
    return roller_result(roller,
                         roller->engine->roller_put(roller->roller, kind, hour_ms,
                                                    ticket, cells, count, err),
                         err);
}

int records_roller_end(struct records_roller *roller, enum target_kind kind,
                       int64_t hour_ms, int64_t ticket, struct err *err)
{
    return roller_result(
        roller, roller->engine->roller_end(roller->roller, kind, hour_ms, ticket, err),
        err);
}

int records_roller_drop(struct records_roller *roller, enum target_kind kind,
                        int64_t oldest_ms, bool *ret_dropped, struct err *err)
{
    return roller_result(
        roller,
        roller->engine->roller_drop(roller->roller, kind, oldest_ms, ret_dropped, err),
        err);
}

/* ---- reading ---- */

int records_reader_begin(struct records_reader *reader, struct err *err)
{
    return reader_result(reader, reader->engine->reader_begin(reader->reader, err),
                         err);
}

void records_reader_end(struct records_reader *reader)
{
    reader->engine->reader_end(reader->reader);
}

int records_read_hours(struct records_reader *reader, enum target_kind kind,
                       int64_t from_ms, int64_t to_ms, records_hour_fn *fn, void *arg,
                       struct err *err)
{
    struct sql_conn conn;
    int rc = reader->engine->reader_sql(reader->reader, &conn, err);
    if (rc == 0)
        rc = hours_read(&conn, kind, reader_clamp(from_ms), reader_clamp(to_ms), fn,
                        arg, err);
    return reader_result(reader, rc, err);
}

int records_read_cells(struct records_reader *reader, const struct cell_range *range,
                       records_cell_fn *fn, void *arg, struct err *err)
{
    int rc = reader->engine->reader_cells(reader->reader, range, fn, arg, err);
    return reader_result(reader, rc, err);
}
