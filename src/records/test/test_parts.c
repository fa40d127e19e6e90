/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts - days, the series cache, and the statements for TimescaleDB. */
#include "base/file.h"
#include "base/test/testing.h"
#include "records/counter.h"
#include "records/identity.h"
#include "records/postgres/schema_sql.h"
#include "records/put.h"
#include "records/schema.h"
#include "records/series_cache.h"
#include "records/sqlite/identity.h"

static void days_are_those_of_the_calendar(void **state)
{
    (void)state;
    static const struct {
        int64_t t_ms;
        int32_t day;
    } cases[] = {
        { 0, 19700101 },
        { 86399999, 19700101 },
        { 86400000, 19700102 },
        { 951782400000, 20000229 },
        { 951868800000, 20000301 },
        { 1709164800000, 20240229 },
        { 1795219200000, 20261121 },
        { 4107542400000, 21000301 }, /* 2100 has no 29 February */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t start_ms = cases[i].t_ms - cases[i].t_ms % MS_PER_DAY;
        if (schema_day(cases[i].t_ms) != cases[i].day ||
            schema_day_start_ms(cases[i].day) != start_ms)
            fail_msg("%lld: got %d, which begins at %lld", (long long)cases[i].t_ms,
                     schema_day(cases[i].t_ms),
                     (long long)schema_day_start_ms(cases[i].day));
    }
    for (int64_t day = 0; day < 60000; day++)
        assert_true(schema_day_start_ms(schema_day(day * MS_PER_DAY)) ==
                    day * MS_PER_DAY);
}

static void counters_keep_their_bits(void **state)
{
    (void)state;
    static const uint64_t values[] = { 0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_true(counter_from_db(counter_to_db(values[i])) == values[i]);
}

static void the_newest_row_of_a_batch_tells_the_time(void **state)
{
    (void)state;
    static const int64_t batches[][3] = { { 5, 9, 7 }, { 9, 7, 5 }, { 5, 7, 9 } };
    for (size_t i = 0; i < COUNT_OF(batches); i++) {
        struct records records = { .witness_ms = T_NONE };
        struct jobrow told[3] = { 0 };
        struct put_row rows[3] = { 0 };
        for (size_t k = 0; k < 3; k++) {
            told[k].t_ms = batches[i][k];
            rows[k].row = &told[k];
        }
        clock_agrees(&records, rows, 3);
        assert_int_equal(records.witness_ms, 9);
    }
}

static void put_named(struct series_cache *cache, const char *id, int64_t sid)
{
    struct series s = { .fs = SPAN("scratch"),
                        .target = SPAN("scratch-OST0001"),
                        .entry_id = span_of(id),
                        .job = SPAN("17"),
                        .sid = sid };
    assert_int_equal(series_cache_put(cache, &s, &s), 0);
}

static const struct series *get_named(struct series_cache *cache, const char *id)
{
    return series_cache_get(cache, SPAN("scratch"), SPAN("scratch-OST0001"),
                            span_of(id));
}

static void the_cache_keeps_what_is_asked_for(void **state)
{
    (void)state;
    AUTO(series_cache_free) struct series_cache *cache = NULL;
    char id[32];
    assert_int_equal(series_cache_new(0, &cache), -EINVAL);
    assert_int_equal(series_cache_new(1000, &cache), 0);
    put_named(cache, "often", 7);
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(id, sizeof id, "%d", i);
        put_named(cache, id, i + 100);
        assert_non_null(get_named(cache, "often"));
    }
    assert_int_equal(series_cache_count(cache), 1000);
    assert_null(get_named(cache, "17"));
    const struct series *s = get_named(cache, "4999");
    assert_non_null(s);
    assert_true(s->sid == 5099);
    assert_true(span_is(s->job, "17"));
    assert_null(s->user.data);
    assert_null(
        series_cache_get(cache, SPAN("home"), SPAN("scratch-OST0001"), SPAN("4999")));
    series_cache_clear(cache);
    assert_null(get_named(cache, "often"));
}

/* What would be sent to TimescaleDB, which this test cannot start: any change of it has
 * to be seen by a person. */
static void statements_for_timescale_are_the_golden_ones(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf golden = STRBUF_INIT;
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        pg_hypertable_sql(&sql, (enum target_kind)kind);
        pg_compression_sql(&sql, (enum target_kind)kind);
        pg_retention_policy_sql(&sql, (enum target_kind)kind);
        pg_compression_policy_sql(&sql, (enum target_kind)kind, 7 * INT64_C(86400));
        pg_compression_policy_sql(&sql, (enum target_kind)kind, 0);
    }
    struct err err = { 0 };
    if (file_read(GOLDEN_DIR "/timescale.sql", 1 << 20, &golden, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&sql), strbuf_text(&golden));
}

static struct uuid uuid_of(uint8_t first)
{
    return (struct uuid){ .bytes = { first } };
}

/* What was left: database 1, epoch 100 by writer 7, server 5 on timeline 2. */
static void a_database_is_known_again_by_its_identity(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint8_t id, writer;
        int64_t epoch, system, timeline;
        bool in_doubt;
        const char *why; /* NULL: it is the one */
    } cases[] = {
        { "as it was left", 1, 7, 100, 5, 2, false, NULL },
        { "the server's identity is not told", 1, 7, 100, 0, 0, false, NULL },
        { "the commit in doubt was one", 1, 8, 101, 5, 2, true, NULL },
        { "the commit in doubt was none", 1, 7, 100, 5, 2, true, NULL },
        { "two more than the doubt explains", 1, 8, 102, 5, 2, true,
          "another program" },
        { "one more without a doubt", 1, 8, 101, 5, 2, false, "another program" },
        { "one more, of another writer", 1, 9, 101, 5, 2, true, "another program" },
        { "the same epoch by another", 1, 9, 100, 5, 2, false, "another program" },
        { "an older copy", 1, 7, 97, 5, 2, false, "3 transactions" },
        { "an older copy of another server", 1, 7, 99, 6, 1, false, "1 transactions" },
        { "another database", 2, 7, 100, 5, 2, false, "its identity" },
        { "another server", 1, 7, 100, 6, 2, false, "another server" },
        { "a standby, promoted", 1, 7, 100, 5, 3, false, "timeline 2 to 3" },
    };
    const struct database_identity want = { .id = uuid_of(1),
                                            .writer = uuid_of(7),
                                            .epoch = 100,
                                            .system = 5,
                                            .timeline = 2,
                                            .arrived_ms = T_NONE };
    const struct uuid pending = uuid_of(8);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
        const struct database_identity have = { .id = uuid_of(cases[i].id),
                                                .writer = uuid_of(cases[i].writer),
                                                .epoch = cases[i].epoch,
                                                .system = cases[i].system,
                                                .timeline = cases[i].timeline,
                                                .arrived_ms = T_NONE };
        enum identity_difference difference =
            identity_compare(&want, cases[i].in_doubt ? &pending : NULL, &have);
        identity_explain(difference, &want, &have, &why);
        bool differs = difference != IDENTITY_SAME;
        if (differs != (cases[i].why != NULL) ||
            (differs && !strstr(strbuf_text(&why), cases[i].why)))
            fail_msg("%s: %d, '%s'", cases[i].name, differs, strbuf_text(&why));
    }
}

static int note_batches(void *arg, int action, const char *table, const char *column,
                        const char *database, const char *trigger)
{
    bool *is_read = arg;
    (void)column;
    (void)database;
    (void)trigger;
    if (action == SQLITE_READ && strcmp(table, "batches") == 0)
        *is_read = true;
    return SQLITE_OK;
}

/* It is read in every second transaction: batches has no index of arrivals, and
 * millions of rows. */
static void an_identity_is_read_without_the_batches(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = NULL;
    struct database_identity identity = { .arrived_ms = 0 };
    bool is_read = false;
    int64_t arrived_ms = 0;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(
        db_exec(
            db,
            "CREATE TABLE batches (arrived INTEGER); "
            "CREATE TABLE records_identity (id BLOB, epoch INTEGER, writer BLOB);"
            "INSERT INTO batches VALUES (5), (7), (6);"
            "INSERT INTO records_identity VALUES (randomblob(16), 3, randomblob(16))",
            NULL),
        0);
    assert_int_equal(sqlite3_set_authorizer(db, note_batches, &is_read), SQLITE_OK);
    assert_int_equal(sqlite_identity_read(db, &identity, NULL), 0);
    assert_int_equal(identity.epoch, 3);
    assert_false(is_read);
    assert_int_equal(sqlite_identity_arrived(db, &arrived_ms, NULL), 0);
    assert_int_equal(arrived_ms, 7);
    assert_true(is_read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_are_those_of_the_calendar),
        cmocka_unit_test(counters_keep_their_bits),
        cmocka_unit_test(the_newest_row_of_a_batch_tells_the_time),
        cmocka_unit_test(the_cache_keeps_what_is_asked_for),
        cmocka_unit_test(a_database_is_known_again_by_its_identity),
        cmocka_unit_test(an_identity_is_read_without_the_batches),
        cmocka_unit_test(statements_for_timescale_are_the_golden_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
