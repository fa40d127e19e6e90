/* SPDX-License-Identifier: Apache-2.0 */
/* test_transaction - a transaction notes how the database is, and forgets names. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/transaction.h"

/* An engine whose calls return what the test says. */
struct records_backend {
    int begin, commit;
    uint64_t generation;
    size_t rollbacks;
};

static int begin_return(struct records_backend *b, struct err *err)
{
    return b->begin < 0 ? err_set(err, -b->begin, "begin failed") : 0;
}

static int commit_return(struct records_backend *b, struct err *err)
{
    return b->commit < 0 ? err_set(err, -b->commit, "commit failed") : 0;
}

static void rollback_count(struct records_backend *b)
{
    b->rollbacks++;
}

static uint64_t generation_return(const struct records_backend *b,
                                  const char **ret_news)
{
    *ret_news = "another database";
    return b->generation;
}

static int sql_return(struct records_backend *b, struct sql_conn *ret, struct err *err)
{
    (void)b;
    (void)err;
    *ret = (struct sql_conn){ 0 };
    return 0;
}

static const struct records_engine fake_engine = { .begin = begin_return,
                                                   .commit = commit_return,
                                                   .rollback = rollback_count,
                                                   .generation = generation_return,
                                                   .writer_sql = sql_return };

struct fake {
    struct records_backend backend;
    struct site *site;
    struct records *records;
};

static void fake_start(struct fake *h)
{
    *h = (struct fake){ 0 };
    assert_int_equal(site_new(NULL, &h->site, NULL), 0);
    h->records = calloc(1, sizeof *h->records);
    assert_non_null(h->records);
    h->records->engine = &fake_engine;
    h->records->backend = &h->backend;
    h->records->site = h->site;
    arena_init(&h->records->arena, 0);
    arena_init(&h->records->names, 0);
    assert_int_equal(series_cache_new(1000, &h->records->cache), 0);
    assert_int_equal(records_health_new(&h->records->health), 0);
}

static void fake_stop(struct fake *h)
{
    series_cache_free(h->records->cache);
    records_health_free(h->records->health);
    arena_done(&h->records->arena);
    arena_done(&h->records->names);
    free(h->records);
    site_free(h->site);
}

static void failures_of_the_database_are_its_health(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int begin, commit, want, want_health;
    } cases[] = {
        { "all is well", 0, 0, 0, 0 },
        { "it is away", -EAGAIN, 0, -EAGAIN, -EAGAIN },
        { "its disk is full", 0, -ENOSPC, -ENOSPC, -ENOSPC },
        { "it may not be written to", 0, -EACCES, -EACCES, -EACCES },
        { "it is damaged", 0, -EUCLEAN, -EUCLEAN, -EUCLEAN },
        { "another writer was quicker", 0, -EAGAIN, -EAGAIN, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fake f;
        fake_start(&f);
        f.backend.begin = cases[i].begin;
        f.backend.commit = cases[i].commit;
        int rc = transaction_begin(f.records, NULL);
        if (rc == 0)
            rc = transaction_commit(f.records, NULL);
        int health = records_health_check(f.records->health, NULL);
        if (rc != cases[i].want || health != cases[i].want_health)
            fail_msg("%s: %d, health %d", cases[i].name, rc, health);
        assert_int_equal(f.backend.rollbacks, cases[i].commit < 0);
        fake_stop(&f);
    }
}

static void a_damaged_database_is_not_written_to_again(void **state)
{
    (void)state;
    struct fake f;
    struct err err = { 0 };
    fake_start(&f);
    records_health_set_damage(f.records->health, "page 7 is torn");
    assert_int_equal(transaction_begin(f.records, &err), -EUCLEAN);
    assert_non_null(strstr(err.text, "page 7"));
    fake_stop(&f);
}

static void a_commit_that_succeeds_ends_an_earlier_failure(void **state)
{
    (void)state;
    struct fake f;
    fake_start(&f);
    f.backend.commit = -ENOSPC;
    assert_int_equal(transaction_begin(f.records, NULL), 0);
    assert_int_equal(transaction_commit(f.records, NULL), -ENOSPC);
    f.backend.commit = 0;
    assert_int_equal(transaction_begin(f.records, NULL), 0);
    assert_int_equal(records_health_check(f.records->health, NULL), -ENOSPC);
    assert_int_equal(transaction_commit(f.records, NULL), 0);
    assert_int_equal(records_health_check(f.records->health, NULL), 0);
    fake_stop(&f);
}

static void another_database_takes_what_was_remembered_with_it(void **state)
{
    (void)state;
    struct fake f;
    AUTO(strbuf_done) struct strbuf news = STRBUF_INIT;
    const struct series series = { .sid = 7, .fs = SPAN("s"), .target = SPAN("t") };
    fake_start(&f);
    assert_int_equal(series_cache_put(f.records->cache, &series, &series), 0);
    f.records->server_count = 3;
    f.records->witness_ms = 5;
    assert_int_equal(transaction_begin(f.records, NULL), 0);
    assert_int_equal(series_cache_count(f.records->cache), 1);
    f.backend.generation = 1;
    assert_int_equal(transaction_begin(f.records, NULL), 0);
    assert_int_equal(series_cache_count(f.records->cache), 0);
    assert_int_equal(f.records->server_count, 0);
    assert_true(f.records->witness_ms == T_NONE);
    assert_int_equal(records_health_news(f.records->health, &news), 1);
    assert_string_equal(strbuf_text(&news), "another database");
    fake_stop(&f);
}

static void a_rollback_forgets_names_and_leaves_series(void **state)
{
    (void)state;
    struct fake f;
    const struct series series = { .sid = 7, .fs = SPAN("s"), .target = SPAN("t") };
    fake_start(&f);
    assert_int_equal(series_cache_put(f.records->cache, &series, &series), 0);
    f.records->server_count = f.records->namespace_count = 3;
    transaction_rollback(f.records);
    assert_int_equal(f.backend.rollbacks, 1);
    assert_int_equal(f.records->server_count, 0);
    assert_int_equal(f.records->namespace_count, 0);
    assert_int_equal(series_cache_count(f.records->cache), 1);
    fake_stop(&f);
}

static void writing_wants_a_connection_and_the_right_to(void **state)
{
    (void)state;
    struct fake f;
    fake_start(&f);
    assert_int_equal(check_connected(f.records, NULL), -EAGAIN);
    assert_int_equal(check_writable(f.records, NULL), -EAGAIN);
    atomic_store(&f.records->is_connected, true);
    assert_int_equal(check_connected(f.records, NULL), 0);
    assert_int_equal(check_writable(f.records, NULL), 0);
    f.records->opts.access = RECORDS_READ;
    assert_int_equal(check_connected(f.records, NULL), 0);
    assert_int_equal(check_writable(f.records, NULL), -EACCES);
    fake_stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_of_the_database_are_its_health),
        cmocka_unit_test(a_damaged_database_is_not_written_to_again),
        cmocka_unit_test(a_commit_that_succeeds_ends_an_earlier_failure),
        cmocka_unit_test(another_database_takes_what_was_remembered_with_it),
        cmocka_unit_test(a_rollback_forgets_names_and_leaves_series),
        cmocka_unit_test(writing_wants_a_connection_and_the_right_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
