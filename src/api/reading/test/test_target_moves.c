/* SPDX-License-Identifier: Apache-2.0 */
/* test_target_moves - which targets moved to another server, out of the metric store.
 */
#include "api/reading/reading.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define MINUTE_NS (60 * NS_PER_S)
#define MINUTES 60

static struct {
    char dir[128];
    unsigned number; /* of stores so far */
    struct metric_store *store;
    int64_t from_ns;
} house;

static int setup(void **state)
{
    struct err err = { 0 };
    char name[16];
    (void)state;
    (void)snprintf(name, sizeof name, "%u", house.number++);
    (void)snprintf(house.dir, sizeof house.dir, "%s", scratch_path(name));
    assert_int_equal(mkdir(house.dir, 0755), 0);
    const struct metric_store_options options = { .dir = house.dir, .shard_count = 2 };
    if (metric_store_open(&options, &house.store, &err) < 0)
        fail_msg("%s", err.text);
    house.from_ns = (time(NULL) / 3600 - 1) * 3600 * NS_PER_S - MINUTES * MINUTE_NS;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    metric_store_close(house.store);
    return 0;
}

/* What a server reports of a target in these minutes. */
static void put(const char *path, int from, int to)
{
    const struct metric form = { .name = SPAN("lustre_capacity_bytes"),
                                 .aggregation = AGGREGATE_SUM };
    struct metric_table *metrics = metric_store_metrics(house.store);
    const struct metric *metric = NULL;
    struct level_series *series = NULL;
    struct sample_counts counts = { 0 };
    int rc = metric_declare(metrics, &form, &metric);
    assert_true(rc == 0 || rc == -EEXIST);
    metric = metric_find(metrics, form.name);
    assert_int_equal(metric_store_series(house.store, span_of(path), metric, &series),
                     0);
    for (int minute = from; minute < to; minute++) {
        struct sample point = { series, house.from_ns + minute * MINUTE_NS, 1000 };
        const struct metric_batch batch = { series->level->shard, &point, 1,
                                            METRIC_STORED };
        assert_int_equal(metric_store_put(house.store, &batch, &counts), 0);
    }
}

static int stop(void *arg)
{
    (void)arg;
    return -ECANCELED;
}

static int moves_read(const char *fs, int (*watch)(void *arg), struct table *ret,
                      struct err *err)
{
    struct budget_hold hold = { 0 };
    const struct target_moves_opts opts = {
        .store = house.store,
        .watch = watch,
        .fs = fs,
        .from_ns = house.from_ns,
        .to_ns = house.from_ns + MINUTES * MINUTE_NS,
        .hold = &hold,
    };
    table_init(ret);
    return target_moves_read(&opts, ret, err);
}

static const char *text_of(const struct table *t, size_t row, const char *name)
{
    return table_at(t, row, (size_t)table_find_column(t, name))->text;
}

static int64_t minute_of(const struct table *t, size_t row, const char *name)
{
    int64_t t_ms = table_at(t, row, (size_t)table_find_column(t, name))->i64;
    return (t_ms * NS_PER_MS - house.from_ns) / MINUTE_NS;
}

static void a_target_that_another_server_has_later_moved(void **state)
{
    AUTO(table_done) struct table t;
    struct err err = { 0 };
    (void)state;
    put("lustre/oss02/ost:s-OST0004", 0, 20);
    put("lustre/oss01/ost:s-OST0004", 24, 50);
    put("lustre/oss02/ost:s-OST0004", 52, 60); /* and back */
    put("lustre/oss01/ost:s-OST0000", 0, 60);
    put("lustre/oss02/ost:s-OST0005", 0, 20); /* it is away until the end */
    if (moves_read("*", NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(text_of(&t, 0, "cluster"), "lustre");
    assert_string_equal(text_of(&t, 0, "target"), "s-OST0004");
    assert_string_equal(text_of(&t, 0, "from_server"), "oss02");
    assert_string_equal(text_of(&t, 0, "to_server"), "oss01");
    assert_int_equal(minute_of(&t, 0, "last"), 19);
    assert_int_equal(minute_of(&t, 0, "first"), 24);
    assert_string_equal(text_of(&t, 1, "to_server"), "oss02");
    assert_int_equal(minute_of(&t, 1, "last"), 49);
    assert_int_equal(minute_of(&t, 1, "first"), 52);
}

static void only_file_systems_that_match_are_read(void **state)
{
    AUTO(table_done) struct table t;
    struct err err = { 0 };
    (void)state;
    put("lustre/oss02/ost:s-OST0004", 0, 20);
    put("lustre/oss01/ost:s-OST0004", 24, 50);
    put("lustre/oss01/ost:work-OST0004", 0, 60);
    if (moves_read("work", NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.row_count, 0);
    table_done(&t);
    assert_int_equal(moves_read("other", NULL, &t, &err), -ENOENT);
    assert_non_null(strstr(err.text, "'other'"));
}

static void what_two_servers_report_by_turns_did_not_move(void **state)
{
    AUTO(table_done) struct table t;
    struct err err = { 0 };
    (void)state;
    put("lustre/oss02/ost:s-OST0004", 0, 60);
    put("lustre/oss01/ost:s-OST0004", 0, 60);
    if (moves_read("*", NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.row_count, 0);
}

static void a_move_before_the_range_is_none(void **state)
{
    AUTO(table_done) struct table t;
    struct err err = { 0 };
    (void)state;
    put("lustre/oss02/ost:s-OST0004", -20, -10);
    put("lustre/oss01/ost:s-OST0004", -5, 60);
    if (moves_read("*", NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.row_count, 0);
}

static void it_ends_when_the_query_does(void **state)
{
    AUTO(table_done) struct table t;
    struct err err = { 0 };
    (void)state;
    put("lustre/oss02/ost:s-OST0004", 0, 20);
    put("lustre/oss01/ost:s-OST0004", 24, 50);
    assert_int_equal(moves_read("*", stop, &t, &err), -ECANCELED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_target_that_another_server_has_later_moved,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(only_file_systems_that_match_are_read, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_two_servers_report_by_turns_did_not_move,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_move_before_the_range_is_none, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(it_ends_when_the_query_does, setup, teardown),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
