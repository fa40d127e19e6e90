/* SPDX-License-Identifier: Apache-2.0 */
/* test_records - what the room promises, the same for both engines.
 *
 * PostgreSQL is asked where BARO_TEST_POSTGRES holds a connection string
 * (tests/lib-postgres.sh starts a server); else it is left out, which is said.
 */
#include "records/test/fixture.h"

#include "base/file.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "records/records_private.h"

#define SEED_CONFIG           \
    "[filesystem scratch]\n"  \
    "jobid_name = %j:%u:%H\n" \
    "jobid_name = %e.%u\n"    \
    "namespace = %j:%u:%H 2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe\n"

#define OST1 "scratch-OST0001"
#define MDT0 "scratch-MDT0000"
#define JOB_A "11317854:17627127:r01c01"
#define JOB_B "11317855:17627127:r01c02"

static const int64_t now_ms = T0_MS + 12 * MS_PER_HOUR;

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f, config)                                                   \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)        \
        for (struct fixture f,                                                   \
             *once_ = (fixture_start(&f, fixture_engines[engine_], config), &f); \
             once_; fixture_stop(once_), once_ = NULL)

static struct row_range range_of(enum target_kind kind, int64_t from_ms, int64_t to_ms)
{
    return (struct row_range){
        .kind = kind, .from_ms = from_ms, .to_ms = to_ms, .with_more = true
    };
}

static void rows_come_back_as_they_were_written(void **state)
{
    (void)state;
    EACH_ENGINE(f, SEED_CONFIG)
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        jobbatch_init(&batch, 0);
        struct jobrow *row = fixture_row(&batch, OST1, JOB_A, T0_MS + 1);
        for (int op = 0; op < OP_COUNT; op++) {
            if (!op_is_on((enum op)op, TARGET_OST))
                continue;
            row->has_samples |= UINT64_C(1) << op;
            row->has_sum |= UINT64_C(1) << op;
            row->samples[op] = UINT64_MAX - (uint64_t)op;
            row->sum[op] = (UINT64_C(1) << 63) + (uint64_t)op;
        }
        row->start_ns = INT64_C(1723114647887515895);
        row->reset = RESET_YES;
        row->more = SPAN("{\"new_op\":{\"samples\":18446744073709551615}}");
        row = fixture_row(&batch, MDT0, JOB_A, T0_MS + 2);
        row->since_ms = row->previous_ms = row->snapshot_ns = T_NONE;
        row->reset = RESET_UNKNOWN;
        row->server = (struct span){ 0 };
        fixture_count(row, OP_OPEN, 0);
        struct records_response answer = fixture_put(&f, &batch, now_ms);
        assert_int_equal(answer.accepted, 2);
        assert_int_equal(answer.duplicate + answer.refused, 0);

        struct row_range range = range_of(TARGET_MDT, T0_MS, T0_MS + 10);
        fixture_read(&f, &range, &text);
        char want[256];
        (void)snprintf(want, sizeof want,
                       "%lld t=2 since=null previous=null snapshot=null start=null "
                       "reset=2 kind=0 server= open=0 more=\n",
                       (long long)fixture_sid(&f, MDT0, JOB_A));
        assert_string_equal(strbuf_text(&text), want);

        strbuf_clear(&text);
        range.kind = TARGET_OST;
        fixture_read(&f, &range, &text);
        assert_non_null(
            strstr(strbuf_text(&text), " start=1723114647887515895 reset=1 "));
        assert_non_null(strstr(strbuf_text(&text),
                               " prealloc=18446744073709551589 "
                               "prealloc_sum=9223372036854775834 "));
        assert_non_null(strstr(strbuf_text(&text), "new_op"));

        strbuf_clear(&text);
        range.ops = UINT64_C(1) << OP_READ;
        range.with_more = false;
        fixture_read(&f, &range, &text);
        assert_non_null(strstr(strbuf_text(&text), " read=18446744073709551599 "
                                                   "read_sum=9223372036854775824 "
                                                   "more=\n"));
        assert_null(strstr(strbuf_text(&text), "write"));
    }
}

static void the_first_write_of_a_key_wins(void **state)
{
    (void)state;
    EACH_ENGINE(f, SEED_CONFIG)
    {
        AUTO(jobbatch_done) struct jobbatch first, second;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        jobbatch_init(&first, 0);
        fixture_count(fixture_row(&first, OST1, JOB_A, T0_MS + 5), OP_WRITE, 1);
        assert_int_equal(fixture_put(&f, &first, now_ms).accepted, 1);

        jobbatch_init(&second, 0);
        fixture_count(fixture_row(&second, OST1, JOB_A, T0_MS + 6), OP_WRITE, 3);
        fixture_count(fixture_row(&second, OST1, JOB_A, T0_MS + 5), OP_WRITE, 2);
        fixture_count(fixture_row(&second, OST1, JOB_A, T0_MS + 6), OP_WRITE, 4);
        struct records_response answer = fixture_put(&f, &second, now_ms);
        assert_int_equal(answer.accepted, 1);
        assert_int_equal(answer.duplicate, 2);
        assert_int_equal(answer.refused, 0);

        struct row_range range = range_of(TARGET_OST, T0_MS, T0_MS + 10);
        fixture_read(&f, &range, &text);
        assert_non_null(strstr(strbuf_text(&text), "t=5 "));
        assert_non_null(strstr(strbuf_text(&text), " write=1 "));
        assert_non_null(strstr(strbuf_text(&text), " write=3 "));
        assert_null(strstr(strbuf_text(&text), " write=2 "));
        assert_null(strstr(strbuf_text(&text), " write=4 "));
    }
}

static void a_known_batch_gets_its_first_answer_again(void **state)
{
    (void)state;
    EACH_ENGINE(f, SEED_CONFIG)
    {
        AUTO(jobbatch_done) struct jobbatch batch, other;
        jobbatch_init(&batch, 0);
        batch.has_id = true;
        batch.sequence = UINT64_MAX;
        assert_int_equal(uuid_new(&batch.agent), 0);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS + 5);
        (void)fixture_row(&batch, OST1, JOB_A, now_ms + MS_PER_DAY);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS - 400 * MS_PER_DAY);
        struct records_response first = fixture_put(&f, &batch, now_ms);
        assert_int_equal(first.accepted, 1);
        assert_int_equal(first.refused, 2);
        assert_false(first.replayed);

        fixture_reopen(&f);
        jobbatch_init(&other, 0);
        other.has_id = true;
        other.sequence = UINT64_MAX;
        other.agent = batch.agent;
        (void)fixture_row(&other, OST1, JOB_B, T0_MS + 7);
        struct records_response again = fixture_put(&f, &other, now_ms + 1);
        assert_true(again.replayed);
        assert_int_equal(again.accepted, 1);
        assert_int_equal(again.duplicate, 0);
        assert_int_equal(again.refused, 2);
        assert_int_equal(again.refusal_count, 2);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(again.refusals[i].row, first.refusals[i].row);
            assert_string_equal(again.refusals[i].reason, first.refusals[i].reason);
        }
        assert_int_equal(fixture_sid(&f, OST1, JOB_B), 0);

        other.sequence = 7;
        assert_int_equal(fixture_put(&f, &other, now_ms).accepted, 1);
    }
}

static const struct records_engine *whole_engine;

static int commit_unheard(struct records_backend *backend, struct err *err)
{
    int rc = whole_engine->commit(backend, err);
    return rc < 0 ? rc : -EAGAIN;
}

static void a_commit_that_was_not_answered_is_in_doubt_and_never_twice(void **state)
{
    (void)state;
    EACH_ENGINE(f, SEED_CONFIG)
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        struct records_response answer;
        struct err err = { 0 };
        jobbatch_init(&batch, 0);
        batch.has_id = true;
        assert_int_equal(uuid_new(&batch.agent), 0);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS + 5);
        fixture_fs(&f, &batch);
        whole_engine = f.records->engine;
        struct records_engine torn = *whole_engine;
        torn.commit = commit_unheard;
        f.records->engine = &torn;
        int rc = records_put(f.records, &batch, now_ms, &answer, NULL, NULL, &err);
        f.records->engine = whole_engine;
        assert_int_equal(rc, -EAGAIN);
        assert_int_equal(records_doubts(f.records), 1);
        answer = fixture_put(&f, &batch, now_ms);
        assert_true(answer.replayed);
        assert_int_equal(answer.accepted, 1);
        assert_int_equal(records_doubts(f.records), 1);
    }
}

static void what_cannot_be_a_row_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const char long_id[ENTRY_ID_BYTES_MAX + 2] = { [0 ... ENTRY_ID_BYTES_MAX] =
                                                              'x' };
    EACH_ENGINE(f, SEED_CONFIG)
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        (void)fixture_row(&batch, OST1, JOB_A, now_ms - 10 * MS_PER_DAY - 1);
        (void)fixture_row(&batch, OST1, JOB_A, now_ms - 10 * MS_PER_DAY);
        (void)fixture_row(&batch, OST1, JOB_A, now_ms + MS_PER_HOUR);
        (void)fixture_row(&batch, OST1, JOB_A, now_ms + MS_PER_HOUR + 1);
        fixture_row(&batch, OST1, JOB_A, T0_MS)->since_ms = T0_MS + 1;
        fixture_row(&batch, OST1, JOB_A, T0_MS)->previous_ms = -5;
        (void)fixture_row(&batch, "a:b", JOB_A, T0_MS);
        (void)fixture_row(&batch, OST1, "", T0_MS);
        (void)fixture_row(&batch, OST1, long_id, T0_MS);
        fixture_row(&batch, OST1, JOB_A, T0_MS)->server = SPAN("oss\n01");
        fixture_row(&batch, OST1, JOB_A, T0_MS)->more = SPAN("{\"\xff\":1}");
        fixture_row(&batch, OST1, JOB_A, T0_MS)->kind = TARGET_MDT;
        struct records_response answer = fixture_put(&f, &batch, now_ms);
        assert_int_equal(answer.accepted, 2);
        assert_int_equal(answer.refused, 10);
        static const struct {
            size_t row;
            const char *word;
        } want[] = {
            { 0, "retention" }, { 3, "future" },      { 4, "since" }, { 5, "previous" },
            { 6, "target" },    { 7, "identifier" },  { 8, "255" },   { 9, "server" },
            { 10, "UTF-8" },    { 11, "other kind" },
        };
        assert_int_equal(answer.refusal_count, COUNT_OF(want));
        for (size_t i = 0; i < COUNT_OF(want); i++)
            if (answer.refusals[i].row != want[i].row ||
                !strstr(answer.refusals[i].reason, want[i].word))
                fail_msg("refusal %zu: row %zu, '%s'", i, answer.refusals[i].row,
                         answer.refusals[i].reason);
    }
}

static int put_one(struct fixture *f, int64_t t_ms, int64_t at_ms,
                   struct records_response *ret)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    struct err err = { 0 };
    jobbatch_init(&batch, 0);
    (void)fixture_row(&batch, OST1, JOB_A, t_ms);
    fixture_fs(f, &batch);
    return records_put(f->records, &batch, at_ms, ret, NULL, NULL, &err);
}

/* The retention is ten days. */
static void a_batch_wholly_out_of_time_asks_whose_clock_is_wrong(void **state)
{
    (void)state;
    enum { TAKEN, REFUSED, KEPT_OFF };
    static const struct {
        const char *name;
        int64_t t_ms, at_ms;
        int want;
    } steps[] = {
        { "nothing is known yet", T0_MS - 20 * MS_PER_DAY, T0_MS, REFUSED },
        { "a row in time", T0_MS, T0_MS, TAKEN },
        { "a sender far behind", T0_MS - 20 * MS_PER_DAY, T0_MS, REFUSED },
        { "a sender far ahead", T0_MS + MS_PER_DAY, T0_MS, REFUSED },
        { "our clock leaps ahead", T0_MS + 1, T0_MS + 20 * MS_PER_DAY, KEPT_OFF },
        { "and again", T0_MS + 1, T0_MS + 20 * MS_PER_DAY, KEPT_OFF },
        { "our clock leaps back", T0_MS + 2, T0_MS - 20 * MS_PER_DAY, KEPT_OFF },
        { "it is set right", T0_MS + 1, T0_MS + MINUTE_MS, TAKEN },
        { "a long silence ends", T0_MS + 30 * MS_PER_DAY, T0_MS + 30 * MS_PER_DAY,
          TAKEN },
        { "and tells late rows", T0_MS + 2, T0_MS + 30 * MS_PER_DAY, REFUSED },
    };
    for (int is_reopened = 0; is_reopened <= 1; is_reopened++)
        EACH_ENGINE(f, SEED_CONFIG)
        {
            for (size_t i = 0; i < COUNT_OF(steps); i++) {
                struct records_response answer = { 0 };
                int rc = put_one(&f, steps[i].t_ms, steps[i].at_ms, &answer);
                int got = rc == -EAGAIN ? KEPT_OFF : answer.accepted ? TAKEN : REFUSED;
                if ((rc < 0 && rc != -EAGAIN) || got != steps[i].want)
                    fail_msg("%s: %s: rc %d, got %d", f.engine, steps[i].name, rc, got);
                if (is_reopened)
                    fixture_reopen(&f);
            }
            if (!is_reopened)
                assert_int_equal(records_clock_doubts(f.records), 3);
        }
}

static int count_series(void *arg, const struct series *s)
{
    (void)s;
    (*(int *)arg)++;
    return 0;
}

static void series_are_found_by_what_is_known_of_them(void **state)
{
    (void)state;
    EACH_ENGINE(f, SEED_CONFIG)
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS);
        (void)fixture_row(&batch, "scratch-OST0002", JOB_A, T0_MS);
        (void)fixture_row(&batch, MDT0, JOB_A, T0_MS);
        (void)fixture_row(&batch, OST1, JOB_B, T0_MS);
        (void)fixture_row(&batch, OST1, "rsync.1000", T0_MS);
        (void)fixture_row(&batch, OST1, "a\xff\x01.7", T0_MS);
        (void)fixture_row(&batch, "home-OST0000", JOB_B, T0_MS);
        assert_int_equal(fixture_put(&f, &batch, now_ms).accepted, 7);
        struct uuid seed;
        assert_int_equal(
            uuid_parse(SPAN("af854063-c381-585f-b551-ce0b6c4440a3"), &seed), 0);
        const int64_t sids[] = { fixture_sid(&f, OST1, JOB_A),
                                 fixture_sid(&f, MDT0, JOB_A), 999 };
        const struct {
            const char *name;
            struct series_filter filter;
            int want;
        } cases[] = {
            { "all", { .limit = 0 }, 7 },
            { "fs", { .fs = SPAN("scratch") }, 6 },
            { "target", { .target = OST1 }, 4 },
            { "target pattern", { .target = "scratch-OST000[12]" }, 5 },
            { "another", { .target = "*-MDT*" }, 1 },
            { "job", { .job = SPAN("11317854") }, 3 },
            { "job and fs", { .job = SPAN("11317855"), .fs = SPAN("home") }, 1 },
            { "user", { .user = SPAN("17627127") }, 5 },
            { "node", { .node = SPAN("r01c02") }, 2 },
            { "executable", { .executable = SPAN("rsync") }, 1 },
            { "text form", { .executable = SPAN("a\\xFF\\x01") }, 1 },
            { "bytes", { .entry_id = SPAN("a\xff\x01.7") }, 1 },
            { "login job", { .job = SPAN("rsync.1000") }, 1 },
            { "id", { .id = &seed }, 1 },
            { "sids", { .sids = sids, .sid_count = 3 }, 2 },
            { "sids and target", { .sids = sids, .sid_count = 3, .target = OST1 }, 1 },
            { "no sids", { .sids = sids, .sid_count = 0 }, 0 },
            { "limit", { .limit = 2 }, 2 },
            { "group", { .group = SPAN("100") }, 0 },
        };
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            int count = 0;
            struct err err = { 0 };
            int rc = records_find_series(f.reader, &cases[i].filter, count_series,
                                         &count, &err);
            if (rc < 0 || count != cases[i].want)
                fail_msg("%s: %s: %d %s, %d found", f.engine, cases[i].name, rc,
                         err.text, count);
        }
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct series_filter filter = { .entry_id = SPAN("a\xff\x01.7") };
        fixture_series(&f, &filter, &text);
        assert_string_equal(
            strbuf_text(&text),
            "scratch scratch-OST0001 a\\xFF\\x01.7 %e.%u a\\xFF\\x01.7 7 "
            "null null a\\xFF\\x01 null kind=1 flags=0 login=1\n");
    }
}

static int first_id(void *arg, const struct series *s)
{
    *(struct uuid *)arg = s->id;
    return 0;
}

static void an_id_once_stored_stays(void **state)
{
    (void)state;
    EACH_ENGINE(f, "")
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        struct uuid before, after, ns, ns_again;
        struct series_filter filter = { .target = OST1 };
        jobbatch_init(&batch, 0);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS);
        (void)fixture_put(&f, &batch, now_ms);
        assert_int_equal(
            records_find_series(f.reader, &filter, first_id, &before, NULL), 0);
        assert_int_equal(
            records_namespace(f.records, SPAN("scratch"), SPAN("%j:%u:%H"), &ns, NULL),
            0);

        /* Another program, with formats and namespaces configured now. */
        site_free(f.site);
        config_free(f.config);
        f.site = NULL;
        f.config = NULL;
        assert_int_equal(config_parse("test.conf",
                                      span_of("[filesystem scratch]\n"
                                              "jobid_name = %j:%u:%h\n"),
                                      &site_config_section, 1, &f.config, NULL),
                         0);
        assert_int_equal(site_new(f.config, &f.site, NULL), 0);
        fixture_reopen(&f);
        batch.rows[0].t_ms++;
        assert_int_equal(fixture_put(&f, &batch, now_ms).accepted, 1);
        assert_int_equal(records_find_series(f.reader, &filter, first_id, &after, NULL),
                         0);
        assert_memory_equal(&before, &after, sizeof before);
        assert_int_equal(records_namespace(f.records, SPAN("scratch"), SPAN("%j:%u:%H"),
                                           &ns_again, NULL),
                         0);
        assert_memory_equal(&ns, &ns_again, sizeof ns);
        assert_int_equal(records_namespace(f.records, SPAN("scratch"),
                                           (struct span){ 0 }, &ns_again, NULL),
                         0);
        assert_memory_not_equal(&ns, &ns_again, sizeof ns);
    }
}

/* Ids are looked for group by group: those of later groups as well. */
static void an_id_is_found_however_many_series_came_before(void **state)
{
    (void)state;
    static const int64_t sids[] = { 2, 16383, 16384, 16385, 200000 };
    EACH_ENGINE(f, SEED_CONFIG)
    {
        struct uuid id;
        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS);
        (void)fixture_put(&f, &batch, T0_MS);
        struct series_filter all = { 0 }, filter = { .id = &id };
        assert_int_equal(records_find_series(f.reader, &all, first_id, &id, NULL), 0);
        for (size_t i = 0; i < COUNT_OF(sids); i++) {
            char sql[64];
            int count = 0;
            (void)snprintf(sql, sizeof sql, "UPDATE series SET sid = %lld",
                           (long long)sids[i]);
            fixture_sql(&f, sql);
            assert_int_equal(
                records_find_series(f.reader, &filter, count_series, &count, NULL), 0);
            assert_int_equal(count, 1);
        }
        int count = 0;
        id.bytes[15] ^= 1;
        assert_int_equal(
            records_find_series(f.reader, &filter, count_series, &count, NULL), 0);
        assert_int_equal(count, 0);
    }
}

static void config_take(struct fixture *f, const char *text)
{
    site_free(f->site);
    config_free(f->config);
    f->site = NULL;
    f->config = NULL;
    assert_int_equal(config_parse("test.conf", span_of(text), &site_config_section, 1,
                                  &f->config, NULL),
                     0);
    assert_int_equal(site_new(f->config, &f->site, NULL), 0);
    fixture_reopen(f);
}

#define RENAMED_NAMESPACE "namespace = %j:%u:%H 2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe\n"

static void a_renamed_file_system_goes_on_with_its_series(void **state)
{
    (void)state;
    EACH_ENGINE(f, "[filesystem scratch]\njobid_name = %j:%u:%H\n" RENAMED_NAMESPACE)
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS);
        assert_int_equal(fixture_put(&f, &batch, T0_MS).accepted, 1);
        fixture_sql(&f, "UPDATE namespaces SET fs = 'work' WHERE format <> ''");
        config_take(&f, "[filesystem work]\njobid_name = %j:%u:%H\n" RENAMED_NAMESPACE);
        batch.rows[0].fs = SPAN("work");
        batch.rows[0].t_ms += MINUTE_MS;
        fixture_row(&batch, OST1, JOB_B, T0_MS)->fs = SPAN("work");
        assert_int_equal(fixture_put(&f, &batch, T0_MS).accepted, 2);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM series"), 2);
        assert_int_equal(fixture_number(&f, "SELECT count(DISTINCT sid) FROM "
                                            "jobstats_ost"),
                         2);
        assert_int_equal(
            fixture_number(&f, "SELECT count(*) FROM series WHERE fs = 'scratch'"), 1);
    }
}

/* What a site must forget it deletes by SQL: a day may have no rows any more. */
static void days_that_were_emptied_are_no_edge(void **state)
{
    (void)state;
    EACH_ENGINE(f, "")
    {
        struct records_extent extent;
        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        for (int day = -2; day <= 0; day++)
            (void)fixture_row(&batch, OST1, JOB_A,
                              T0_MS + MINUTE_MS + day * MS_PER_DAY);
        assert_int_equal(fixture_put(&f, &batch, T0_MS).accepted, 3);
        fixture_sql(&f, "DELETE FROM jobstats_ost_20261119");
        fixture_sql(&f, "DELETE FROM jobstats_ost_20261121");
        assert_int_equal(records_extent(f.reader, &extent, NULL), 0);
        assert_true(extent.first_ms == T0_MS + MINUTE_MS - MS_PER_DAY);
        assert_true(extent.last_ms == extent.first_ms);
        fixture_sql(&f, "DELETE FROM jobstats_ost_20261120");
        assert_int_equal(records_extent(f.reader, &extent, NULL), 0);
        assert_true(extent.first_ms == T_NONE && extent.last_ms == T_NONE);
        assert_int_equal(records_maintain(f.records, T0_MS + MS_PER_DAY, NULL), 0);
    }
}

/* A database as an older version made it: two series, of two formats, and a row of
 * each. */
static void check_migration(struct fixture *f, int version)
{
    static const struct uuid seed = { { 0xaf, 0x85, 0x40, 0x63, 0xc3, 0x81, 0x58, 0x5f,
                                        0xb5, 0x51, 0xce, 0x0b, 0x6c, 0x44, 0x40,
                                        0xa3 } };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(jobbatch_done) struct jobbatch batch;
    char path[256];
    (void)snprintf(path, sizeof path, GOLDEN_DIR "/version-%d-%s.sql", version,
                   f->engine);
    assert_int_equal(file_read(path, 1 << 20, &sql, NULL), 0);
    fixture_restore(f, strbuf_text(&sql));
    assert_int_equal(fixture_number(f, "SELECT max(version) FROM schema_version"),
                     SCHEMA_VERSION);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM jobstats"), 2);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM jobs"), 0);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM job_summaries"), 0);
    int count = 0;
    struct series_filter filter = { .id = &seed };
    assert_int_equal(
        records_find_series(f->reader, &filter, count_series, &count, NULL), 0);
    assert_int_equal(count, 1);
    jobbatch_init(&batch, 0);
    (void)fixture_row(&batch, OST1, JOB_A, T0_MS);
    (void)fixture_row(&batch, OST1, JOB_A, T0_MS + MINUTE_MS);
    struct records_response answer = fixture_put(f, &batch, T0_MS);
    assert_int_equal(answer.duplicate, 1);
    assert_int_equal(answer.accepted, 1);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM series"), 2);
}

static void an_older_database_is_migrated(void **state)
{
    (void)state;
    static const int versions[] = { 1, 3 };
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        EACH_ENGINE(f, SEED_CONFIG)
        {
            check_migration(&f, versions[i]);
        }
    }
}

struct told {
    size_t count;
    int64_t sids[8];
    int64_t t_ms[8];
};

static void taken_out(void *arg, const struct series *s, const struct jobrow *row)
{
    struct told *told = arg;
    if (told->count < COUNT_OF(told->sids)) {
        told->sids[told->count] = s->sid;
        told->t_ms[told->count] = row->t_ms;
        assert_true(span_eq(s->target, row->target));
        assert_true(span_eq(s->entry_id, row->entry_id));
    }
    told->count++;
}

static void new_rows_are_told_in_the_batchs_order(void **state)
{
    (void)state;
    EACH_ENGINE(f, "")
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        struct records_response answer;
        struct told told = { 0 };
        jobbatch_init(&batch, 0);
        (void)fixture_row(&batch, OST1, JOB_B, T0_MS + 9);
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS + 8);
        fixture_fs(&f, &batch);
        assert_int_equal(
            records_put(f.records, &batch, now_ms, &answer, taken_out, &told, NULL), 0);
        assert_int_equal(told.count, 2);
        assert_true(told.t_ms[0] == T0_MS + 9 && told.t_ms[1] == T0_MS + 8);
        assert_true(told.sids[0] == fixture_sid(&f, OST1, JOB_B));
        assert_true(told.sids[1] == fixture_sid(&f, OST1, JOB_A));

        told = (struct told){ 0 };
        (void)fixture_row(&batch, OST1, JOB_A, T0_MS + 9);
        fixture_fs(&f, &batch);
        assert_int_equal(
            records_put(f.records, &batch, now_ms, &answer, taken_out, &told, NULL), 0);
        assert_int_equal(told.count, 1);
        assert_true(told.t_ms[0] == T0_MS + 9);
    }
}

/* One series with a row every two minutes over midnight; the third is lost. */
static void fill_nights(struct fixture *f)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    jobbatch_init(&batch, 0);
    for (int i = -30; i < 30; i++) {
        if (i == -28)
            continue;
        fixture_count(fixture_row(&batch, OST1, JOB_A, T0_MS + i * 2 * MINUTE_MS),
                      OP_WRITE, (uint64_t)(100 + i));
        if (i < 0)
            fixture_count(
                fixture_row(&batch, OST1, JOB_B, T0_MS + i * 2 * MINUTE_MS + 1),
                OP_WRITE, (uint64_t)(200 + i));
    }
    assert_int_equal(fixture_put(f, &batch, now_ms).accepted, 88);
}

static int times_out(void *arg, int64_t sid, const struct jobrow *row)
{
    strbuf_addf(arg, "%c%lld ", (char)('a' - 1 + sid),
                (long long)((row->t_ms - T0_MS) / MINUTE_MS));
    return 0;
}

static void ranges_have_their_neighbours(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int from, to; /* minutes after midnight */
        bool before, after;
        const char *want; /* minutes: a is the first series, b the second */
        int until;        /* of rows after; 0: there is no end */
    } cases[] = {
        { "the left end is open", 0, 4, false, false, "a2 a4 ", 0 },
        { "over midnight", -3, 2, false, false, "a-2 a0 a2 b-1 ", 0 },
        { "before, on the other day", 0, 2, true, false, "a0 a2 ", 0 },
        { "before, past midnight", -2, 1, true, false, "a-2 a0 b-3 b-1 ", 0 },
        { "after reaches back", 1, 3, false, true, "a2 a4 ", 0 },
        { "nobody reaches back past the end", 0, 4, false, true, "a2 a4 ", 0 },
        { "both", 1, 3, true, true, "a0 a2 a4 ", 0 },
        { "no row inside, one reaches back", 0, 1, true, true, "a0 a2 ", 0 },
        { "behind a lost row", -56, -54, true, false, "a-58 a-54 ", 0 },
        { "after, but too far", 1, 3, false, true, "a2 ", 3 },
        { "after, and just near enough", 1, 3, false, true, "a2 a4 ", 4 },
        { "no row inside, one reaches back too far away", 0, 1, true, true, "", 1 },
        { "no row inside, one near enough reaches back", 0, 1, true, true, "a0 a2 ",
          2 },
        { "until before the end", 1, 3, false, true, "a2 ", .until = 1 },
        { "long after the last", 100, 200, true, true, "", 0 },
    };
    EACH_ENGINE(f, "")
    {
        fill_nights(&f);
        assert_int_equal(fixture_sid(&f, OST1, JOB_A), 1);
        int64_t many[20000];
        for (size_t i = 0; i < COUNT_OF(many); i++)
            many[i] = (int64_t)i + 1;
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            for (size_t way = 0; way < 3; way++) {
                AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
                struct row_range range =
                    range_of(TARGET_OST, T0_MS + cases[i].from * MINUTE_MS,
                             T0_MS + cases[i].to * MINUTE_MS);
                range.with_before = cases[i].before;
                range.with_after = cases[i].after;
                range.until_ms =
                    cases[i].until ? T0_MS + cases[i].until * MINUTE_MS : 0;
                range.sids = way ? many : NULL;
                range.sid_count = way == 1 ? 2 : way == 2 ? COUNT_OF(many) : 0;
                struct err err = { 0 };
                if (records_read_rows(f.reader, &range, times_out, &text, &err) < 0)
                    fail_msg("%s: %s", cases[i].name, err.text);
                if (strcmp(strbuf_text(&text), cases[i].want) != 0)
                    fail_msg("%s: %s (way %zu): got '%s'", f.engine, cases[i].name, way,
                             strbuf_text(&text));
            }
    }
}

static void rows_of_the_flat_form_reach_an_hour_back(void **state)
{
    (void)state;
    EACH_ENGINE(f, "")
    {
        AUTO(jobbatch_done) struct jobbatch batch;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        jobbatch_init(&batch, 0);
        for (int i = 0; i < 3; i++) {
            struct jobrow *row =
                fixture_row(&batch, OST1, JOB_A, T0_MS + i * 10 * MINUTE_MS);
            row->since_ms = row->previous_ms = T_NONE;
            row->reset = RESET_UNKNOWN;
        }
        (void)fixture_put(&f, &batch, now_ms);
        struct row_range range =
            range_of(TARGET_OST, T0_MS + MINUTE_MS, T0_MS + 2 * MINUTE_MS);
        range.with_before = range.with_after = true;
        assert_int_equal(records_read_rows(f.reader, &range, times_out, &text, NULL),
                         0);
        assert_string_equal(strbuf_text(&text), "a0 a10 ");
    }
}

static int stop_at_two(void *arg, int64_t sid, const struct jobrow *row)
{
    (void)sid, (void)row;
    return ++*(int *)arg == 2 ? -ECANCELED : 0;
}

static void a_callback_can_end_the_reading(void **state)
{
    (void)state;
    EACH_ENGINE(f, "")
    {
        int count = 0;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        fill_nights(&f);
        struct row_range range = range_of(TARGET_OST, T0_MS - MS_PER_DAY, now_ms);
        assert_int_equal(records_read_rows(f.reader, &range, stop_at_two, &count, NULL),
                         -ECANCELED);
        assert_int_equal(count, 2);
        range.from_ms = T0_MS;
        range.to_ms = T0_MS + 2 * MINUTE_MS;
        assert_int_equal(records_read_rows(f.reader, &range, times_out, &text, NULL),
                         0);
        assert_string_equal(strbuf_text(&text), "a2 ");
    }
}

static void whole_days_go_with_the_retention(void **state)
{
    (void)state;
    EACH_ENGINE(f, "")
    {
        struct records_extent extent;
        fill_nights(&f);
        assert_int_equal(records_extent(f.reader, &extent, NULL), 0);
        assert_true(extent.first_ms == T0_MS - 60 * MINUTE_MS);
        assert_true(extent.last_ms == T0_MS + 58 * MINUTE_MS);
        assert_true(extent.series_count == 2);
        assert_true(extent.size_bytes > 0);
        int64_t later_ms = T0_MS + 10 * MS_PER_DAY;
        struct err err = { 0 };
        if (records_maintain(f.records, later_ms - 1, &err) < 0)
            fail_msg("%s: %s", f.engine, err.text);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM jobstats_ost"), 88);
        if (records_maintain(f.records, later_ms, &err) < 0)
            fail_msg("%s: %s", f.engine, err.text);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM jobstats_ost"), 30);
        assert_int_equal(records_extent(f.reader, &extent, NULL), 0);
        assert_true(extent.first_ms == T0_MS);

        /* A clock that is years ahead drops nothing. */
        assert_int_equal(records_maintain(f.records, T0_MS + 4000 * MS_PER_DAY, &err),
                         -ERANGE);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM jobstats_ost"), 30);

        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        (void)fixture_row(&batch, OST1, JOB_A, later_ms);
        assert_int_equal(fixture_put(&f, &batch, later_ms).accepted, 1);
    }
}

static void views_join_rows_and_series(void **state)
{
    (void)state;
    EACH_ENGINE(f, SEED_CONFIG)
    {
        fill_nights(&f);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM jobstats WHERE "
                                            "job_id = '11317855' AND server = 'oss01'"),
                         30 - 1);
        assert_int_equal(
            fixture_number(&f, "SELECT observations FROM job_activity WHERE "
                               "job_id = '11317854' AND targets = 1 AND nodes = 1"),
            59);
        assert_int_equal(fixture_number(&f, "SELECT max(\"write\") FROM jobstats_ost"),
                         199);
        assert_int_equal(
            fixture_number(&f,
                           "SELECT count(*) FROM jobstats_series WHERE time_series_id"
                           " = 'af854063-c381-585f-b551-ce0b6c4440a3'"),
            1);
    }
}

static void a_newer_schema_is_refused_by_name(void **state)
{
    (void)state;
    EACH_ENGINE(f, "")
    {
        fixture_sql(&f, "UPDATE schema_version SET version = 4711");
        struct records *records = NULL;
        struct err err = { 0 };
        assert_int_equal(records_open(&f.opts, f.site, &records, &err), -EBADMSG);
        assert_non_null(strstr(err.text, "4711"));
        assert_null(records);
        char sql[64];
        (void)snprintf(sql, sizeof sql, "UPDATE schema_version SET version = %d",
                       SCHEMA_VERSION);
        fixture_sql(&f, sql);
        fixture_reopen(&f);
    }
}

static void a_namespace_of_another_file_system_is_refused_at_start(void **state)
{
    (void)state;
    EACH_ENGINE(f, SEED_CONFIG)
    {
        AUTO(config_free) struct config *config = NULL;
        AUTO(site_free) struct site *site = NULL;
        struct records *records = NULL;
        struct err err = { 0 };
        assert_int_equal(config_parse("test.conf",
                                      SPAN("[filesystem home]\nnamespace = %e.%u "
                                           "2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe\n"),
                                      &site_config_section, 1, &config, NULL),
                         0);
        assert_int_equal(site_new(config, &site, NULL), 0);
        assert_int_equal(records_open(&f.opts, site, &records, &err), -EINVAL);
        assert_non_null(strstr(err.text, "home"));
    }
}

/* xorshift: the same workload on both engines. */
static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed % below;
}

static void fill_random(struct fixture *f)
{
    uint64_t seed = 88172645463325252ULL;
    for (int n = 0; n < 20; n++) {
        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        for (int i = 0; i < 300; i++) {
            char id[32], target[32];
            (void)snprintf(id, sizeof id, "%d:%d:n%d", (int)draw(&seed, 20),
                           (int)draw(&seed, 3), (int)draw(&seed, 2));
            bool on_mdt = draw(&seed, 3) == 0;
            (void)snprintf(target, sizeof target, "fs-%s%04x", on_mdt ? "MDT" : "OST",
                           (unsigned)draw(&seed, 4));
            struct jobrow *row = fixture_row(
                &batch, arena_dup(&batch.arena, span_of(target)),
                arena_dup(&batch.arena, span_of(id)),
                T0_MS - 3 * MS_PER_DAY + (int64_t)draw(&seed, 3 * MS_PER_DAY));
            if (draw(&seed, 4) == 0)
                row->since_ms -= (int64_t)draw(&seed, MS_PER_DAY);
            if (draw(&seed, 9) == 0)
                row->since_ms = row->previous_ms = T_NONE;
            row->reset = (enum jobrow_reset)draw(&seed, 3);
            for (int op = 0; op < OP_COUNT; op++)
                if (op_is_on((enum op)op, row->kind) && draw(&seed, 2))
                    fixture_count(row, (enum op)op, draw(&seed, UINT64_MAX));
        }
        (void)fixture_put(f, &batch, now_ms);
    }
}

static void dump_random(struct fixture *f, struct strbuf *out)
{
    uint64_t seed = 4711;
    int64_t sids[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41 };
    for (int n = 0; n < 40; n++) {
        int64_t from_ms = T0_MS - 3 * MS_PER_DAY + (int64_t)draw(&seed, 3 * MS_PER_DAY);
        struct row_range range =
            range_of(draw(&seed, 2) ? TARGET_OST : TARGET_MDT, from_ms,
                     from_ms + (int64_t)draw(&seed, MS_PER_DAY));
        range.with_before = draw(&seed, 2);
        range.with_after = draw(&seed, 2);
        range.ops = draw(&seed, 2) ? 0 : draw(&seed, UINT64_MAX) | 1;
        if (draw(&seed, 2)) {
            range.sids = sids;
            range.sid_count = draw(&seed, COUNT_OF(sids));
        }
        strbuf_addf(out, "-- %d\n", n);
        fixture_read(f, &range, out);
    }
}

static void both_engines_give_the_same_rows(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT;
    EACH_ENGINE(f, "")
    {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf series = STRBUF_INIT;
        fill_random(&f);
        dump_random(&f, &text);
        struct series_filter filter = { 0 };
        fixture_series(&f, &filter, &series);
        strbuf_add_span(&text, strbuf_span(&series));
        assert_true(text.size > 100000);
        if (!first.size)
            strbuf_add_span(&first, strbuf_span(&text));
        if (!span_eq(strbuf_span(&first), strbuf_span(&text))) {
            size_t at = 0;
            while (first.data[at] == text.data[at])
                at++;
            at = at > 200 ? at - 200 : 0;
            fail_msg("%s differs: '%.500s' is not '%.500s'", f.engine, text.data + at,
                     first.data + at);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_as_they_were_written),
        cmocka_unit_test(the_first_write_of_a_key_wins),
        cmocka_unit_test(a_known_batch_gets_its_first_answer_again),
        cmocka_unit_test(a_commit_that_was_not_answered_is_in_doubt_and_never_twice),
        cmocka_unit_test(what_cannot_be_a_row_is_refused_with_its_reason),
        cmocka_unit_test(a_batch_wholly_out_of_time_asks_whose_clock_is_wrong),
        cmocka_unit_test(series_are_found_by_what_is_known_of_them),
        cmocka_unit_test(an_id_once_stored_stays),
        cmocka_unit_test(an_id_is_found_however_many_series_came_before),
        cmocka_unit_test(a_renamed_file_system_goes_on_with_its_series),
        cmocka_unit_test(days_that_were_emptied_are_no_edge),
        cmocka_unit_test(an_older_database_is_migrated),
        cmocka_unit_test(new_rows_are_told_in_the_batchs_order),
        cmocka_unit_test(ranges_have_their_neighbours),
        cmocka_unit_test(rows_of_the_flat_form_reach_an_hour_back),
        cmocka_unit_test(a_callback_can_end_the_reading),
        cmocka_unit_test(whole_days_go_with_the_retention),
        cmocka_unit_test(views_join_rows_and_series),
        cmocka_unit_test(a_newer_schema_is_refused_by_name),
        cmocka_unit_test(a_namespace_of_another_file_system_is_refused_at_start),
        cmocka_unit_test(both_engines_give_the_same_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
