/* SPDX-License-Identifier: Apache-2.0 */
/* test_readings - samples become readings, readings a table, and the table the texts
 * that a sample is read from. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/health/health.h"

static const char df_text[] = "UUID 1K-blocks Used Available Use% Mounted on\n"
                              "my-fs-MDT0000_UUID 1000 100 900 10% /my fs[MDT:0]\n"
                              "my-fs-OST0001_UUID 2000 1500 500 75% /my fs[OST:1]\n"
                              "my-fs-OST0002_UUID : inactive device\n";
static const char dl_text[] =
    "  0 UP osc my-fs-OST0001-osc-ffff88 aaaa 4 10.1.1.2@o2ib2\n"
    "  1 UP mdc my-fs-MDT0000-mdc-ffff88 aaaa 4 mds1@tcp\n"
    "  2 IN osc my-fs-OST0002-osc-ffff88 aaaa 4 10.1.1.3@o2ib2\n";

static int on_reading(void *arg, const struct target_reading *reading)
{
    health_readings_row_add(arg, reading);
    return 0;
}

static void text_add(const char *text, int64_t t_ns, struct table *table)
{
    AUTO(health_sample_done) struct health_sample sample;
    const struct health_block block = { .text = span_of(text), .line = 1 };
    uint64_t left_out = 0;
    const struct health_readings_opts opts = { SPAN("alex"), SPAN("login1"), t_ns,
                                               on_reading, table };
    health_sample_init(&sample);
    assert_int_equal(health_sample_add(&sample, &block, NULL, NULL), 0);
    assert_int_equal(health_sample_readings(&sample, &opts, &left_out), 0);
    assert_int_equal(left_out, 0);
}

static void check_target(const struct health_sample *sample, const char *name,
                         unsigned has, uint64_t used, const char *server)
{
    const struct health_target *t = health_sample_find(sample, span_of(name));
    if (!t || t->has != has || t->used_kib != used || !span_is(t->server, server))
        fail_msg("%s: has %x", name, t ? t->has : 0);
}

static void a_sample_comes_back_through_a_table_and_texts(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(table_done) struct table back;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    struct strbuf texts[HEALTH_KIND_COUNT] = { STRBUF_INIT, STRBUF_INIT };
    AUTO(health_sample_done) struct health_sample sample;
    table_init(&table);
    table_init(&back);
    health_sample_init(&sample);
    health_readings_columns_add(&table);
    text_add(df_text, 100 * NS_PER_S, &table);
    text_add(dl_text, 102 * NS_PER_S, &table);
    table_to_json(&table, &json);
    assert_int_equal(table_from_json(strbuf_span(&json), &back, NULL), 0);
    for (int kind = 0; kind < HEALTH_KIND_COUNT; kind++) {
        struct health_block block;
        assert_int_equal(
            health_readings_text(&back, (enum health_kind)kind, 0, &texts[kind]), 0);
        assert_int_equal(health_block_at(strbuf_span(&texts[kind]), 200 * NS_PER_S,
                                         3600 * NS_PER_S, &block, NULL, NULL),
                         0);
        assert_int_equal(health_sample_add(&sample, &block, NULL, NULL), 0);
    }
    assert_int_equal(sample.fault_count, 0);
    check_target(&sample, "my-fs-MDT0000", HEALTH_SPACE | HEALTH_SERVER, 100,
                 "mds1@tcp");
    check_target(&sample, "my-fs-OST0001", HEALTH_SPACE | HEALTH_SERVER, 1500,
                 "10.1.1.2@o2ib2");
    check_target(&sample, "my-fs-OST0002",
                 HEALTH_SPACE_INACTIVE | HEALTH_SERVER | HEALTH_SERVER_INACTIVE, 0,
                 "10.1.1.3@o2ib2");
    const struct health_target *t = health_sample_find(&sample, SPAN("my-fs-OST0001"));
    assert_true(span_is(t->mount, "/my fs"));
    assert_int_equal(t->space_t_ns, 100 * NS_PER_S);
    assert_int_equal(t->server_t_ns, 102 * NS_PER_S);
    for (int kind = 0; kind < HEALTH_KIND_COUNT; kind++)
        strbuf_done(&texts[kind]);
}

/* Servers report one by one: all of them count at the beginning. */
static void what_was_read_before_the_beginning_is_one_block(void **state)
{
    (void)state;
    static const struct {
        const char *target, *server;
        int64_t t_s;
    } rows[] = {
        { "s-OST0001", "oss1", 100 }, { "s-OST0001", "oss2", 120 },
        { "s-OST0002", "oss1", 100 }, { "s-OST0003", "oss3", 110 },
        { "s-OST0002", "oss2", 210 },
    };
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    table_init(&table);
    health_readings_columns_add(&table);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct target_reading r = { .target = span_of(rows[i].target),
                                          .server = span_of(rows[i].server),
                                          .t_ns = rows[i].t_s * NS_PER_S };
        health_readings_row_add(&table, &r);
    }
    assert_int_equal(
        health_readings_text(&table, HEALTH_KIND_SERVERS, 200 * NS_PER_S, &out), 0);
    assert_string_equal(strbuf_text(&out), "BEGIN 100\n"
                                           "0 UP osc s-OST0001-osc-0 0 0 oss2\n"
                                           "0 UP osc s-OST0002-osc-0 0 0 oss1\n"
                                           "0 UP osc s-OST0003-osc-0 0 0 oss3\n"
                                           "BEGIN 210\n"
                                           "0 UP osc s-OST0002-osc-0 0 0 oss2\n");
}

static void another_table_is_refused(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct target_reading reading;
    table_init(&table);
    table_add_column(&table, "target", TABLE_TEXT, "");
    table_add_row(&table);
    assert_int_equal(health_readings_text(&table, HEALTH_KIND_SPACE, 0, &out),
                     -EBADMSG);
    assert_int_equal(health_readings_row_read(&table, 0, &reading), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_comes_back_through_a_table_and_texts),
        cmocka_unit_test(what_was_read_before_the_beginning_is_one_block),
        cmocka_unit_test(another_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
