/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric - names, ids, what is declared again, and readers beside. */
#include "base/span.h"
#include "base/test/testing.h"
#include "store/tree/metric.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

static const struct metric *declare(struct metric_table *table, const char *name,
                                    int64_t step_ns)
{
    struct metric m = { .name = span_of(name), .step_ns = step_ns };
    const struct metric *ret = NULL;
    assert_int_equal(metric_declare(table, &m, &ret), 0);
    return ret;
}

static void ids_stay_when_a_metric_is_declared_again(void **state)
{
    (void)state;
    AUTO(metric_table_free) struct metric_table *table = NULL;
    assert_int_equal(metric_table_new(&table), 0);
    const struct metric *load = declare(table, "cpu_load", 10);
    const struct metric *power = declare(table, "power", 60);
    assert_int_equal(load->id, 0);
    assert_int_equal(power->id, 1);
    const struct metric *again = declare(table, "cpu_load", 30);
    assert_int_equal(again->id, 0);
    assert_int_equal(again->step_ns, 30);
    assert_int_equal(load->step_ns, 10); /* who holds it may go on */
    assert_ptr_equal(metric_find(table, SPAN("cpu_load")), again);
    assert_ptr_equal(metric_at(table, 1), power);
    assert_null(metric_find(table, SPAN("cpu")));
    assert_null(metric_at(table, 2));
    assert_int_equal(metric_count(table), 2);
}

static void bad_metrics_are_refused(void **state)
{
    (void)state;
    AUTO(metric_table_free) struct metric_table *table = NULL;
    char long_name[METRIC_NAME_MAX + 2];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const struct metric cases[] = {
        { .name = SPAN("") },
        { .name = span_of(long_name) },
        { .name = SPAN("a\nb") },
        { .name = SPAN("a"), .step_ns = -1 },
        { .name = SPAN("a"), .kind = METRIC_KIND_COUNT },
        { .name = SPAN("a"), .aggregation = AGGREGATION_COUNT },
    };
    const struct metric *ret = NULL;
    assert_int_equal(metric_table_new(&table), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(metric_declare(table, &cases[i], &ret), -EINVAL);
    assert_null(ret);
    assert_int_equal(metric_count(table), 0);
}

static void past_the_limit_only_known_names_go_on(void **state)
{
    (void)state;
    AUTO(metric_table_free) struct metric_table *table = NULL;
    char name[16];
    assert_int_equal(metric_table_new(&table), 0);
    for (int i = 0; i < METRICS_MAX; i++) {
        (void)snprintf(name, sizeof name, "m%d", i);
        assert_int_equal(declare(table, name, 1)->id, i);
    }
    struct metric m = { .name = SPAN("one_more") };
    const struct metric *ret = NULL;
    assert_int_equal(metric_declare(table, &m, &ret), -ENOSPC);
    assert_null(metric_find(table, m.name));
    assert_int_equal(declare(table, "m77", 5)->id, 77);
}

struct shared {
    struct metric_table *table;
    _Atomic bool is_over;
    _Atomic int wrong;
};

static void *look_up(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load(&s->is_over)) {
        for (uint32_t id = 0; id < metric_count(s->table); id++) {
            const struct metric *m = metric_at(s->table, id);
            const struct metric *same = metric_find(s->table, m->name);
            if (!same || same->id != id)
                atomic_fetch_add(&s->wrong, 1);
        }
    }
    return NULL;
}

static void readers_find_what_is_there_while_others_declare(void **state)
{
    (void)state;
    AUTO(metric_table_free) struct metric_table *table = NULL;
    pthread_t reader;
    char name[16];
    assert_int_equal(metric_table_new(&table), 0);
    struct shared s = { .table = table };
    assert_int_equal(pthread_create(&reader, NULL, look_up, &s), 0);
    for (int i = 0; i < 3000; i++) {
        (void)snprintf(name, sizeof name, "m%d", i % 1000);
        (void)declare(table, name, i);
    }
    atomic_store(&s.is_over, true);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(atomic_load(&s.wrong), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_stay_when_a_metric_is_declared_again),
        cmocka_unit_test(bad_metrics_are_refused),
        cmocka_unit_test(past_the_limit_only_known_names_go_on),
        cmocka_unit_test(readers_find_what_is_there_while_others_declare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
