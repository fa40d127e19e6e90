/* SPDX-License-Identifier: Apache-2.0 */
/* test_life - the closed forms of work and life against going through every event. */
#include "life.h"

#include "base/number.h"
#include "base/test/testing.h"

#include <string.h>

#define MINUTES (60 * NS_PER_S)

static struct sim_mount mounts[] = {
    { 0, NULL, 0, 200 * MINUTES },
    { 1, NULL, 203 * MINUTES, SIM_FOREVER },
};
static const struct sim_target target = { .mounts = mounts, .mount_count = 2 };
static const struct sim sim = { .conf = { .cleanup_ns = 10 * MINUTES } };

/* The rhythms that the workload has, and a few at the borders. */
static struct sim_series series_number(uint64_t n)
{
    uint64_t h = sim_mix(4711, n);
    struct sim_series s = {
        .id = "1:2:r01c01",
        .id_size = 10,
        .start_ns = (int64_t)(h % (uint64_t)(5 * MINUTES)) + 1,
        .end_ns = 390 * MINUTES,
        .period_ns = (int64_t)(sim_mix(h, 1) % 40 + 2) * MINUTES,
        .step_ns = NS_PER_S + (int64_t)(sim_mix(h, 2) % 100003),
        .burst_events = sim_mix(h, 3) % 60 + 1,
        .seed = h,
    };
    s.jitter_ns = (s.period_ns - (int64_t)s.burst_events * s.step_ns) / 4;
    return s;
}

static void events_are_counted_as_they_stand_in_time(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 200; n++) {
        struct sim_series s = series_number(n);
        int64_t before_ns = s.start_ns - 1;
        uint64_t total = sim_series_events(&s, SIM_FOREVER - 1);
        assert_true(total > 0);
        for (uint64_t e = 1; e <= total; e++) {
            int64_t t_ns = sim_series_event_time(&s, e);
            assert_true(t_ns > before_ns && t_ns < s.end_ns);
            assert_int_equal(sim_series_events(&s, t_ns), e);
            assert_int_equal(sim_series_events(&s, t_ns - 1), e - 1);
            before_ns = t_ns;
        }
    }
}

struct walk {
    const struct sim_series *s;
    struct sim_life lives[256];
    size_t count;
};

static int add_life(void *arg, const struct sim_series *s, const struct sim_life *life)
{
    struct walk *w = arg;
    assert_ptr_equal(s, w->s);
    assert_true(w->count < COUNT_OF(w->lives));
    w->lives[w->count++] = *life;
    return 0;
}

/* At every second: does life_at say what the list of lives says? */
static void the_life_of_a_moment_is_one_of_all_lives(void **state)
{
    (void)state;
    size_t several = 0;
    for (uint64_t n = 0; n < 60; n++) {
        struct sim_series s = series_number(n);
        static struct walk w;
        w = (struct walk){ .s = &s };
        (void)sim_lives_each(&sim, &target, &s, 420 * MINUTES, add_life, &w);
        several += w.count > 2;
        size_t at = 0;
        for (int64_t t_ns = 0; t_ns < 420 * MINUTES; t_ns += 7 * NS_PER_S + 1) {
            struct sim_life life;
            bool is_there = sim_life_at(&sim, &target, &s, t_ns, &life);
            while (at + 1 < w.count && w.lives[at + 1].start_ns <= t_ns)
                at++;
            if (w.count == 0 || w.lives[at].start_ns > t_ns) {
                assert_false(is_there);
                continue;
            }
            const struct sim_life *of = &w.lives[at];
            if (!is_there) { /* between two mounts, or idle for long enough */
                assert_true(!sim_mount_at(&target, t_ns) || t_ns >= of->mount->to_ns ||
                            t_ns - of->last_ns > sim.conf.cleanup_ns);
                continue;
            }
            assert_ptr_equal(life.mount, of->mount);
            assert_int_equal(life.base, of->base);
            assert_int_equal(life.start_ns, of->start_ns);
            assert_int_equal(life.count, sim_series_events(&s, t_ns));
            assert_true(t_ns - life.last_ns <= sim.conf.cleanup_ns / 2 * 3);
        }
    }
    assert_true(several > 10);
}

static void lives_hold_every_event_of_their_mount_once(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 200; n++) {
        struct sim_series s = series_number(n);
        static struct walk w;
        w = (struct walk){ .s = &s };
        (void)sim_lives_each(&sim, &target, &s, 420 * MINUTES, add_life, &w);
        uint64_t events = 0;
        for (size_t i = 0; i < w.count; i++) {
            events += w.lives[i].count - w.lives[i].base;
            if (i && w.lives[i].mount == w.lives[i - 1].mount)
                assert_int_equal(w.lives[i].base, w.lives[i - 1].count);
        }
        uint64_t lost = sim_series_events(&s, mounts[1].from_ns) -
                        sim_series_events(&s, mounts[0].to_ns - 1);
        assert_int_equal(events, sim_series_events(&s, SIM_FOREVER - 1) - lost);
    }
}

int main(void)
{
    mounts[0].version = mounts[1].version = sim_version_find("2.12");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_counted_as_they_stand_in_time),
        cmocka_unit_test(the_life_of_a_moment_is_one_of_all_lives),
        cmocka_unit_test(lives_hold_every_event_of_their_mount_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
