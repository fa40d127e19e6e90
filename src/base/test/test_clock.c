/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock - a played clock, and waits that no clock can lengthen. */
#include "base/clock.h"
#include "base/number.h"
#include "base/test/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct page {
    char magic[8];
    _Atomic int64_t t_ns;
};

static struct page *page;

static int play(void **state)
{
    (void)state;
    char path[] = "/tmp/baro-clock.XXXXXX";
    struct page fresh = { .magic = { 'b', 'a', 'r', 'o', 'c', 'l', 'k', '1' } };
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, &fresh, sizeof fresh) != sizeof fresh)
        return -1;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int rc =
        page == MAP_FAILED || setenv("BARO_CLOCK", path, 1) < 0 || clock_start(NULL) < 0
            ? -1
            : 0;
    (void)close(fd);
    (void)unlink(path);
    return rc;
}

static void the_player_says_what_time_it_is(void **state)
{
    (void)state;
    assert_true(clock_is_played());
    page->t_ns = 1000 * NS_PER_S;
    assert_int_equal(clock_now_ns(), 1000 * NS_PER_S);
    page->t_ns = 5 * NS_PER_S;
    assert_int_equal(clock_now_ms(), 5 * MS_PER_S);
}

static void a_wait_is_as_long_as_the_player_or_reality_make_it(void **state)
{
    (void)state;
    page->t_ns = 1000 * NS_PER_S;
    int64_t begin_ns = clock_steady_ns();
    page->t_ns = 1060 * NS_PER_S;
    int64_t advanced_ns = clock_steady_ns() - begin_ns;
    assert_true(advanced_ns >= 60 * NS_PER_S);
    /* Hours back: it goes on by what passes, no less and not by the jump. */
    int64_t real_ns = clock_monotonic_ns();
    page->t_ns = 10 * NS_PER_S;
    begin_ns = clock_steady_ns();
    assert_true(begin_ns >= 0);
    for (int64_t last_ns = begin_ns; clock_monotonic_ns() - real_ns < NS_PER_MS;) {
        int64_t now_ns = clock_steady_ns();
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
    }
    int64_t passed_ns = clock_steady_ns() - begin_ns;
    assert_true(passed_ns > 0);
    assert_true(passed_ns < 900 * NS_PER_S);
    /* What the player advances from there counts again. */
    begin_ns = clock_steady_ns();
    page->t_ns = 15 * NS_PER_S;
    assert_true(clock_steady_ns() - begin_ns >= 5 * NS_PER_S);
    assert_int_equal(clock_steady_wait_ms(begin_ns), 0);
    assert_true(clock_steady_wait_ms(clock_steady_ns() + 3600 * NS_PER_S) <= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_player_says_what_time_it_is),
        cmocka_unit_test(a_wait_is_as_long_as_the_player_or_reality_make_it),
    };
    return cmocka_run_group_tests(tests, play, NULL);
}
