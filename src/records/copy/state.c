/* SPDX-License-Identifier: Apache-2.0 */
/* state - how far a copy is: the table records_copy of the destination. */
#include "records/copy/state.h"

#include "base/span.h"

#include <stdio.h>

#define UNFINISHED "unfinished"
#define FINISHED "finished"

static int is_there(const struct copy_side *side, bool *ret, struct err *err)
{
    int64_t count = 0;
    const char *sql = strcmp(side->engine->name, "sqlite") == 0
                          ? "SELECT count(*) FROM sqlite_master WHERE name = "
                            "'" COPY_STATE_TABLE "'"
                          : "SELECT count(*) FROM pg_class WHERE oid = "
                            "to_regclass('" COPY_STATE_TABLE "')";
    int rc = sql_number(&side->sql, sql, NULL, 0, &count, err);
    *ret = count > 0;
    return rc;
}

static void state_text_copy(char *out, size_t size, struct span text)
{
    (void)snprintf(out, size, "%.*s", (int)text.size, text.size ? text.data : "");
}

static int state_row(void *arg, const struct sql_row *row)
{
    struct copy_state *state = arg;
    state_text_copy(state->source, sizeof state->source, sql_row_text(row, 0));
    state->epoch = sql_row_i64(row, 1);
    state->is_finished = span_is(sql_row_text(row, 2), FINISHED);
    state->is_there = true;
    return 0;
}

int copy_state_read(const struct copy_side *side, struct copy_state *ret,
                    struct err *err)
{
    bool has_table = false;
    *ret = (struct copy_state){ 0 };
    int rc = is_there(side, &has_table, err);
    if (rc < 0 || !has_table)
        return rc;
    return sql_run(&side->sql,
                   "SELECT mark, row_count, checksum FROM " COPY_STATE_TABLE
                   " WHERE part = ''",
                   NULL, 0, state_row, ret, err);
}

static int row_write(const struct copy_side *side, const struct sql_value values[5],
                     struct err *err)
{
    return sql_run(
        &side->sql,
        "INSERT INTO " COPY_STATE_TABLE
        " (part, mark, row_count, checksum, is_verified) VALUES ($1, $2, $3, "
        "$4, $5) ON CONFLICT (part) DO UPDATE SET mark = excluded.mark, "
        "row_count = excluded.row_count, checksum = excluded.checksum, "
        "is_verified = excluded.is_verified",
        values, 5, NULL, NULL, err);
}

int copy_state_write(const struct copy_side *side, const struct copy_state *state,
                     struct err *err)
{
    bool has_table = false;
    int64_t epoch = 0;
    int rc = is_there(side, &has_table, err);
    if (rc == 0 && !has_table)
        rc =
            sql_run(&side->sql,
                    "CREATE TABLE " COPY_STATE_TABLE
                    " (part text PRIMARY KEY, mark text NOT NULL, row_count bigint NOT "
                    "NULL, checksum text NOT NULL, is_verified bigint NOT NULL)",
                    NULL, 0, NULL, NULL, err);
    if (rc == 0)
        rc = sql_number(&side->sql, "SELECT epoch FROM records_identity", NULL, 0,
                        &epoch, err);
    if (rc < 0)
        return rc;
    const struct sql_value values[5] = {
        sql_text(SPAN("")), sql_text(span_of(state->source)), sql_i64(epoch),
        sql_text(span_of(state->is_finished ? FINISHED : UNFINISHED)), sql_i64(0)
    };
    return row_write(side, values, err);
}

bool copy_part_state_is(const struct copy_part_state *state, const struct copy_sum *sum)
{
    char checksum[COPY_SUM_TEXT_SIZE];
    copy_sum_print(sum, checksum);
    return state->is_there && state->count == sum->count &&
           strcmp(state->checksum, checksum) == 0;
}

static int part_state_row(void *arg, const struct sql_row *row)
{
    struct copy_part_state *state = arg;
    state_text_copy(state->mark, sizeof state->mark, sql_row_text(row, 0));
    state->count = (uint64_t)sql_row_i64(row, 1);
    state_text_copy(state->checksum, sizeof state->checksum, sql_row_text(row, 2));
    state->is_verified = sql_row_i64(row, 3) != 0;
    state->is_there = true;
    return 0;
}

int copy_part_state_read(const struct copy_side *side, const struct copy_part *part,
                         struct copy_part_state *ret, struct err *err)
{
    const struct sql_value value = sql_text(span_of(part->name));
    *ret = (struct copy_part_state){ 0 };
    return sql_run(
        &side->sql,
        "SELECT mark, row_count, checksum, is_verified FROM " COPY_STATE_TABLE
        " WHERE part = $1",
        &value, 1, part_state_row, ret, err);
}

int copy_part_state_write(const struct copy_side *side, const struct copy_part *part,
                          const struct copy_part_state *state, struct err *err)
{
    const struct sql_value values[5] = { sql_text(span_of(part->name)),
                                         sql_text(span_of(state->mark)),
                                         sql_i64((int64_t)state->count),
                                         sql_text(span_of(state->checksum)),
                                         sql_i64(state->is_verified) };
    return row_write(side, values, err);
}
