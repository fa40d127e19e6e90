/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock_alarm - it is due at its instant, once; also under a played clock. */
#include "base/clock.h"
#include "base/number.h"
#include "base/system/clock_alarm.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* Waits as a loop does; returns how often it was woken. */
static unsigned wait_until_due(struct clock_alarm *alarm)
{
    unsigned wakes = 0;
    bool is_due = false;
    while (!is_due && wakes < 10000) {
        struct pollfd poll_fd = { .fd = alarm->fd, .events = POLLIN };
        assert_int_equal(poll(&poll_fd, 1, 10000), 1);
        wakes++;
        is_due = clock_alarm_check(alarm);
    }
    assert_true(is_due);
    return wakes;
}

static void it_is_due_at_its_instant(void **state)
{
    (void)state;
    AUTO(clock_alarm_done) struct clock_alarm alarm = CLOCK_ALARM_INIT;
    assert_int_equal(clock_alarm_open(&alarm), 0);
    int64_t t_ns = clock_now_ns() + 30 * NS_PER_MS;
    assert_int_equal(clock_alarm_set(&alarm, t_ns), 0);
    assert_false(clock_alarm_check(&alarm));
    assert_int_equal(wait_until_due(&alarm), 1);
    assert_true(clock_now_ns() >= t_ns);
    assert_false(clock_alarm_check(&alarm)); /* once */
}

static void what_has_passed_is_due_at_once(void **state)
{
    (void)state;
    AUTO(clock_alarm_done) struct clock_alarm alarm = CLOCK_ALARM_INIT;
    assert_int_equal(clock_alarm_open(&alarm), 0);
    assert_int_equal(clock_alarm_set(&alarm, clock_now_ns() - NS_PER_S), 0);
    (void)wait_until_due(&alarm);
}

/* Last: the clock is played from here on. */
static void a_player_brings_the_instant(void **state)
{
    (void)state;
    struct page {
        char magic[8];
        _Atomic int64_t t_ns;
    };
    char path[] = "/tmp/baro-test-clock.XXXXXX";
    AUTO_CLOSE int fd = mkstemp(path);
    assert_true(fd >= 0 && ftruncate(fd, sizeof(struct page)) == 0);
    struct page *page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(page != MAP_FAILED);
    memcpy(page->magic, "baroclk1", sizeof page->magic);
    atomic_store(&page->t_ns, 1000 * NS_PER_S);
    assert_int_equal(setenv("BARO_CLOCK", path, 1), 0);
    assert_int_equal(clock_start(NULL), 0);
    AUTO(clock_alarm_done) struct clock_alarm alarm = CLOCK_ALARM_INIT;
    assert_int_equal(clock_alarm_open(&alarm), 0);
    assert_int_equal(clock_alarm_set(&alarm, 1010 * NS_PER_S), 0);
    assert_false(clock_alarm_check(&alarm));
    atomic_store(&page->t_ns, 1010 * NS_PER_S);
    (void)wait_until_due(&alarm);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_due_at_its_instant),
        cmocka_unit_test(what_has_passed_is_due_at_once),
        cmocka_unit_test(a_player_brings_the_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
