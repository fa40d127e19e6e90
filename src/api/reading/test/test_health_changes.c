/* SPDX-License-Identifier: Apache-2.0 */
/* test_health_changes - of many readings those with something new. */
#include "api/reading/health_changes.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/health/health.h"

#define T(s) ((1000 + (s)) * NS_PER_S)

static void space_add(struct health_changes *c, const char *target, int64_t s,
                      int64_t used)
{
    const struct target_reading reading = { .target = span_of(target),
                                            .t_ns = T(s),
                                            .has_space = true,
                                            .total_kib = 1000,
                                            .used_kib = used };
    assert_int_equal(health_changes_add(c, &reading), 0);
}

static void server_add(struct health_changes *c, const char *target, int64_t s,
                       const char *server)
{
    const struct target_reading reading = { .target = span_of(target),
                                            .t_ns = T(s),
                                            .server = span_of(server) };
    assert_int_equal(health_changes_add(c, &reading), 0);
}

static void check_rows(const struct table *table, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < table->row_count; i++) {
        struct target_reading r;
        assert_int_equal(health_readings_row_read(table, i, &r), 0);
        strbuf_addf(&out, SPAN_FMT " %lld", SPAN_ARG(r.target),
                    (long long)((r.t_ns - T(0)) / NS_PER_S));
        if (r.has_space)
            strbuf_addf(&out, " %lld", (long long)r.used_kib);
        strbuf_addf(&out, "%s" SPAN_FMT "\n", r.server.size > 0 ? " " : "",
                    SPAN_ARG(r.server));
    }
    assert_string_equal(strbuf_text(&out), want);
}

static void a_window_has_its_beginning_its_changes_and_its_end(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(health_changes_free) struct health_changes *c = NULL;
    table_init(&table);
    health_readings_columns_add(&table);
    assert_int_equal(health_changes_new(T(0), false, &table, &c), 0);
    space_add(c, "s-OST0000", -20, 100);
    server_add(c, "s-OST0000", -20, "a");
    space_add(c, "s-OST0000", -10, 105);
    server_add(c, "s-OST0000", -10, "a");
    space_add(c, "s-OST0000", 10, 106);
    server_add(c, "s-OST0000", 10, "a");
    space_add(c, "s-OST0000", 20, 120);
    server_add(c, "s-OST0000", 20, "b");
    space_add(c, "s-OST0000", 30, 121);
    server_add(c, "s-OST0000", 30, "b");
    space_add(c, "s-OST0000", 40, 122);
    server_add(c, "s-OST0000", 40, "b");
    server_add(c, "s-OST0001", -5, "b");
    space_add(c, "s-OST0002", 7, 5);
    assert_int_equal(health_changes_end(c), 0);
    check_rows(&table, "s-OST0000 -10 105 a\n"
                       "s-OST0000 10 106 a\n"
                       "s-OST0000 20 120 b\n"
                       "s-OST0000 40 122 b\n"
                       "s-OST0001 -5 b\n"
                       "s-OST0002 7 5\n");
}

/* Clients report addresses, agents hosts: no target moved. */
static void an_address_after_a_host_is_no_move(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(health_changes_free) struct health_changes *c = NULL;
    table_init(&table);
    health_readings_columns_add(&table);
    assert_int_equal(health_changes_new(T(0), false, &table, &c), 0);
    server_add(c, "s-OST0000", 10, "oss01");
    server_add(c, "s-OST0000", 12, "10.1.1.1@tcp");
    server_add(c, "s-OST0000", 20, "oss02");
    server_add(c, "s-OST0000", 22, "10.1.1.2@tcp");
    server_add(c, "s-OST0001", 12, "10.1.1.1@tcp");
    assert_int_equal(health_changes_end(c), 0);
    check_rows(&table, "s-OST0000 10 oss01\n"
                       "s-OST0000 20 oss02\n"
                       "s-OST0001 12 10.1.1.1@tcp\n");
}

static void all_of_a_window_are_all_after_its_beginning(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(health_changes_free) struct health_changes *c = NULL;
    table_init(&table);
    health_readings_columns_add(&table);
    assert_int_equal(health_changes_new(T(0), true, &table, &c), 0);
    for (int s = -20; s <= 20; s += 10)
        space_add(c, "s-OST0000", s, 100);
    assert_int_equal(health_changes_end(c), 0);
    check_rows(&table, "s-OST0000 0 100\ns-OST0000 10 100\ns-OST0000 20 100\n");
}

/* Growth that comes slowly is seen against what was shown last. */
static void slow_growth_is_shown_at_each_percent(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(health_changes_free) struct health_changes *c = NULL;
    table_init(&table);
    health_readings_columns_add(&table);
    assert_int_equal(health_changes_new(T(0), false, &table, &c), 0);
    for (int s = 0; s <= 24; s++)
        space_add(c, "s-OST0000", s, 100 + s);
    assert_int_equal(health_changes_end(c), 0);
    check_rows(&table, "s-OST0000 0 100\ns-OST0000 9 109\ns-OST0000 10 110\n"
                       "s-OST0000 19 119\ns-OST0000 20 120\ns-OST0000 24 124\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_has_its_beginning_its_changes_and_its_end),
        cmocka_unit_test(an_address_after_a_host_is_no_move),
        cmocka_unit_test(all_of_a_window_are_all_after_its_beginning),
        cmocka_unit_test(slow_growth_is_shown_at_each_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
