/* SPDX-License-Identifier: Apache-2.0 */
/* packed_row - the integers of a row as one blob: SQL function baro_pack(columns). */
#include "records/sqlite/packed_row.h"

#include "records/sqlite/db.h"

#include <assert.h>
#include <string.h>

struct packed {
    uint64_t mask;
    int64_t values[PACKED_COLUMNS_MAX];
};

static void pack(sqlite3_context *context, int count, sqlite3_value **columns)
{
    struct packed packed = { 0 };
    int value_count = 0;
    if (count > PACKED_COLUMNS_MAX) {
        sqlite3_result_error(context, "baro_pack: too many columns", -1);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (sqlite3_value_type(columns[i]) == SQLITE_NULL)
            continue;
        packed.mask |= UINT64_C(1) << i;
        packed.values[value_count++] = sqlite3_value_int64(columns[i]);
    }
    sqlite3_result_blob(
        context, &packed,
        (int)(sizeof packed.mask + (size_t)value_count * sizeof packed.values[0]),
        SQLITE_TRANSIENT);
}

int packed_row_install(sqlite3 *db, struct err *err)
{
    return sqlite3_create_function(db, "baro_pack", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                   NULL, pack, NULL, NULL) == SQLITE_OK
               ? 0
               : db_error(db, "create_function", err);
}

/* ---- its columns ---- */

static bool packed_number(const struct sql_row *row, int column, int64_t *ret)
{
    const char *blob = row->result;
    uint64_t mask, bit = UINT64_C(1) << column;
    memcpy(&mask, blob, sizeof mask);
    if (!(mask & bit))
        return false;
    size_t at = (size_t)__builtin_popcountll(mask & (bit - 1));
    memcpy(ret, blob + sizeof mask + at * sizeof *ret, sizeof *ret);
    return true;
}

static bool packed_is_null(const struct sql_row *row, int column)
{
    int64_t value;
    return !packed_number(row, column, &value);
}

static int64_t packed_i64(const struct sql_row *row, int column)
{
    int64_t value = 0;
    return packed_number(row, column, &value) ? value : 0;
}

static int64_t packed_time(const struct sql_row *row, int column)
{
    int64_t t_ms = T_NONE;
    return packed_number(row, column, &t_ms) ? t_ms : T_NONE;
}

static const struct sql_dialect packed_dialect = {
    .is_null = packed_is_null,
    .i64 = packed_i64,
    .number = packed_number,
    .time = packed_time,
};

struct sql_row packed_row(sqlite3_stmt *stmt, int column)
{
    const void *blob = sqlite3_column_blob(stmt, column);
    assert(blob);
    return (struct sql_row){ &packed_dialect, blob, 0 };
}
