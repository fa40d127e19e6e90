/* SPDX-License-Identifier: Apache-2.0 */
/* test_hosts - hosts of barod, nodes of a scheduler and a record together: names that
 * are none, clocks that are wrong, reasons like ours of no record. */
#include "act/hosts.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#define NOW (INT64_C(1800000000) * NS_PER_S)
#define AGO(s) (NOW - (s)*NS_PER_S)

struct made {
    char directory[32];
    struct act_record *record;
    struct table table;
    struct node_list nodes;
    struct act_hosts hosts;
};

static void made_begin(struct made *m, const char *nodes)
{
    *m = (struct made){ .directory = "/tmp/baro-act-XXXXXX" };
    assert_non_null(mkdtemp(m->directory));
    const struct act_record_opts opts = { .directory = m->directory,
                                          .cluster = "alex" };
    assert_int_equal(act_record_open(&opts, &m->record, NULL), 0);
    table_init(&m->table);
    table_add_column(&m->table, "component", TABLE_TEXT, "");
    table_add_column(&m->table, "health", TABLE_TEXT, "");
    table_add_column(&m->table, "since", TABLE_TIME, "");
    table_add_column(&m->table, "reason", TABLE_TEXT, "");
    node_list_init(&m->nodes);
    act_hosts_init(&m->hosts);
    assert_int_equal(node_list_read(span_of(nodes), &m->nodes, NULL), 0);
}

static void row(struct made *m, const char *component, const char *health,
                int64_t since_ns)
{
    table_add_row(&m->table);
    table_set_text(&m->table, 0, span_of(component));
    table_set_text(&m->table, 1, span_of(health));
    table_set_i64(&m->table, 2, since_ns / NS_PER_MS);
    table_set_text(&m->table, 3, SPAN("ping"));
}

static void made_run(struct made *m, int64_t now_ns)
{
    act_hosts_done(&m->hosts);
    act_hosts_init(&m->hosts);
    const struct run_clock now = { .t_ns = now_ns, .boot = "a" };
    assert_int_equal(
        act_hosts_make(&m->table, &m->nodes, m->record, now_ns, &m->hosts, NULL), 0);
    assert_int_equal(act_record_set_last_run(m->record, &now), 0);
}

static void made_end(struct made *m)
{
    act_hosts_done(&m->hosts);
    node_list_done(&m->nodes);
    table_done(&m->table);
    act_record_close(m->record);
}

static const struct act_host *host(const struct made *m, const char *name)
{
    for (size_t i = 0; i < m->hosts.count; i++)
        if (strcmp(m->hosts.hosts[i].name, name) == 0)
            return &m->hosts.hosts[i];
    return NULL;
}

static void a_name_that_no_node_can_have_is_no_host(void **state)
{
    (void)state;
    struct made m;
    static const char *const forged[] = {
        "alex/"
        "a\\x09seen\\x091\\x091\\x09down\\x0Aalex\\x09n1\\x09drained\\x091\\x091\\x09ba"
        "ro:"
        "\\x20x\\x0Aalex\\x09b",
        "alex/\\x2A",
        "alex/\\x6E1", /* n1, in a form that is not its own */
        "alex/n[1-9]",
        "alex/ALL",
        "alex/n\\x001",
    };
    made_begin(&m, "n1|idle|none\nn2|idle|none\n");
    for (size_t i = 0; i < COUNT_OF(forged); i++)
        row(&m, forged[i], "down", AGO(100));
    row(&m, "alex/n1", "up", AGO(100));
    row(&m, "alex/n2/dimm:3", "down", AGO(100));
    made_run(&m, NOW);
    assert_int_equal(m.hosts.count, 1);
    assert_int_equal(m.hosts.unnamed, COUNT_OF(forged));
    assert_string_equal(m.hosts.unnamed_component, forged[0]);
    assert_string_equal(m.hosts.hosts[0].name, "n1");
    assert_int_equal(m.hosts.hosts[0].health, RESOURCE_UP);
    assert_int_equal(act_record_count(m.record), 1); /* of the run */
    assert_int_equal(act_record_save(m.record, NULL), 0);
    made_end(&m);
}

static void a_host_that_is_no_node_leaves_nothing_in_the_record(void **state)
{
    (void)state;
    struct made m;
    struct act_item item;
    made_begin(&m, "n1|idle|none\n");
    row(&m, "alex/n1", "down", AGO(100));
    row(&m, "alex/login1", "down", AGO(100));
    made_run(&m, NOW);
    assert_true(act_record_find(m.record, "n1", &item));
    assert_false(act_record_find(m.record, "login1", &item));
    made_end(&m);
}

/* n1 was well in the run of 60 s ago; now it is down, as it states for an hour. */
static void a_wrong_clock_counts_from_the_run_that_saw_it(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m, "n1|idle|none\nn2|idle|none\n");
    row(&m, "alex/n1", "up", AGO(9999));
    row(&m, "alex/n2", "up", AGO(9999));
    made_run(&m, AGO(60));
    table_done(&m.table);
    table_init(&m.table);
    table_add_column(&m.table, "component", TABLE_TEXT, "");
    table_add_column(&m.table, "health", TABLE_TEXT, "");
    table_add_column(&m.table, "since", TABLE_TIME, "");
    table_add_column(&m.table, "reason", TABLE_TEXT, "");
    row(&m, "alex/n1", "down", AGO(3600));
    row(&m, "alex/n2", "down", AGO(30));
    made_run(&m, NOW);
    assert_true(host(&m, "n1")->since_ns == NOW);
    assert_true(host(&m, "n2")->since_ns == AGO(30));
    made_run(&m, NOW + 60 * NS_PER_S);
    assert_true(host(&m, "n1")->since_ns == NOW);
    assert_true(host(&m, "n2")->since_ns == AGO(30));
    made_end(&m);
}

static void a_reason_like_ours_of_no_record_is_among_them(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m, "n1|drained|baro: down: ping\nn2|drained|board swap\n"
                   "n3|idle|baro: down: ping\nn4|drained|baro: down: ping\n"
                   "n5|drained|baro: down: ping\n");
    row(&m, "alex/n1", "down", AGO(100));
    const struct act_item ours = { .node = "n4",
                                   .state = ACT_DRAINED,
                                   .reason = "baro: down: ping" };
    assert_int_equal(act_record_set(m.record, &ours), 0);
    made_run(&m, NOW);
    assert_int_equal(m.hosts.count, 3);
    assert_true(act_is_unrecorded(host(&m, "n1")));
    assert_true(act_is_unrecorded(host(&m, "n5")));
    assert_true(act_counts(host(&m, "n5")));
    assert_false(act_is_unrecorded(host(&m, "n4")));
    assert_null(host(&m, "n2"));
    assert_null(host(&m, "n3"));
    made_end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_no_node_can_have_is_no_host),
        cmocka_unit_test(a_host_that_is_no_node_leaves_nothing_in_the_record),
        cmocka_unit_test(a_wrong_clock_counts_from_the_run_that_saw_it),
        cmocka_unit_test(a_reason_like_ours_of_no_record_is_among_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
