/* SPDX-License-Identifier: Apache-2.0 */
/* test_active - handlers at work, and a stop that waits for them. */
#include "net/active.h"

#include "base/test/testing.h"

#include <stdatomic.h>

static void after_a_close_none_begins(void **state)
{
    (void)state;
    struct active active;
    active_init(&active);
    assert_true(active_begin(&active));
    assert_true(active_begin(&active));
    assert_int_equal(active.count, 2);
    active_end(&active);
    active_end(&active);
    active_close(&active);
    assert_false(active_begin(&active));
    assert_int_equal(active.count, 0);
    active_done(&active);
}

struct closing {
    struct active active;
    _Atomic bool is_closed;
};

static void *close_it(void *arg)
{
    struct closing *c = arg;
    active_close(&c->active);
    c->is_closed = true;
    return NULL;
}

static void a_close_waits_for_the_last_handler(void **state)
{
    (void)state;
    struct closing c = { .is_closed = false };
    pthread_t thread;
    active_init(&c.active);
    assert_true(active_begin(&c.active));
    assert_int_equal(pthread_create(&thread, NULL, close_it, &c), 0);
    assert_true(active_begin(&c.active)); /* what is at work may begin more */
    active_end(&c.active);
    assert_false(c.is_closed);
    active_end(&c.active);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(c.is_closed);
    active_done(&c.active);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_close_none_begins),
        cmocka_unit_test(a_close_waits_for_the_last_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
