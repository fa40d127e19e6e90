/* SPDX-License-Identifier: Apache-2.0 */
/* test_waiting - a database that is not there yet. */
#include "daemon/waiting.h"

#include "base/test/testing.h"

static void a_database_that_was_there_is_not_waited_for(void **state)
{
    (void)state;
    struct err err = { "untouched" };
    assert_false(daemon_waiting_is_on(NULL));
    assert_int_equal(daemon_waiting_outcome(NULL, &err), 0);
    assert_string_equal(err.text, "untouched");
    daemon_waiting_free(NULL);
}

static void while_it_waits_the_outcome_is_open(void **state)
{
    (void)state;
    uv_loop_t loop;
    struct daemon_parts parts = { 0 };
    struct daemon_waiting *waiting = NULL;
    struct err err = { "no route to the host" };
    assert_int_equal(uv_loop_init(&loop), 0);
    log_set_level(LOG_LEVEL_ERROR);
    assert_int_equal(daemon_waiting_new(&parts, &loop, &err, &waiting), 0);
    /* Not due yet: the database, which is not even there, is not touched. */
    assert_true(daemon_waiting_is_on(waiting));
    assert_int_equal(daemon_waiting_outcome(waiting, &err), 0);
    daemon_waiting_free(waiting);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_that_was_there_is_not_waited_for),
        cmocka_unit_test(while_it_waits_the_outcome_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
