/* SPDX-License-Identifier: Apache-2.0 */
/* test_kernel_state - how far the kernel's messages are read, written and read back. */
#include "agent/sampling/kernel_state.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <stdio.h>

static void a_state_is_read_as_it_was_written(void **state)
{
    static struct kernel_state first = { .boot = "8aeb7060", .next = UINT64_MAX },
                               again;
    struct kernel_health gpu = { .part = "gpu:1",
                                 .reason = "it fell off",
                                 .health = KMSG_DOWN };
    struct kernel_health disk = { .part = "disk:sda",
                                  .health = KMSG_DEGRADED,
                                  .until_ns = 7 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)state;
    assert_int_equal(kernel_state_put(&first, &gpu), 0);
    assert_int_equal(kernel_state_put(&first, &disk), 0);
    assert_int_equal(kernel_state_put(&first, &gpu), 0);
    kernel_state_print(&first, &text);
    assert_int_equal(kernel_state_parse(strbuf_span(&text), &again), 0);
    assert_int_equal(again.next, UINT64_MAX);
    assert_string_equal(again.boot, "8aeb7060");
    assert_int_equal(again.health_count, 2);
    assert_string_equal(again.healths[0].reason, "it fell off");
    assert_int_equal(again.healths[1].until_ns, 7);
    assert_true(kernel_state_remove(&again, "gpu:1"));
    assert_false(kernel_state_remove(&again, "gpu:1"));
    assert_string_equal(again.healths[0].part, "disk:sda");
}

static void what_is_damaged_is_as_at_the_start(void **state)
{
    static const char *const bad[] = {
        "",
        "baro-kernel 2\nboot a\nnext 1\n",
        "baro-kernel 1\nnext 1\n",
        "baro-kernel 1\nboot a\nnext x\n",
        "baro-kernel 1\nboot a\nnext 1",
        "baro-kernel 1\nboot a\nother 1\n",
        "baro-kernel 1\nboot a\nhealth up 0 a b\n",
        "baro-kernel 1\nboot a\nhealth down -1 a b\n",
        "baro-kernel 1\nboot a\nhealth down 0\n",
    };
    static struct kernel_state now;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        if (kernel_state_parse(span_of(bad[i]), &now) != -EBADMSG)
            fail_msg("%s", bad[i]);
        assert_string_equal(now.boot, "");
        assert_int_equal(now.next, 0);
    }
}

static void parts_are_bounded(void **state)
{
    static struct kernel_state now;
    struct kernel_health one = { .health = KMSG_DOWN };
    (void)state;
    for (unsigned i = 0; i < KERNEL_HEALTHS_MAX; i++) {
        (void)snprintf(one.part, sizeof one.part, "disk:%u", i);
        assert_int_equal(kernel_state_put(&now, &one), 0);
    }
    (void)snprintf(one.part, sizeof one.part, "more");
    assert_int_equal(kernel_state_put(&now, &one), -ENOSPC);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_read_as_it_was_written),
        cmocka_unit_test(what_is_damaged_is_as_at_the_start),
        cmocka_unit_test(parts_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
