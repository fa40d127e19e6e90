/* SPDX-License-Identifier: Apache-2.0 */
/* test_action_cause - of what barod lists, what a system states itself, by valid names.
 */
#include "act/action_cause.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

struct row {
    const char *component, *health, *source, *cause;
    const char *want; /* "HOST CLASS CHECK"; "": none; "?": counted */
};

static void table_make(struct table *table, const struct row *row)
{
    static const char *const names[] = { "component", "health", "since",
                                         "reason",    "source", "cause" };
    table_init(table);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        table_add_column(table, names[i], i == 2 ? TABLE_TIME : TABLE_TEXT, "");
    table_add_row(table);
    table_set_text(table, 0, span_of(row->component));
    table_set_text(table, 1, span_of(row->health));
    table_set_text(table, 3, SPAN("r"));
    table_set_text(table, 4, span_of(row->source));
    if (row->cause)
        table_set_text(table, 5, span_of(row->cause));
    assert_int_equal(table_error(table), 0);
}

static void what_a_system_states_itself_is_a_cause(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "alex/n1", "down", "system:ping", NULL, "n1 host ping" },
        { "alex/n1", "degraded", "system:node:edac@n1", NULL, "n1 host node:edac" },
        { "alex/n1/dimm:3", "degraded", "system:node:edac@n1", NULL,
          "n1 dimm node:edac" },
        { "alex/n1/socket:0/core:3", "down", "system:x", NULL, "n1 core x" },
        { "alex/n1", "up", "system:ping", NULL, "" },
        { "alex/n1", "unknown", "system:ping", NULL, "" },
        { "alex/n1", "drained", "admin", NULL, "" },
        { "alex/n1", "down", "admin", NULL, "" },
        { "alex/n1", "down", "user:mallory", NULL, "" },
        { "alex/n1", "down", "user", NULL, "" },
        { "alex/n1", "down", "", NULL, "" },
        { "alex/n1", "down", "system:", NULL, "" },
        { "alex/n1", "down", "system:@n1", NULL, "" },
        { "alex/n1", "degraded", "system:x", "alex/n1/dimm:3", "" },
        { "fritz/n1", "down", "system:ping", NULL, "" },
        { "alex", "down", "system:ping", NULL, "?" },
        { "alex/-n1", "down", "system:ping", NULL, "?" },
        { "alex/.n1", "down", "system:ping", NULL, "?" },
        { "alex/..", "down", "system:ping", NULL, "?" },
        { "alex/n1\\x2F", "down", "system:ping", NULL, "?" },
        { "alex/n[1-9]", "down", "system:ping", NULL, "?" },
        { "alex/ALL", "down", "system:ping", NULL, "?" },
        { "alex/n1/x:\xc3\xa4", "down", "system:ping", NULL, "?" },
        { "alex/n1/x:a b", "down", "system:ping", NULL, "?" },
        { "alex/n1/x:$(id)", "down", "system:ping", NULL, "?" },
        { "alex/n1/x:a;b", "down", "system:ping", NULL, "?" },
        { "alex/n1/x:{reason}", "down", "system:ping", NULL, "?" },
        { "alex/n1/x:`a`", "down", "system:ping", NULL, "?" },
        { "alex/n1/x:a'b", "down", "system:ping", NULL, "?" },
        { "alex/n1", "down", "system:p;ng", NULL, "?" },
        { "alex/n1", "down", "system:-p", NULL, "?" },
        { "alex/n1/x:a\\x20b+c=d.e_f-g", "down", "system:ping", NULL, "n1 x ping" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(table_done) struct table table;
        AUTO(action_causes_done) struct action_causes causes;
        char is[64] = "";
        table_make(&table, &rows[i]);
        action_causes_init(&causes);
        assert_int_equal(action_causes_read(&table, "alex", &causes, NULL), 0);
        if (causes.count == 1)
            (void)snprintf(is, sizeof is, "%s %s %s", causes.causes[0].host,
                           causes.causes[0].class_name, causes.causes[0].check);
        else if (causes.unnamed)
            (void)snprintf(is, sizeof is, "?");
        if (strcmp(is, rows[i].want) != 0)
            fail_msg("%s %s: %s", rows[i].component, rows[i].source, is);
    }
}

static void another_table_is_refused(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    AUTO(action_causes_done) struct action_causes causes;
    struct err err = { 0 };
    table_init(&table);
    table_add_column(&table, "component", TABLE_TEXT, "");
    action_causes_init(&causes);
    assert_int_equal(action_causes_read(&table, "alex", &causes, &err), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_system_states_itself_is_a_cause),
        cmocka_unit_test(another_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
