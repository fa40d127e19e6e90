/* SPDX-License-Identifier: Apache-2.0 */
/* copy - all rows of one database into another. */
#include "records/copy/copy.h"

#include "records/copy/run.h"

#include <stdio.h>

#define PROGRESS_ROWS 16384

void copy_run_advance(struct copy_run *run, uint64_t rows)
{
    uint64_t before = run->progress.done;
    run->progress.done += rows;
    if (run->request->progress &&
        before / PROGRESS_ROWS != run->progress.done / PROGRESS_ROWS)
        run->request->progress(run->request->arg, &run->progress);
}

static void phase_begin(struct copy_run *run, const char *doing, uint64_t total)
{
    run->progress = (struct copy_progress){ .doing = doing, .total = total };
    if (run->request->progress)
        run->request->progress(run->request->arg, &run->progress);
}

/* What the source holds, for the progress. */
static int rows_count(struct copy_run *run, const struct copy_part_list *list,
                      uint64_t *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct copy_side *side = &run->sides[COPY_FROM];
    *ret = 0;
    for (size_t i = 0; i < COPY_TABLE_COUNT; i++) {
        const struct copy_table *table = &run->tables.tables[i];
        int64_t count = 0;
        if (table->key == COPY_BY_DAY || table->is_skipped)
            continue;
        strbuf_clear(&text);
        strbuf_addf(&text, "SELECT count(*) FROM %s", table->name);
        int rc = strbuf_error(&text);
        if (rc == 0)
            rc = sql_number(&side->sql, strbuf_text(&text), NULL, 0, &count, err);
        if (rc < 0)
            return rc;
        *ret += (uint64_t)count;
    }
    for (size_t i = 0; i < list->count; i++) {
        uint64_t count = 0;
        if (list->parts[i].table->key != COPY_BY_DAY)
            continue;
        int rc = copy_part_mark(&list->parts[i], side, &count, &text, err);
        if (rc < 0)
            return rc;
        *ret += count;
    }
    return 0;
}

/* ---- one part ---- */

static int row_counted(void *arg, const struct bulk_value *values)
{
    (void)values;
    copy_run_advance(arg, 1);
    return 0;
}

struct row_put {
    struct copy_run *run;
    struct err *err;
};

static int row_put_next(void *arg, const struct bulk_value *values)
{
    const struct row_put *put = arg;
    copy_run_advance(put->run, 1);
    return put->run->request->to_engine->bulk_row(put->run->backends[COPY_TO], values,
                                                  put->err);
}

static int part_delete(const struct copy_part *part, const struct copy_side *side,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    struct sql_value values[2];
    struct uuid ids[2];
    strbuf_adds(&sql, "DELETE FROM ");
    copy_part_table(part, side->engine, &sql);
    size_t count = copy_part_where(part, ids, values, &sql);
    if (strbuf_error(&sql))
        return -ENOMEM;
    return sql_run(&side->sql, strbuf_text(&sql), values, count, NULL, NULL, err);
}

static int day_note(struct copy_run *run, const struct copy_part *part,
                    uint64_t row_count, struct err *err)
{
    if (part->table->key != COPY_BY_DAY)
        return 0;
    const enum target_kind kind = part->table->kind;
    const struct day_span *have =
        day_list_find(&run->sides[COPY_FROM].days[kind], part->day);
    const struct day_span day = { .day = part->day,
                                  .span_ms = have ? have->span_ms : 0 };
    return run->request->to_engine->day_note(run->backends[COPY_TO], kind, &day,
                                             row_count, err);
}

static int rows_put(struct copy_run *run, const struct copy_part *part,
                    struct copy_sum *ret, struct err *err)
{
    const struct records_engine *engine = run->request->to_engine;
    struct records_backend *backend = run->backends[COPY_TO];
    AUTO(strbuf_done) struct strbuf table = STRBUF_INIT;
    struct row_put put = { run, err };
    copy_part_table(part, engine, &table);
    if (strbuf_error(&table))
        return -ENOMEM;
    const struct bulk bulk = { strbuf_text(&table), part->table->columns,
                               part->table->column_count };
    int rc = engine->bulk_begin(backend, &bulk, err);
    if (rc == 0)
        rc = copy_part_read(part, &run->sides[COPY_FROM], row_put_next, &put, ret, err);
    return rc < 0 ? rc : engine->bulk_end(backend, err);
}

static int part_copy_in(struct copy_run *run, const struct copy_part *part,
                        const char *mark, struct err *err)
{
    struct copy_part_state state = { .is_there = true };
    const struct copy_side *side = &run->sides[COPY_TO];
    struct copy_sum sum = { 0 };
    (void)snprintf(state.mark, sizeof state.mark, "%s", mark);
    int rc = day_note(run, part, 0, err);
    if (rc == 0)
        rc = part_delete(part, side, err);
    if (rc == 0)
        rc = rows_put(run, part, &sum, err);
    if (rc == 0)
        rc = day_note(run, part, sum.count, err);
    state.count = sum.count;
    copy_sum_print(&sum, state.checksum);
    if (rc == 0)
        rc = copy_part_state_write(side, part, &state, err);
    run->state.is_finished = false;
    return rc < 0 ? rc : copy_state_write(side, &run->state, err);
}

static int day_ready(struct copy_run *run, const struct copy_part *part,
                     struct err *err)
{
    const enum target_kind kind = part->table->kind;
    struct day_list *days = &run->sides[COPY_TO].days[kind];
    const struct day_span *have =
        day_list_find(&run->sides[COPY_FROM].days[kind], part->day);
    if (part->table->key != COPY_BY_DAY)
        return 0;
    int rc =
        run->request->to_engine->day_make(run->backends[COPY_TO], kind, part->day, err);
    struct day_span *known = day_list_find(days, part->day);
    if (rc == 0 && !known)
        rc = day_list_add(days, (struct day_span){ .day = part->day });
    known = day_list_find(days, part->day);
    if (rc == 0 && known)
        known->span_ms = have ? have->span_ms : 0;
    return rc;
}

/* work in a transaction of the destination. */
typedef int transaction_fn(struct copy_run *run, const struct copy_part *part,
                           const char *mark, struct err *err);

static int transaction(struct copy_run *run, transaction_fn *work,
                       const struct copy_part *part, const char *mark, struct err *err)
{
    const struct records_engine *engine = run->request->to_engine;
    struct records_backend *backend = run->backends[COPY_TO];
    int rc = engine->begin(backend, err);
    if (rc < 0)
        return rc;
    rc = work(run, part, mark, err);
    if (rc == 0)
        rc = engine->commit(backend, err);
    if (rc < 0)
        engine->rollback(backend);
    return rc;
}

/* Of parts that are there whether they have rows or not: has the source any in it? */
static int part_is_empty(const struct copy_run *run, const struct copy_part *part,
                         bool *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    struct sql_value values[2];
    struct uuid ids[2];
    int64_t has = 1;
    *ret = false;
    if (part->table->key != COPY_BY_ID_BYTE0)
        return 0;
    strbuf_addf(&sql, "SELECT count(*) FROM (SELECT 1 FROM %s", part->table->name);
    size_t count = copy_part_where(part, ids, values, &sql);
    strbuf_adds(&sql, " LIMIT 1) t");
    int rc = strbuf_error(&sql);
    if (rc == 0)
        rc = sql_number(&run->sides[COPY_FROM].sql, strbuf_text(&sql), values, count,
                        &has, err);
    *ret = has == 0;
    return rc;
}

/* Is it as an earlier run has copied it? */
static int part_compare(struct copy_run *run, const struct copy_part *part,
                        const char *mark, const struct copy_part_state *state,
                        bool *ret_is_same, struct err *err)
{
    struct copy_sum sum;
    *ret_is_same = false;
    if (!state->is_there)
        return part_is_empty(run, part, ret_is_same, err);
    if (*mark) {
        *ret_is_same = strcmp(mark, state->mark) == 0;
        if (*ret_is_same)
            copy_run_advance(run, state->count);
        return 0;
    }
    uint64_t before = run->progress.done;
    int rc = copy_part_read(part, &run->sides[COPY_FROM], row_counted, run, &sum, err);
    *ret_is_same = rc == 0 && copy_part_state_is(state, &sum);
    if (!*ret_is_same)
        run->progress.done = before;
    return rc;
}

static int part_copy(struct copy_run *run, const struct copy_part *part,
                     struct strbuf *mark, struct err *err)
{
    struct copy_part_state state = { 0 };
    bool is_same = false;
    uint64_t count;
    int rc = copy_part_mark(part, &run->sides[COPY_FROM], &count, mark, err);
    if (rc == 0)
        rc = copy_part_state_read(&run->sides[COPY_TO], part, &state, err);
    if (rc == 0)
        rc = part_compare(run, part, strbuf_text(mark), &state, &is_same, err);
    if (rc < 0)
        return rc;
    if (is_same) {
        run->result.unchanged++;
        return 0;
    }
    rc = day_ready(run, part, err);
    if (rc == 0)
        rc = transaction(run, part_copy_in, part, strbuf_text(mark), err);
    run->result.copied += rc == 0;
    return rc;
}

/* ---- verifying ---- */

static int verified_note(struct copy_run *run, const struct copy_part *part,
                         const char *mark, struct err *err)
{
    struct copy_part_state state = { 0 };
    const struct copy_side *side = &run->sides[COPY_TO];
    (void)mark;
    int rc = copy_part_state_read(side, part, &state, err);
    state.is_verified = true;
    if (rc == 0)
        rc = copy_part_state_write(side, part, &state, err);
    return rc < 0 ? rc : copy_state_write(side, &run->state, err);
}

/* What could not be read back as it was copied is copied again by the next run. */
static int state_forget(struct copy_run *run, const struct copy_part *part,
                        const char *mark, struct err *err)
{
    struct copy_part_state none = { .mark = "differs" };
    (void)mark;
    int rc = copy_part_state_write(&run->sides[COPY_TO], part, &none, err);
    return rc < 0 ? rc : copy_state_write(&run->sides[COPY_TO], &run->state, err);
}

static int part_check(struct copy_run *run, const struct copy_part *part,
                      struct err *err)
{
    struct copy_part_state state;
    struct copy_sum sum = { 0 };
    int rc = copy_part_state_read(&run->sides[COPY_TO], part, &state, err);
    if (rc < 0 || state.is_verified || !state.is_there) {
        copy_run_advance(run, state.count);
        return rc;
    }
    rc = copy_part_read(part, &run->sides[COPY_TO], row_counted, run, &sum, err);
    if (rc < 0)
        return rc;
    if (!copy_part_state_is(&state, &sum)) {
        (void)transaction(run, state_forget, part, "", err);
        return err_set(err, EUCLEAN,
                       "%s: the destination does not hold what was copied: %llu rows "
                       "for %llu, or other values; run the copy again, and look at the "
                       "destination's disk",
                       part->name, (unsigned long long)sum.count,
                       (unsigned long long)state.count);
    }
    run->result.verified++;
    return transaction(run, verified_note, part, "", err);
}

/* Both are read, nothing is written. */
static int part_verify(struct copy_run *run, const struct copy_part *part,
                       struct err *err)
{
    struct copy_sum from, to = { 0 };
    int rc = copy_part_read(part, &run->sides[COPY_FROM], row_counted, run, &from, err);
    if (rc == 0)
        rc = copy_part_read(part, &run->sides[COPY_TO], NULL, NULL, &to, err);
    if (rc < 0)
        return rc;
    const struct copy_difference difference = { part->name, from.count, to.count };
    if (copy_sum_eq(&from, &to)) {
        run->result.verified++;
        return 0;
    }
    run->result.different++;
    if (run->request->difference)
        run->request->difference(run->request->arg, &difference);
    return 0;
}

/* ---- the whole ---- */

static int first_note(struct copy_run *run, const struct copy_part *part,
                      const char *mark, struct err *err)
{
    (void)part, (void)mark;
    return copy_state_write(&run->sides[COPY_TO], &run->state, err);
}

static int parts_copy(struct copy_run *run, const struct copy_part_list *list,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf mark = STRBUF_INIT;
    int rc = run->state.is_there ? 0 : transaction(run, first_note, NULL, "", err);
    for (size_t i = 0; i < list->count && rc == 0; i++)
        rc = part_copy(run, &list->parts[i], &mark, err);
    if (rc < 0)
        return rc;
    run->result.rows = run->progress.done;
    phase_begin(run, "verifying", run->progress.done);
    for (size_t i = 0; i < list->count && rc == 0; i++)
        rc = part_check(run, &list->parts[i], err);
    if (rc < 0 || run->state.is_finished)
        return rc;
    run->state.is_finished = true;
    return transaction(run, first_note, NULL, "", err);
}

static int parts_verify(struct copy_run *run, const struct copy_part_list *list,
                        struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < list->count && rc == 0; i++)
        rc = part_verify(run, &list->parts[i], err);
    run->result.rows = run->progress.done;
    return rc;
}

int database_copy(const struct copy_request *request, struct copy_result *ret,
                  struct err *err)
{
    AUTO(copy_run_done) struct copy_run run = { .request = request };
    AUTO(copy_part_list_done) struct copy_part_list list = { 0 };
    uint64_t total = 0;
    int rc = copy_run_open(&run, err);
    for (size_t i = 0; i < COPY_TABLE_COUNT && rc == 0; i++)
        if (!run.tables.tables[i].is_skipped)
            rc = copy_parts_find(&run.tables.tables[i], run.sides, &list, err);
    if (rc == 0)
        rc = rows_count(&run, &list, &total, err);
    if (rc < 0)
        return rc;
    run.result.parts = list.count;
    phase_begin(&run, request->is_verify_only ? "verifying" : "copying", total);
    rc = request->is_verify_only ? parts_verify(&run, &list, err)
                                 : parts_copy(&run, &list, err);
    if (rc == 0)
        *ret = run.result;
    return rc;
}
