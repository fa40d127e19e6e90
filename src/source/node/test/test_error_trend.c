/* SPDX-License-Identifier: Apache-2.0 */
/* test_error_trend - when corrected errors are a warning, and when not. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/node/error_trends.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR 3600
#define DAY (24 * HOUR)
#define BEGIN (INT64_C(20500) * DAY) /* midnight */

static const struct error_trend_rule rule = { 10, 3, 2 * DAY };

static void observe(struct error_trend *trend, int64_t after_s, uint64_t counter)
{
    const struct error_trend_observation at = { .t_s = BEGIN + after_s,
                                                .counter = counter };
    error_trend_observe(trend, &rule, &at);
}

/* So many a day, in hours of their own, from hour to hour. */
static uint64_t play(struct error_trend *trend, int from, int to, unsigned a_day,
                     uint64_t counter)
{
    for (int h = from; h < to; h++) {
        counter +=
            (unsigned)(h % 24 + 1) * a_day / 24 - (unsigned)(h % 24) * a_day / 24;
        observe(trend, h * HOUR + 1800, counter);
    }
    return counter;
}

static void reason_is(const struct error_trend *trend, const char *want)
{
    char reason[ERROR_TREND_REASON_BYTES];
    error_trend_reason(trend, &rule, "DIMM_A1", reason);
    assert_string_equal(reason, want);
}

/* ---- an hour ---- */

static void more_than_ten_in_an_hour_are_a_warning(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 0, 0);
    observe(&trend, 600, 10);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
    observe(&trend, 700, 11);
    assert_int_equal(trend.warning, ERROR_TREND_BURST);
    reason_is(&trend, "DIMM_A1: 11 corrected errors in an hour, more than 10");
    observe(&trend, 800, 15);
    reason_is(&trend, "DIMM_A1: 15 corrected errors in an hour, more than 10");
}

static void it_is_over_after_two_days_of_few(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 0, 0);
    observe(&trend, 10, 12);
    for (int h = 1; h < 24; h++)
        observe(&trend, h * HOUR, 12);
    assert_int_equal(trend.calm_s, 0); /* 12 within 24 hours are not few */
    observe(&trend, 24 * HOUR, 12);
    reason_is(&trend,
              "DIMM_A1: 12 corrected errors in an hour, more than 10; few since "
              "2026-02-17T00:00:00Z");
    observe(&trend, 30 * HOUR, 12);
    observe(&trend, 30 * HOUR + 9, 18); /* six more: it begins anew */
    assert_int_equal(trend.calm_s, 0);
    for (int h = 31; h < 54 + 48; h++) {
        observe(&trend, h * HOUR, 18);
        assert_int_equal(trend.warning, ERROR_TREND_BURST);
    }
    for (int h = 54 + 48; h < 54 + 54; h++)
        observe(&trend, h * HOUR, 18);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

/* ---- a rise ---- */

static void three_times_what_is_usual_is_a_warning(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    uint64_t counter = play(&trend, 0, 8 * 24, 4, 100);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
    int h = 8 * 24;
    for (; trend.warning == ERROR_TREND_NONE && h < 10 * 24; h++)
        counter = play(&trend, h, h + 1, 38, counter);
    assert_int_equal(trend.warning, ERROR_TREND_RISE);
    assert_in_range(h, 8 * 24 + 8, 9 * 24);
    (void)play(&trend, h, 9 * 24, 38, counter);
    reason_is(
        &trend,
        "DIMM_A1: 38 corrected errors in 24 hours, 3.9 a day in the 7 days before");
}

/* That many are usual after a week; it was the rise that was to be reported. */
static void a_rise_that_stays_is_a_warning_still(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    uint64_t counter = play(&trend, 0, 8 * 24, 4, 0);
    counter = play(&trend, 8 * 24, 30 * 24, 38, counter);
    assert_int_equal(trend.warning, ERROR_TREND_RISE);
    counter = play(&trend, 30 * 24, 32 * 24, 4, counter);
    assert_int_equal(trend.warning, ERROR_TREND_RISE);
    (void)play(&trend, 32 * 24, 33 * 24, 4, counter);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

static void one_day_alone_is_none(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    uint64_t counter = play(&trend, 0, 8 * 24, 0, 0);
    counter = play(&trend, 8 * 24, 9 * 24, 24, counter);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
    (void)play(&trend, 9 * 24, 9 * 24 + 1, 24, counter);
    assert_int_equal(trend.warning, ERROR_TREND_RISE);
}

static void small_counts_are_none(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    uint64_t counter = play(&trend, 0, 8 * 24, 0, 0);
    (void)play(&trend, 8 * 24, 20 * 24, 5, counter); /* infinitely more than 0 */
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

/* Of a part that is new it is not known what is usual. */
static void a_day_without_days_before_it_is_none(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    (void)play(&trend, 20, 24 + 20, 40, 0);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

/* ---- counters and clocks ---- */

static uint32_t counted(const struct error_trend *trend)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < ERROR_TREND_DAYS; i++)
        sum += trend->days[i];
    return sum;
}

static void a_counter_that_fell_is_a_new_beginning(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 0, 500);
    observe(&trend, 60, 503);
    observe(&trend, 120, 20);
    assert_int_equal(counted(&trend), 3);
    observe(&trend, 180, 22);
    assert_int_equal(counted(&trend), 5);
    observe(&trend, 240, UINT64_MAX);
    observe(&trend, 300, 0);
    assert_int_equal(trend.days[20500 % ERROR_TREND_DAYS], UINT32_MAX);
}

/* It was at 5, the node was started, and it is at 7: not 2 more, but 7. */
static void one_that_began_anew_is_known_by_its_age(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 0, 5);
    const struct error_trend_observation at = { .t_s = BEGIN + 2 * DAY,
                                                .counter = 7,
                                                .since_s = BEGIN + 2 * DAY - 600 };
    error_trend_observe(&trend, &rule, &at);
    assert_int_equal(counted(&trend), 7);
    assert_int_equal(__builtin_popcount(trend.hours_seen), 2); /* that is all of it */
    struct error_trend young = { 0 };
    struct error_trend_observation first = { .t_s = BEGIN,
                                             .counter = 11,
                                             .since_s = BEGIN - 9 };
    error_trend_observe(&young, &rule, &first);
    assert_int_equal(young.warning, ERROR_TREND_BURST);
}

static void counts_of_a_pause_are_no_burst(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 0, 0);
    observe(&trend, 5 * HOUR, 48); /* 8 in each of six hours */
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
    assert_int_equal(counted(&trend), 48);
    observe(&trend, 100 * DAY, 148);
    assert_in_range(counted(&trend), 8, 10); /* those of the last nine days */
    assert_int_equal(__builtin_popcount(trend.hours_seen), 24);
}

static void what_was_counted_before_the_first_is_unsure(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 0, 11);
    assert_int_equal(trend.unsure_s, BEGIN + DAY);
    observe(&trend, DAY, 11);
    assert_int_equal(trend.unsure_s, 0);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

static void a_clock_that_is_set_back_makes_no_errors(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    uint64_t counter = play(&trend, 3000 * 24, 3009 * 24, 9, 0);
    counter = play(&trend, 0, 9 * 24, 9, counter);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
    assert_in_range(counted(&trend), 8 * 9, 9 * 9);
    observe(&trend, 9 * DAY - HOUR, counter + 1); /* a little: it is now still */
    assert_in_range(counted(&trend), 8 * 9 + 1, 9 * 9 + 1);
}

static void observe_since(struct error_trend *trend, int64_t after_s, uint64_t counter,
                          int64_t since_s)
{
    const struct error_trend_observation at = { .t_s = BEGIN + after_s,
                                                .counter = counter,
                                                .since_s = BEGIN + since_s };
    error_trend_observe(trend, &rule, &at);
}

/* Its modules counted 40 since they began, ten days before; then the clock is set back
 * by a year, and goes on past that beginning. */
static void a_beginning_to_come_makes_no_errors(void **state)
{
    struct error_trend trend = { 0 };
    const int64_t since = 390 * DAY;
    (void)state;
    observe_since(&trend, 400 * DAY, 40, since);
    for (int i = 0; i < 20; i++)
        observe_since(&trend, 35 * DAY + i * 60, 40, since);
    assert_int_equal(counted(&trend), 0);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
    observe_since(&trend, 35 * DAY + 3600, 41, since);
    assert_int_equal(counted(&trend), 1);
    observe_since(&trend, 389 * DAY, 41, since);
    observe_since(&trend, 391 * DAY, 41, since);
    assert_int_equal(counted(&trend), 0);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

/* Set back between a beginning and the next observation: the beginning is added once.
 */
static void a_beginning_is_added_once(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe_since(&trend, 0, 5, -DAY);
    observe_since(&trend, DAY, 8, DAY - 60);
    assert_int_equal(counted(&trend), 8);
    observe_since(&trend, DAY - 2 * HOUR, 8, DAY - 60); /* all is forgotten */
    observe_since(&trend, DAY - 61, 8, DAY - 60);
    for (int i = 0; i < 10; i++)
        observe_since(&trend, DAY + i, 8, DAY - 60);
    assert_int_equal(counted(&trend), 0);
}

static void calm_is_what_was_observed(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 0, 0);
    observe(&trend, 10, 12);
    for (int h = 1; h < 30; h++)
        observe(&trend, h * HOUR, 12);
    int64_t calm_s = trend.calm_s;
    assert_true(calm_s > 0);
    observe(&trend, 33 * HOUR, 12); /* a short pause is calm, too */
    assert_int_equal(trend.calm_s, calm_s);
    observe(&trend, 33 * HOUR + 30 * DAY, 12); /* a long one, or a clock set on */
    assert_int_equal(trend.warning, ERROR_TREND_BURST);
    assert_int_equal(trend.calm_s, calm_s + 30 * DAY - 6 * HOUR);
    calm_s = trend.calm_s;
    observe_since(&trend, 37 * HOUR + 30 * DAY, 1, 36 * HOUR + 30 * DAY); /* was off */
    assert_int_equal(trend.calm_s, calm_s + 3 * HOUR);
    for (int h = 38; trend.warning != ERROR_TREND_NONE && h < 200; h++)
        observe(&trend, h * HOUR + 30 * DAY, 1);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

static void a_clock_that_is_set_back_is_no_calm(void **state)
{
    struct error_trend trend = { 0 };
    (void)state;
    observe(&trend, 300 * DAY, 0);
    observe(&trend, 300 * DAY + 10, 12);
    for (int h = 1; h < 30; h++)
        observe(&trend, 300 * DAY + h * HOUR, 12);
    assert_true(trend.calm_s > 0);
    observe(&trend, 0, 12);
    observe(&trend, 3600, 12);
    assert_int_equal(trend.warning, ERROR_TREND_BURST);
    assert_int_equal(trend.calm_s, BEGIN);
    for (int h = 2; h < 48; h++)
        observe(&trend, h * HOUR, 12);
    assert_int_equal(trend.warning, ERROR_TREND_BURST);
    observe(&trend, 48 * HOUR, 12);
    assert_int_equal(trend.warning, ERROR_TREND_NONE);
}

/* ---- the chance, and false alarms ---- */

static void the_chance_is_that_of_the_binomial_distribution(void **state)
{
    /* By sums of exact fractions (python3, fractions). */
    static const struct {
        uint64_t count, before;
        unsigned hours, hours_before, ratio;
        double want;
    } rows[] = {
        { 6, 0, 24, 168, 3, 0.000729 },
        { 5, 0, 24, 168, 3, 0.00243 },
        { 19, 14, 24, 168, 3, 0.000905438352458 },
        { 15, 14, 24, 168, 3, 0.0116538289349 },
        { 38, 28, 24, 168, 3, 3.03099529267e-06 },
        { 2, 0, 24, 168, 1, 0.015625 },
        { 700, 1400, 24, 180, 3, 1.08476424236e-06 },
        { 40, 10, 7, 24, 3, 1.38876626185e-06 },
        { 0, 5, 24, 168, 3, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got = error_trend_chance(rows[i].count, rows[i].hours, rows[i].before,
                                        rows[i].hours_before, rows[i].ratio);
        assert_true(fabs(got - rows[i].want) <= 1e-6 * rows[i].want);
    }
    assert_true(error_trend_chance(UINT32_MAX, 24, 1, 168, 3) < 1e-9);
    assert_true(error_trend_chance(1, 24, UINT32_MAX, 168, 3) == 1.0);
}

static double uniform(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static unsigned poisson(uint64_t *seed, double mean)
{
    double u = uniform(seed), term = exp(-mean), sum = term;
    unsigned n = 0;
    while (u > sum && n < 1000)
        sum += term *= mean / ++n;
    return n;
}

/* Warnings that begin in so many years of one part, observed once an hour. */
static unsigned alarms(double a_day, unsigned years, uint64_t seed)
{
    struct error_trend trend = { 0 };
    unsigned count = 0;
    uint64_t counter = 0;
    for (int64_t h = 0; h < (int64_t)years * 8760; h++) {
        bool was = trend.warning != ERROR_TREND_NONE;
        observe(&trend, h * HOUR, counter += poisson(&seed, a_day / 24));
        count += !was && trend.warning != ERROR_TREND_NONE;
    }
    return count;
}

/* doc/measured/error-trend.md has more of this. */
static void a_constant_rate_does_not_warn(void **state)
{
    static const double rates[] = { 0.1, 0.5, 2, 8, 24 };
    const char *text = getenv("ERROR_TREND_YEARS");
    uint64_t years = 200;
    if (text)
        assert_int_equal(number_parse_u64(span_of(text), &years), 0);
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        unsigned count = alarms(rates[i], (unsigned)years, 1864 + i);
        print_message("# %g a day: %u warnings in %u years\n", rates[i], count,
                      (unsigned)years);
        assert_true((uint64_t)count * 1000 <=
                    years); /* of a part, as the header has it */
    }
}

/* And what rises does: from 2 a day by so many times. */
static void a_rise_is_seen(void **state)
{
    static const struct {
        double to;
        unsigned hours; /* in half of 200 parts by then */
    } rows[] = { { 20, 36 }, { 40, 18 }, { 100, 8 } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned seen = 0;
        for (uint64_t part = 0; part < 200; part++) {
            struct error_trend trend = { 0 };
            uint64_t seed = part, counter = 0;
            for (int64_t h = 0; h < 9 * 24 + rows[i].hours; h++)
                observe(&trend, h * HOUR,
                        counter += poisson(&seed, (h < 9 * 24 ? 2 : rows[i].to) / 24));
            seen += trend.warning != ERROR_TREND_NONE;
        }
        print_message("# 2 to %g a day: %u of 200 within %u hours\n", rows[i].to, seen,
                      rows[i].hours);
        assert_true(seen >= 100);
    }
}

/* ---- as a text ---- */

static void trends_make(struct error_trends *trends, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        size_t at;
        (void)snprintf(name, sizeof name, "dimm:A%u", i);
        assert_int_equal(error_trends_find(trends, span_of(name), BEGIN, &at), 0);
        (void)play(&trends->parts[at].trend, 0, 9 * 24, 20 * i, i);
    }
}

static void a_text_has_all_of_them(void **state)
{
    AUTO(error_trends_done) struct error_trends trends = { 0 }, again = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT, twice = STRBUF_INIT;
    (void)state;
    trends_make(&trends, 20);
    error_trends_print(&trends, &text);
    assert_int_equal(error_trends_parse(&again, strbuf_span(&text)), 0);
    error_trends_print(&again, &twice);
    assert_string_equal(strbuf_text(&twice), strbuf_text(&text));
    assert_int_equal(again.count, 20);
    assert_int_equal(again.parts[19].trend.warning, ERROR_TREND_BURST);
}

static void a_text_that_is_cut_is_none(void **state)
{
    AUTO(error_trends_done) struct error_trends trends = { 0 }, again = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)state;
    trends_make(&trends, 2);
    error_trends_print(&trends, &text);
    for (size_t size = 0; size < text.size; size++) {
        assert_int_equal(error_trends_parse(&again, (struct span){ text.data, size }),
                         -EBADMSG);
        assert_int_equal(again.count, 0);
    }
}

#define ZEROS_24 " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
#define ZEROS_9 " 0 0 0 0 0 0 0 0 0"
#define TAIL ZEROS_24 ZEROS_9 ZEROS_9 "\nend 1\n"

static void a_hostile_text_is_none(void **state)
{
    static const char good[] = "baro-error-trends 1\npart a 9 5 0 0 0 0 0 0 0" TAIL;
    static const char *const bad[] = {
        "baro-error-trends 2\npart a 9 5 0 0 0 0 0 0 0" TAIL,
        "baro-error-trends 1\npart a 9 5 0 3 0 0 0 0 0" TAIL,      /* a warning */
        "baro-error-trends 1\npart a 9 5 0 0 0 0 217 0 0" TAIL,    /* hours before */
        "baro-error-trends 1\npart a 9 5 0 0 0 0 0 10 0" TAIL,     /* calm later */
        "baro-error-trends 1\npart a 9 5 999999 0 0 0 0 0 0" TAIL, /* unsure for ever */
        "baro-error-trends 1\npart a 0 5 0 0 0 0 0 0 0" TAIL,      /* never observed */
        "baro-error-trends 1\npart a 99999999999 5 0 0 0 0 0 0 0" TAIL,
        "baro-error-trends 1\npart a -9 5 0 0 0 0 0 0 0" TAIL,
        "baro-error-trends 1\npart a 9 5 0 0 0 0 0 0 16777216" TAIL, /* 25 hours */
        "baro-error-trends 1\npart a 9 5 0 0 0 0 0 0 0" ZEROS_24 ZEROS_9
        " 0 0 0 0 0 0 0 0 25\nend 1\n",
        "baro-error-trends 1\npart a 9 5 0 0 0 0 0 0 0 0" TAIL,
        "baro-error-trends 1\npart  9 5 0 0 0 0 0 0 0" TAIL,
        "baro-error-trends 1\npart \x01 9 5 0 0 0 0 0 0 0" TAIL,
        "baro-error-trends 1\npart a 9 5 0 0 0 0 0 0 0" ZEROS_24 ZEROS_9 ZEROS_9
        "\npart a 9 5 0 0 0 0 0 0 0" ZEROS_24 ZEROS_9 ZEROS_9 "\nend 2\n", /* twice */
        "baro-error-trends 1\nend 0\nend 0\n",
        "baro-error-trends 1\nend 1\n",
        "baro-error-trends 1\nwhat\nend 0\n",
    };
    AUTO(error_trends_done) struct error_trends trends = { 0 };
    (void)state;
    assert_int_equal(error_trends_parse(&trends, span_of(good)), 0);
    error_trends_done(&trends);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(error_trends_parse(&trends, span_of(bad[i])), -EBADMSG);
    assert_int_equal(trends.count, 0);
}

static void there_are_as_many_parts_as_can_be(void **state)
{
    AUTO(error_trends_done) struct error_trends trends = { 0 }, again = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t at;
    (void)state;
    for (unsigned i = 0; i < ERROR_TRENDS_MAX; i++) {
        char name[80];
        (void)snprintf(name, sizeof name, "%066u%04u", 0U, i);
        assert_int_equal(error_trends_find(&trends, span_of(name), BEGIN, &at), 0);
        struct error_trend *trend = &trends.parts[at].trend;
        memset(trend, 0xff, sizeof *trend);
        trend->t_s = BEGIN + (i == 77 ? 0 : DAY);
        trend->unsure_s = trend->calm_s = BEGIN;
        trend->warning = ERROR_TREND_RISE;
        trend->usual_hours = 216;
        trend->hours_seen = (1U << 24) - 1;
        memset(trend->days_seen, 24, sizeof trend->days_seen);
    }
    error_trends_print(&trends, &text); /* the longest that there is */
    assert_true(text.size <= ERROR_TRENDS_BYTES_MAX);
    assert_int_equal(error_trends_parse(&again, strbuf_span(&text)), 0);
    assert_int_equal(error_trends_find(&trends, SPAN("x"), BEGIN, &at), -ENOSPC);
    assert_int_equal(error_trends_find(&trends, SPAN("x"), BEGIN + 1, &at), 0);
    assert_int_equal(at, 77);
    assert_int_equal(trends.parts[at].trend.t_s, 0);
    assert_int_equal(error_trends_find(&trends, SPAN("a b"), BEGIN, &at), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_ten_in_an_hour_are_a_warning),
        cmocka_unit_test(it_is_over_after_two_days_of_few),
        cmocka_unit_test(three_times_what_is_usual_is_a_warning),
        cmocka_unit_test(a_rise_that_stays_is_a_warning_still),
        cmocka_unit_test(one_day_alone_is_none),
        cmocka_unit_test(small_counts_are_none),
        cmocka_unit_test(a_day_without_days_before_it_is_none),
        cmocka_unit_test(a_counter_that_fell_is_a_new_beginning),
        cmocka_unit_test(one_that_began_anew_is_known_by_its_age),
        cmocka_unit_test(counts_of_a_pause_are_no_burst),
        cmocka_unit_test(what_was_counted_before_the_first_is_unsure),
        cmocka_unit_test(a_clock_that_is_set_back_makes_no_errors),
        cmocka_unit_test(a_beginning_to_come_makes_no_errors),
        cmocka_unit_test(a_beginning_is_added_once),
        cmocka_unit_test(calm_is_what_was_observed),
        cmocka_unit_test(a_clock_that_is_set_back_is_no_calm),
        cmocka_unit_test(the_chance_is_that_of_the_binomial_distribution),
        cmocka_unit_test(a_constant_rate_does_not_warn),
        cmocka_unit_test(a_rise_is_seen),
        cmocka_unit_test(a_text_has_all_of_them),
        cmocka_unit_test(a_text_that_is_cut_is_none),
        cmocka_unit_test(a_hostile_text_is_none),
        cmocka_unit_test(there_are_as_many_parts_as_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
