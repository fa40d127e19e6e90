/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_series - random writes against a plain model; drift, lateness, memory,
 * threads.
 */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "store/series/fold.h"
#include "store/series/series.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>

#define SECOND INT64_C(1000000000)
#define STEP (10 * SECOND)
#define BEGIN (INT64_C(1700000003) * SECOND)
#define SLOTS 6000
#define FIRST_SLOT 1500

static uint64_t seed;

static uint64_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 20 ^ seed << 33;
}

static double draw_value(void)
{
    static const uint64_t odd[] = { MISSING_BITS,
                                    UINT64_C(0x7FF8000000000001),
                                    UINT64_C(0x8000000000000000),
                                    0x7FF0000000000000,
                                    1,
                                    0 };
    if (draw() % 8 == 0)
        return bits_double(odd[draw() % COUNT_OF(odd)]);
    return draw() % 10 == 0 ? bits_double(draw()) : (double)(draw() % 1000) / 100;
}

struct fixture {
    struct epoch epoch;
    struct memory memory;
    struct series_counts counts;
    struct metric_series series;
};

static void set_up(struct fixture *f, int64_t step_ns)
{
    memset(&f->counts, 0, sizeof f->counts);
    epoch_init(&f->epoch);
    memory_init(&f->memory, &f->epoch);
    series_init(&f->series, step_ns);
}

static void tear_down(struct fixture *f)
{
    series_done(&f->series, &f->memory);
    memory_reclaim(&f->memory);
    assert_int_equal(f->memory.used_bytes, 0);
    memory_done(&f->memory);
}

static int put(struct fixture *f, int64_t t_ns, double value)
{
    return series_put(&f->series, &f->memory, &f->counts, 0, t_ns, value);
}

/* What a reader saw. */
struct seen {
    size_t count;
    int64_t times[SLOTS];
    uint64_t bits[SLOTS];
};

static int see(void *arg, const int64_t *times, const double *values, size_t count)
{
    struct seen *seen = arg;
    for (size_t i = 0; i < count; i++) {
        if (double_bits(values[i]) == MISSING_BITS)
            continue;
        assert_true(seen->count < SLOTS);
        assert_true(seen->count == 0 || seen->times[seen->count - 1] < times[i]);
        seen->times[seen->count] = times[i];
        seen->bits[seen->count++] = double_bits(values[i]);
    }
    return 0;
}

static void look(struct fixture *f, int64_t from_ns, int64_t to_ns, struct seen *ret)
{
    ret->count = 0;
    unsigned reader = epoch_enter(&f->epoch);
    assert_int_equal(series_read(&f->series, from_ns, to_ns, see, ret), 0);
    epoch_leave(&f->epoch, reader);
}

/* The statistics of what was seen, the plain way. */
static void check_stats(struct fixture *f, int64_t from_ns, int64_t to_ns,
                        const struct seen *seen)
{
    struct series_stats got;
    uint64_t count = 0;
    double min = NAN, max = NAN, sum = 0;
    for (size_t i = 0; i < seen->count; i++) {
        double v = bits_double(seen->bits[i]);
        if (isnan(v))
            continue;
        min = count == 0 || v < min ? v : min;
        max = count == 0 || v > max ? v : max;
        sum += v;
        count++;
    }
    assert_int_equal(series_stats(&f->series, from_ns, to_ns, &got), 0);
    assert_int_equal(got.count, count);
    assert_true(count == 0 || (got.min == min && got.max == max));
    assert_true(isnan(sum) || isinf(sum) || fabs(sum) > 1e300 ||
                fabs(got.sum - sum) <= 1e-9 * (fabs(sum) + 1e6));
}

static void check_model(struct fixture *f, const uint64_t *model)
{
    static struct seen seen;
    for (int round = 0; round < 3; round++) {
        int64_t from = round == 0 ? 0 : (int64_t)(draw() % SLOTS);
        int64_t to = round == 0 ? SLOTS : from + (int64_t)(draw() % SLOTS);
        to = to < SLOTS ? to : SLOTS;
        look(f, BEGIN + from * STEP, BEGIN + to * STEP, &seen);
        check_stats(f, BEGIN + from * STEP, BEGIN + to * STEP, &seen);
        size_t at = 0;
        for (int64_t i = from; i < to; i++) {
            if (model[i] == MISSING_BITS)
                continue;
            if (at == seen.count || seen.times[at] != BEGIN + i * STEP ||
                seen.bits[at] != model[i])
                fail_msg("slot %lld differs", (long long)i);
            at++;
        }
        assert_int_equal(at, seen.count);
    }
}

static void what_is_read_is_what_was_written(void **state)
{
    (void)state;
    static uint64_t model[SLOTS];
    for (seed = 1; seed < 12; seed++) {
        struct fixture f;
        uint64_t kept_seed = seed;
        set_up(&f, STEP);
        for (size_t i = 0; i < SLOTS; i++)
            model[i] = MISSING_BITS;
        int64_t newest = FIRST_SLOT - 1;
        while (newest < SLOTS - 10) {
            int64_t jitter = (int64_t)(draw() % (STEP / 2)) - STEP / 4 + 1;
            int64_t slot = newest + 1;
            uint64_t kind = draw() % 100;
            if (newest < FIRST_SLOT)
                jitter = 0; /* the first sample says where the grid lies */
            else if (kind < 10)
                slot = (int64_t)(draw() % (uint64_t)newest);
            else if (kind < 20)
                slot = newest - (int64_t)(draw() % 5);
            else if (kind < 25)
                slot = newest + (int64_t)(draw() % 9);
            else if (kind == 25)
                slot = newest + (int64_t)(draw() % 300);
            if (slot >= SLOTS)
                break;
            double value = draw_value();
            assert_int_equal(put(&f, BEGIN + slot * STEP + jitter, value), 0);
            model[slot] = double_bits(value);
            newest = slot > newest ? slot : newest;
            if (draw() % 500 == 0)
                check_model(&f, model);
        }
        check_model(&f, model);
        assert_int_equal(f.counts.phase_moved, 0);
        assert_true(f.counts.late > 100 && f.counts.sealed > 10);
        tear_down(&f);
        seed = kept_seed;
    }
}

static void without_a_step_each_time_is_kept(void **state)
{
    (void)state;
    static uint64_t model[SLOTS]; /* indexed by time, in odd units */
    static struct seen seen;
    const int64_t unit = 7 * SECOND + 13;
    for (seed = 1; seed < 12; seed++) {
        struct fixture f;
        uint64_t kept_seed = seed;
        set_up(&f, 0);
        for (size_t i = 0; i < SLOTS; i++)
            model[i] = MISSING_BITS;
        size_t newest = 100;
        while (newest < SLOTS - 10) {
            size_t at = newest + 1 + draw() % 4;
            if (draw() % 8 == 0)
                at = draw() % newest;
            else if (draw() % 20 == 0)
                at = newest;
            double value = draw_value();
            assert_int_equal(put(&f, (int64_t)at * unit, value), 0);
            model[at] = double_bits(value);
            newest = at > newest ? at : newest;
        }
        look(&f, 0, INT64_MAX, &seen);
        check_stats(&f, 0, INT64_MAX, &seen);
        size_t n = 0;
        for (size_t i = 0; i < SLOTS; i++) {
            if (model[i] == MISSING_BITS)
                continue;
            assert_true(n < seen.count && seen.times[n] == (int64_t)i * unit);
            assert_true(seen.bits[n] == model[i]);
            n++;
        }
        assert_int_equal(n, seen.count);
        tear_down(&f);
        seed = kept_seed;
    }
}

static void a_step_is_found_in_the_first_samples(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double times_s[12];
        size_t count;
        double step_s; /* -1: still sought */
    } cases[] = {
        { "on the clock", { 0, 10, 20, 30, 40, 50, 60, 70 }, 8, 10 },
        { "not enough", { 0, 10, 20, 30, 40, 50, 60 }, 7, -1 },
        { "with jitter", { 0, 10.3, 20.1, 29.8, 40.2, 49.9, 60, 69.9 }, 8, 10 },
        { "in another order", { 30, 0, 10, 20, 50, 40, 70, 60 }, 8, 10 },
        { "some twice", { 0, 10, 10, 20, 30, 30, 40, 50, 50, 60, 70 }, 11, 10 },
        { "with a gap", { 0, 60, 120, 180, 7200, 7260, 7320, 7380 }, 8, 60 },
        { "of a sender that began anew", { 0, 10, 20, 30, 44, 54, 64, 74 }, 8, 10 },
        { "four a second", { 0, .25, .5, .75, 1, 1.25, 1.5, 1.75 }, 8, .25 },
        { "not round", { 0, 12.5, 25, 37.5, 50, 62.5, 75, 87.5 }, 8, 12.5 },
        { "by chance", { 0, 1, 30, 31, 47, 100, 181, 190 }, 8, 0 },
        { "in pairs", { 0, 1, 60, 61, 120, 121, 180, 181 }, 8, 0 },
        { "too often", { 0, 1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6, 7e-6 }, 8, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static struct seen seen;
        struct fixture f;
        set_up(&f, STEP_SOUGHT);
        for (size_t n = 0; n < cases[i].count; n++) {
            double t_s = cases[i].times_s[n];
            assert_int_equal(put(&f, BEGIN + (int64_t)(t_s * 1e9), t_s), 0);
        }
        double got_s = (double)atomic_load(&f.series.step_ns) / 1e9;
        double want_s = cases[i].step_s < 0 ? 1e-9 : cases[i].step_s;
        if (got_s != want_s)
            fail_msg("%s: a step of %g s, not %g", cases[i].name, got_s, want_s);
        assert_int_equal(f.counts.steps_found, cases[i].step_s > 0);
        assert_int_equal(f.counts.steps_none, cases[i].step_s == 0);
        look(&f, 0, INT64_MAX, &seen);
        double last_s = -1;
        for (size_t n = 0; n < seen.count; n++) {
            double value = bits_double(seen.bits[n]);
            double off_s = (double)(seen.times[n] - BEGIN) / 1e9 - value;
            if (value <= last_s || fabs(off_s) > got_s / 2)
                fail_msg("%s: the sample of %g s at %g", cases[i].name, value,
                         off_s + value);
            last_s = value;
        }
        assert_int_equal(seen.count,
                         cases[i].count - f.counts.repeated); /* none is lost */
        tear_down(&f);
    }
}

static void a_drifting_collector_loses_nothing(void **state)
{
    (void)state;
    static struct seen seen;
    static const int64_t drifts[] = { STEP / 100, -STEP / 100, STEP / 37,
                                      -STEP / 1000 };
    for (size_t d = 0; d < COUNT_OF(drifts); d++) {
        struct fixture f;
        set_up(&f, STEP);
        seed = 17;
        /* The phase goes through the whole step several times, or twice at least. */
        for (int64_t i = 0; i < 3000; i++) {
            int64_t jitter = (int64_t)(draw() % (STEP / 50));
            assert_int_equal(
                put(&f, BEGIN + i * (STEP + drifts[d]) + jitter, (double)i), 0);
        }
        look(&f, 0, INT64_MAX, &seen);
        assert_int_equal(f.counts.overwritten, 0);
        assert_true(f.counts.phase_moved > 4);
        assert_int_equal(seen.count, 3000);
        for (size_t i = 0; i < seen.count; i++) {
            int64_t meant_ns = BEGIN + (int64_t)i * (STEP + drifts[d]);
            assert_true(bits_double(seen.bits[i]) == (double)i);
            assert_true(llabs(seen.times[i] - meant_ns) <= STEP / 2 + STEP / 50);
        }
        tear_down(&f);
    }
}

/* 600 samples of the one step, then as many of the other. */
static void a_step_that_changes_is_followed(void **state)
{
    (void)state;
    static struct seen seen;
    static const struct {
        const char *name;
        double old_s, new_s;
        double jitter_s;
        double found_s;
        size_t lost_max;
    } cases[] = {
        { "six times as often", 60, 10, 0, 10, 5 },
        { "ten times, with jitter", 10, 1, .05, 1, 5 },
        { "twice", 10, 5, 0, 5, 8 },
        { "a little more often", 10, 8, 0, 8, 16 },
        { "barely more often", 10, 9.9, 0, 10, 0 },
        { "four a second", 60, .25, 0, .25, 5 },
        { "less often", 10, 60, 0, 10, 0 },
        { "much less often", 1, 600, 0, 1, 0 },
        { "of a step that was none", 10, 10, 4.9, 10, 200 },
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct fixture f;
        set_up(&f, (int64_t)(cases[c].old_s * 1e9));
        seed = 23;
        static int64_t times[1200];
        double t_s = 0;
        for (int i = 0; i < 1200; i++) {
            double off = (double)(draw() % 2000) / 1000 - 1;
            t_s += i < 600 ? cases[c].old_s : cases[c].new_s;
            times[i] = BEGIN +
                       (int64_t)((t_s + (i > 600 ? off * cases[c].jitter_s : 0)) * 1e9);
            assert_int_equal(put(&f, times[i], i), 0);
        }
        double step_s = (double)atomic_load(&f.series.step_ns) / 1e9;
        look(&f, 0, INT64_MAX, &seen);
        size_t lost = 1200 - seen.count;
        if (step_s != cases[c].found_s || lost > cases[c].lost_max ||
            lost != f.counts.overwritten)
            fail_msg("%s: a step of %g s, %zu samples lost, %llu told of",
                     cases[c].name, step_s, lost,
                     (unsigned long long)f.counts.overwritten);
        double last = -1, widest_s = fmax(cases[c].old_s, cases[c].new_s);
        for (size_t n = 0; n < seen.count; n++) {
            double value = bits_double(seen.bits[n]);
            assert_true(value > last && value < 1200);
            double own_s = value < 600                                ? cases[c].old_s
                           : value < 600 + 2 * cases[c].lost_max + 20 ? widest_s
                                                                      : step_s;
            double off_s = (double)(seen.times[n] - times[(int)value]) / 1e9;
            if (fabs(off_s) > own_s / 2)
                fail_msg("%s: number %g is %g s off", cases[c].name, value, off_s);
            last = value;
        }
        tear_down(&f);
    }
}

static void late_samples_find_the_grid_of_their_time(void **state)
{
    (void)state;
    static struct seen seen;
    struct fixture f;
    set_up(&f, 60 * SECOND);
    int64_t t_ns = BEGIN;
    for (int i = 0; i < 300; i++, t_ns += 60 * SECOND)
        if (i % 10 != 5)
            assert_int_equal(put(&f, t_ns, i), 0);
    int64_t change_ns = t_ns;
    for (int i = 0; i < 300; i++, t_ns += SECOND)
        if (i < 20 || i % 10 != 5)
            assert_int_equal(put(&f, t_ns, 1000 + i), 0);
    assert_int_equal(atomic_load(&f.series.step_ns), SECOND);
    size_t lost = f.counts.overwritten;
    for (int i = 5; i < 300; i += 10) {
        assert_int_equal(put(&f, BEGIN + i * 60 * SECOND, i), 0);
        if (i >= 20)
            assert_int_equal(put(&f, change_ns + i * SECOND, 1000 + i), 0);
    }
    assert_int_equal(f.counts.overwritten, lost);
    for (int round = 0; round < 2; round++) {
        look(&f, 0, INT64_MAX, &seen);
        assert_int_equal(seen.count, 600 - lost);
        for (size_t n = 0; n < seen.count; n++) {
            int value = (int)bits_double(seen.bits[n]);
            int64_t own_ns = value < 1000 ? BEGIN + value * 60 * SECOND
                                          : change_ns + (value - 1000) * SECOND;
            assert_true(llabs(seen.times[n] - own_ns) <= 30 * SECOND);
            assert_true(value < 1000 || value >= 1020 ? seen.times[n] == own_ns : true);
            assert_true(n == 0 || seen.times[n] > seen.times[n - 1]);
        }
        assert_int_equal(series_fold(&f.series, &f.memory), 0);
    }
    tear_down(&f);
}

static void two_times_in_a_slot_are_counted(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, STEP);
    assert_int_equal(put(&f, BEGIN, 1), 0);
    assert_int_equal(put(&f, BEGIN, 2), 0);
    assert_int_equal(put(&f, BEGIN + SECOND, 3), 0);
    assert_int_equal(f.counts.repeated, 1);
    assert_int_equal(f.counts.overwritten, 1);
    assert_int_equal(series_put(&f.series, &f.memory, &f.counts, BEGIN, BEGIN - 1, 1),
                     -ERANGE);
    assert_int_equal(put(&f, -1, 1), -ERANGE);
    assert_int_equal(put(&f, INT64_MAX, 1), -ERANGE);
    assert_int_equal(f.counts.too_old, 3);
    tear_down(&f);
}

static void a_series_with_one_sample_is_small(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, STEP);
    assert_int_equal(put(&f, BEGIN, 1.5), 0);
    print_message("# %zu bytes\n", sizeof f.series + (size_t)f.memory.used_bytes);
    assert_true(sizeof f.series + f.memory.used_bytes <= 128);
    tear_down(&f);
}

static void what_retention_lets_go_is_reused(void **state)
{
    (void)state;
    struct fixture f;
    static struct seen seen;
    uint64_t slab_bytes = 0;
    set_up(&f, STEP);
    for (int64_t i = 0; i < 200000; i++) {
        assert_int_equal(put(&f, BEGIN + i * STEP, (double)(i % 7)), 0);
        if (i % 512 == 0)
            (void)series_release(&f.series, &f.memory, &f.counts,
                                 BEGIN + (i - 2000) * STEP);
        if (i == 20000)
            slab_bytes = f.memory.slab_bytes;
    }
    assert_int_equal(f.memory.slab_bytes, slab_bytes);
    assert_true(f.memory.reused_count > 1000);
    look(&f, 0, INT64_MAX, &seen);
    assert_true(seen.count >= 2000 && seen.count < 2000 + 512 + 2 * CODEC_VALUES_MAX);
    tear_down(&f);
}

static void whole_blocks_are_not_decoded_for_statistics(void **state)
{
    (void)state;
    struct fixture f;
    struct series_stats stats;
    set_up(&f, STEP);
    for (int64_t i = 0; i < 2000; i++)
        assert_int_equal(put(&f, BEGIN + i * STEP, (double)i), 0);
    assert_int_equal(series_stats(&f.series, BEGIN, INT64_MAX, &stats), 0);
    assert_int_equal(stats.blocks_decoded, 0);
    assert_int_equal(stats.count, 2000);
    assert_true(stats.sum == 1999 * 1000 && stats.min == 0 && stats.max == 1999);
    assert_int_equal(put(&f, BEGIN + 300 * STEP, 5000), 0);
    assert_int_equal(series_stats(&f.series, BEGIN + STEP, INT64_MAX, &stats), 0);
    assert_int_equal(stats.blocks_decoded, 2); /* the cut one and the late one */
    assert_true(stats.max == 5000);
    tear_down(&f);
}

struct shared {
    struct fixture f;
    _Atomic bool is_over;
    _Atomic int wrong;
    _Atomic uint64_t readings;
};

static int check_pair(void *arg, const int64_t *times, const double *values,
                      size_t count)
{
    struct shared *s = arg;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i]) && values[i] != (double)((times[i] - BEGIN) / STEP))
            atomic_fetch_add(&s->wrong, 1);
    }
    return 0;
}

static void *read_on(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load(&s->is_over)) {
        struct series_stats stats;
        unsigned reader = epoch_enter(&s->f.epoch);
        if (series_read(&s->f.series, 0, INT64_MAX, check_pair, s) != 0 ||
            series_stats(&s->f.series, 0, INT64_MAX, &stats) != 0)
            atomic_fetch_add(&s->wrong, 1);
        epoch_leave(&s->f.epoch, reader);
        atomic_fetch_add(&s->readings, 1);
    }
    return NULL;
}

static void readers_see_whole_samples_while_one_writes(void **state)
{
    (void)state;
    static struct shared s;
    pthread_t readers[2];
    set_up(&s.f, STEP);
    seed = 23;
    for (size_t i = 0; i < COUNT_OF(readers); i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_on, &s), 0);
    for (int64_t i = 0; i < 60000 || atomic_load(&s.readings) < 20; i++) {
        int64_t slot = i > 3000 && draw() % 16 == 0 ? i - (int64_t)(draw() % 1500) : i;
        assert_int_equal(put(&s.f, BEGIN + slot * STEP, (double)slot), 0);
        if (i % 1000 == 0)
            (void)series_release(&s.f.series, &s.f.memory, &s.f.counts,
                                 BEGIN + (i - 3000) * STEP);
    }
    atomic_store(&s.is_over, true);
    for (size_t i = 0; i < COUNT_OF(readers); i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_int_equal(atomic_load(&s.wrong), 0);
    tear_down(&s.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_was_written),
        cmocka_unit_test(without_a_step_each_time_is_kept),
        cmocka_unit_test(a_step_is_found_in_the_first_samples),
        cmocka_unit_test(a_drifting_collector_loses_nothing),
        cmocka_unit_test(a_step_that_changes_is_followed),
        cmocka_unit_test(late_samples_find_the_grid_of_their_time),
        cmocka_unit_test(two_times_in_a_slot_are_counted),
        cmocka_unit_test(a_series_with_one_sample_is_small),
        cmocka_unit_test(what_retention_lets_go_is_reused),
        cmocka_unit_test(whole_blocks_are_not_decoded_for_statistics),
        cmocka_unit_test(readers_see_whole_samples_while_one_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
