/* SPDX-License-Identifier: Apache-2.0 */
/* test_resource_tables - what clients see of resources: names of persons are for some.
 */
#include "api/resource/resource_tables.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

static const struct resource_statement statements[] = {
    { .component = SPAN("alex/a1"),
      .source = SPAN("admin"),
      .by = SPAN("erin"),
      .reason = SPAN("board swap"),
      .health = RESOURCE_DRAINED,
      .t_ns = 5 * NS_PER_S },
    { .component = SPAN("alex/a1"),
      .source = SPAN("user:eve"),
      .by = SPAN("eve"),
      .reason = SPAN("my job was slow"),
      .health = RESOURCE_DOWN,
      .t_ns = 6 * NS_PER_S },
};

static const struct access_client reader = { .roles = NET_ROLE_READER },
                                  support = { .roles =
                                                  NET_ROLE_SUPPORT | NET_ROLE_READER },
                                  eve = { .roles = NET_ROLE_USER, .user = SPAN("eve") },
                                  bob = { .roles = NET_ROLE_USER, .user = SPAN("bob") };

static const char *text_at(const struct table *table, size_t row, const char *column)
{
    int at = table_find_column(table, column);
    assert_true(at >= 0);
    const struct table_cell *cell = table_at(table, row, (size_t)at);
    return cell->is_null ? "-" : cell->text;
}

static void persons_are_named_to_support_and_to_themselves(void **state)
{
    (void)state;
    const struct resource_rules rules = { 0 };
    AUTO(resource_table_free) struct resource_table *resources = NULL;
    const struct {
        const struct access_client *client;
        const char *list_by,
            *sources; /* by of the list; source and reason of opinions */
    } cases[] = {
        { &reader, "-", "user -" },
        { &bob, "-", "user -" },
        { &eve, "-", "user:eve my job was slow" },
        { &support, "erin", "user:eve my job was slow" },
    };
    assert_int_equal(resource_table_new(&rules, &resources, NULL), 0);
    assert_int_equal(resource_table_load(resources, statements, 2, 9 * NS_PER_S), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table list, sources;
        char text[128];
        table_init(&list);
        table_init(&sources);
        assert_int_equal(resource_table_of_list(resources,
                                                &(struct resource_filter){ 0 }, 10,
                                                cases[i].client, &list),
                         0);
        assert_int_equal(list.row_count, 1);
        assert_string_equal(text_at(&list, 0, "reason"), "board swap");
        assert_string_equal(text_at(&list, 0, "by"), cases[i].list_by);
        assert_int_equal(resource_table_of_sources(resources, SPAN("alex/a1"),
                                                   cases[i].client, &sources),
                         0);
        (void)snprintf(text, sizeof text, "%s %s", text_at(&sources, 1, "source"),
                       text_at(&sources, 1, "reason"));
        assert_string_equal(text, cases[i].sources);
        assert_string_equal(text_at(&sources, 1, "counts"), "confirmed");
    }
}

static void a_row_with_the_id_alone_is_where_nothing_changed(void **state)
{
    (void)state;
    const struct resource_rules rules = { 0 };
    AUTO(resource_table_free) struct resource_table *resources = NULL;
    AUTO(table_done) struct table table;
    struct resource_change_id id;
    table_init(&table);
    assert_int_equal(resource_table_new(&rules, &resources, NULL), 0);
    assert_int_equal(resource_table_load(resources, statements, 2, 9 * NS_PER_S), 0);
    assert_int_equal(resource_table_of_changes(resources,
                                               (struct resource_change_id){ 0 }, 10,
                                               &reader, &table),
                     0);
    assert_int_equal(table.row_count, 1);
    assert_string_equal(text_at(&table, 0, "component"), "-");
    assert_int_equal(resource_change_id_parse(span_of(text_at(&table, 0, "id")), &id),
                     0);
    assert_false(resource_table_has_changes(resources, id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(persons_are_named_to_support_and_to_themselves),
        cmocka_unit_test(a_row_with_the_id_alone_is_where_nothing_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
