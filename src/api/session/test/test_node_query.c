/* SPDX-License-Identifier: Apache-2.0 */
/* test_node_query - what nodes responded, and what of them is believed. */
#include "api/session/node_query.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdlib.h>
#include <string.h>

static struct node_query *new_query(uint32_t count)
{
    struct node_query *query = calloc(1, sizeof *query);
    assert_non_null(query);
    query->number = 7;
    query->count = query->due_count = count;
    for (uint32_t i = 0; i < count; i++)
        query->responses[i] =
            (struct node_response){ .rank = i, .is_online = true, .is_due = true };
    return query;
}

static bool respond(struct node_query *query, uint64_t number, uint32_t from,
                    const char *text)
{
    const struct session_request response = { .from = from,
                                              .id = number * RANKS_MAX + from,
                                              .text = span_of(text) };
    return node_query_receive(query, &response);
}

static void each_node_is_counted_once(void **state)
{
    struct node_query *query = new_query(2);
    (void)state;
    assert_false(respond(query, 6, 0, "{}"));
    assert_true(respond(query, 7, 1, "{\"parent\":0,\"depth\":1,\"epochs\":12}"));
    assert_int_equal(query->due_count, 1);
    assert_true(respond(query, 7, 1, "{\"parent\":0,\"depth\":9}"));
    assert_true(respond(query, 7, 5, "{}"));
    assert_int_equal(query->due_count, 1);
    assert_int_equal(query->responses[1].numbers[NODE_DEPTH], 1);
    assert_int_equal(query->responses[1].numbers[NODE_EPOCHS], 12);
    free(query);
}

static void what_is_no_response_is_none(void **state)
{
    static const char *const wrong[] = { "", "pong", "{\"depth\":", "{\"depth\":1.5}",
                                         "{\"epochs\":99999999999999999999}" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct node_query *query = new_query(1);
        assert_true(respond(query, 7, 0, wrong[i]));
        assert_false(query->responses[0].has_responded);
        assert_int_equal(query->due_count, 0);
        free(query);
    }
}

static void the_table_states_who_did_not_respond(void **state)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    struct node_query *query = new_query(3);
    struct table t;
    (void)state;
    assert_int_equal(hostset_parse(SPAN("n[0-2]"), &hosts, NULL), 0);
    query->responses[2].is_online = query->responses[2].is_due = false;
    query->cut = 4;
    assert_true(respond(query, 7, 0, "{\"parent\":-1,\"skew_ns\":1500000000}"));
    table_init(&t);
    node_query_table(query, hosts, &t);
    assert_int_equal(t.row_count, 3);
    static const char *const states[] = { "online", "no response", "absent" };
    for (size_t i = 0; i < COUNT_OF(states); i++)
        assert_string_equal(table_at(&t, i, 2)->text, states[i]);
    assert_true(table_at(&t, 0, 3)->is_null); /* the control node has no parent */
    int skew = table_find_column(&t, "skew");
    assert_true(table_at(&t, 0, (size_t)skew)->dbl == 1.5);
    assert_true(table_at(&t, 1, (size_t)skew)->is_null);
    assert_int_equal(t.note_count, 2);
    table_done(&t);
    free(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_is_counted_once),
        cmocka_unit_test(what_is_no_response_is_none),
        cmocka_unit_test(the_table_states_who_did_not_respond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
