/* SPDX-License-Identifier: Apache-2.0 */
/* open - the two databases of a copy: do they go together? */
#include "records/copy/run.h"

#include "base/clock.h"
#include "base/span.h"

#include <stdio.h>
#include <unistd.h>

/* How long a statement may last, and a server be silent: a part may be large. */
#define COPY_WAIT_NS (8 * INT64_C(3600) * NS_PER_S)

void copy_run_done(struct copy_run *run)
{
    for (int i = 0; i < 2; i++) {
        struct copy_side *side = &run->sides[i];
        if (run->in_snapshot[i])
            side->engine->reader_end(run->readers[i]);
        if (run->readers[i])
            side->engine->reader_close(run->readers[i]);
        if (run->backends[i])
            side->engine->close(run->backends[i]);
        for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
            day_list_done(&side->days[kind]);
    }
    copy_tables_done(&run->tables);
}

static const char *side_name(int at)
{
    return at == COPY_FROM ? "the source" : "the destination";
}

static int version_check(const struct copy_side *side, int at, struct err *err)
{
    int64_t version = 0;
    int rc = sql_number(&side->sql, "SELECT version FROM schema_version", NULL, 0,
                        &version, err);
    if (rc < 0 || version == SCHEMA_VERSION)
        return rc;
    return err_set(err, EBADMSG,
                   "%s has schema %lld, this program %d; bring it to that with 'baro "
                   "records migrate' of this version first",
                   side_name(at), (long long)version, SCHEMA_VERSION);
}

/* Read alone, in one snapshot. */
static int side_read(struct copy_run *run, int at, struct records_opts *opts,
                     struct err *err)
{
    struct copy_side *side = &run->sides[at];
    opts->access = RECORDS_READ;
    int rc = side->engine->open(opts, &run->backends[at], err);
    if (rc == 0)
        rc = side->engine->reader_open(run->backends[at], &run->readers[at], err);
    if (rc == 0) {
        rc = side->engine->reader_begin(run->readers[at], err);
        run->in_snapshot[at] = rc == 0;
    }
    if (rc == 0)
        rc = side->engine->reader_sql(run->readers[at], &side->sql, err);
    return rc < 0 ? rc : version_check(side, at, err);
}

static void side_leave(struct copy_run *run, int at)
{
    if (run->in_snapshot[at])
        run->sides[at].engine->reader_end(run->readers[at]);
    if (run->readers[at])
        run->sides[at].engine->reader_close(run->readers[at]);
    if (run->backends[at])
        run->sides[at].engine->close(run->backends[at]);
    run->in_snapshot[at] = false;
    run->readers[at] = NULL;
    run->backends[at] = NULL;
}

static int days_load(struct copy_side *side, struct err *err)
{
    int rc = 0;
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++)
        rc = day_list_load(&side->days[kind], &side->sql, (enum target_kind)kind, 0,
                           err);
    return rc;
}

static int source_identify(struct copy_run *run, struct uuid *ret, struct err *err)
{
    struct database_identity identity = { 0 };
    int rc = identity_read(&run->sides[COPY_FROM].sql, &identity, err);
    *ret = identity.id;
    for (size_t i = 0; i < sizeof ret->bytes; i++)
        (void)snprintf(run->state.source + 2 * i, 3, "%02x", ret->bytes[i]);
    return rc;
}

/* ---- the destination ---- */

static int holds_other(const char *what, struct err *err)
{
    return err_set(err, EEXIST,
                   "the destination %s; name an empty one (createdb, or a file that is "
                   "not there)",
                   what);
}

static int data_check(const struct copy_run *run, struct err *err)
{
    const struct copy_side *side = &run->sides[COPY_TO];
    for (size_t i = 0; i < COPY_TABLE_COUNT; i++) {
        const struct copy_table *table = &run->tables.tables[i];
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        int64_t has = 0;
        if (table->key == COPY_BY_DAY)
            continue; /* rows have series */
        strbuf_addf(&sql, "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT 1) t",
                    table->name);
        int rc = strbuf_error(&sql);
        if (rc == 0)
            rc = sql_number(&side->sql, strbuf_text(&sql), NULL, 0, &has, err);
        if (rc < 0)
            return rc;
        if (has)
            return holds_other("holds data that no copy has put there", err);
    }
    return 0;
}

static int state_check(const struct copy_run *run, const struct copy_state *state,
                       const struct database_identity *identity, struct err *err)
{
    if (!state->is_there)
        return data_check(run, err);
    if (strcmp(state->source, run->state.source) != 0)
        return holds_other("is a copy of another database", err);
    if (state->epoch != identity->epoch)
        return holds_other("was written to since it was copied, by a barod: a further "
                           "copy would delete that",
                           err);
    return 0;
}

static int destination_check(struct copy_run *run, const struct uuid *source,
                             struct err *err)
{
    const struct copy_side *side = &run->sides[COPY_TO];
    struct database_identity identity = { 0 };
    struct copy_state state = { 0 };
    int rc = identity_read(&side->sql, &identity, err);
    if (rc == 0 && memcmp(&identity.id, source, sizeof *source) == 0)
        return err_set(err, EEXIST,
                       "the destination is the source itself, or a copy of its file; "
                       "name an empty one");
    if (rc == 0)
        rc = copy_state_read(side, &state, err);
    if (rc == 0)
        rc = state_check(run, &state, &identity, err);
    if (rc == 0) {
        run->state.is_there = state.is_there;
        run->state.is_finished = state.is_finished;
    }
    return rc;
}

/* Before it is opened to be written, which would migrate it: is it empty, or a copy? */
static int destination_examine(struct copy_run *run, struct records_opts *opts,
                               const struct uuid *source, bool *ret_is_empty,
                               struct err *err)
{
    struct stat_result {
        bool is_missing;
    } file = { opts->path && access(opts->path, F_OK) < 0 };
    *ret_is_empty = file.is_missing;
    if (file.is_missing)
        return 0;
    int rc = side_read(run, COPY_TO, opts, err);
    *ret_is_empty = rc == -ENODATA;
    if (rc == -ENODATA)
        return 0;
    return rc < 0 ? rc : destination_check(run, source, err);
}

static int destination_open(struct copy_run *run, struct records_opts *opts,
                            struct err *err)
{
    struct copy_side *side = &run->sides[COPY_TO];
    side_leave(run, COPY_TO);
    opts->access = RECORDS_WRITE;
    opts->is_exclusive = true;
    int rc = side->engine->open(opts, &run->backends[COPY_TO], err);
    return rc < 0 ? rc
                  : side->engine->writer_sql(run->backends[COPY_TO], &side->sql, err);
}

/* A role that reads is enough for all but what is of users alone. */
static int private_find(struct copy_run *run, struct err *err)
{
    const struct copy_side *side = &run->sides[COPY_FROM];
    int rc = 0;
    if (strcmp(side->engine->name, "postgres") != 0)
        return 0; /* who can read a file reads all of it */
    for (size_t i = 0; i < COPY_TABLE_COUNT && rc == 0; i++) {
        struct copy_table *table = &run->tables.tables[i];
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        int64_t may_read = 1;
        if (!table->is_private)
            continue;
        strbuf_addf(&sql, "SELECT has_table_privilege('%s', 'SELECT')::int::bigint",
                    table->name);
        rc = strbuf_error(&sql);
        if (rc == 0)
            rc = sql_number(&side->sql, strbuf_text(&sql), NULL, 0, &may_read, err);
        table->is_skipped = !may_read;
        run->result.is_without_private |= !may_read;
    }
    return rc;
}

/* An older program's tables may lack columns that were added since. */
static int columns_check(const struct copy_run *run, struct err *err)
{
    for (size_t i = 0; i < COPY_TABLE_COUNT; i++) {
        const struct copy_table *table = &run->tables.tables[i];
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        struct err why = { 0 };
        if (table->is_skipped)
            continue;
        for (size_t c = 0; c < table->column_count; c++)
            strbuf_addf(&sql, "%s\"%s\"",
                        c > 0 ? ", " : "SELECT count(*) FROM (SELECT ",
                        table->columns[c].name);
        strbuf_addf(&sql, " FROM %s LIMIT 0) t", table->name);
        int64_t count = 0;
        if (strbuf_error(&sql))
            return -ENOMEM;
        if (sql_number(&run->sides[COPY_FROM].sql, strbuf_text(&sql), NULL, 0, &count,
                       &why) < 0)
            return err_set(err, EBADMSG,
                           "the source's table %s is not this program's: %s; run 'baro "
                           "records migrate' on it",
                           table->name, why.text);
    }
    return 0;
}

int copy_run_open(struct copy_run *run, struct err *err)
{
    struct records_opts from = *run->request->from, to = *run->request->to;
    struct uuid source = { 0 };
    bool is_empty = false;
    from.timeout_ns = to.timeout_ns = COPY_WAIT_NS;
    run->sides[COPY_FROM].engine = run->request->from_engine;
    run->sides[COPY_TO].engine = run->request->to_engine;
    int rc = copy_tables_make(&run->tables);
    if (rc == 0)
        rc = side_read(run, COPY_FROM, &from, err);
    if (rc == 0)
        rc = private_find(run, err);
    if (rc == 0)
        rc = columns_check(run, err);
    if (rc == 0)
        rc = source_identify(run, &source, err);
    if (rc == 0 && run->request->is_verify_only)
        rc = side_read(run, COPY_TO, &to, err);
    else if (rc == 0)
        rc = destination_examine(run, &to, &source, &is_empty, err);
    if (rc == 0 && !run->request->is_verify_only)
        rc = destination_open(run, &to, err);
    /* Another program may have been quicker, before the lock was ours. */
    if (rc == 0 && !run->request->is_verify_only)
        rc = destination_check(run, &source, err);
    if (rc == 0)
        rc = days_load(&run->sides[COPY_FROM], err);
    return rc < 0 ? rc : days_load(&run->sides[COPY_TO], err);
}
