/* SPDX-License-Identifier: Apache-2.0 */
/* test_rounds - the window in which all servers were read, and who was not. */
#include "base/span.h"
#include "base/test/testing.h"
#include "query/counters/counters.h"

#include <stdio.h>

#define T0 INT64_C(1669010400000) /* 2022-11-21T06:00:00Z */

struct read {
    int64_t since, t; /* ms after T0; since < 0: not known */
};

static void note(struct round *round, const struct read *reads, size_t count)
{
    for (size_t i = 0; i < count; i++)
        round_note(round, reads[i].since < 0 ? T_NONE : T0 + reads[i].since,
                   T0 + reads[i].t);
}

/* Whatever the order, since rows of the past come series by series. */
static void a_round_is_the_reads_that_belong_together(void **state)
{
    static const struct {
        const char *name;
        struct read reads[6];
        size_t count;
        int64_t from, t, begin; /* t 0: none */
    } cases[] = {
        { "nothing is known before a first read", { { -1, 1000 } }, 1, 0, 0, 0 },
        { "one target", { { 0, 60000 } }, 1, 0, 60000, 0 },
        { "two targets", { { 0, 60000 }, { 300, 60300 } }, 2, 0, 60000, 0 },
        { "the later one first", { { 300, 60300 }, { 0, 60000 } }, 2, 0, 60000, 0 },
        { "the next round",
          { { 0, 60000 }, { 300, 60300 }, { 60000, 120000 } },
          3,
          60000,
          120000,
          0 },
        { "a row of the round before changes nothing",
          { { 60000, 120000 }, { 300, 60300 }, { 0, 60000 } },
          3,
          60000,
          120000,
          0 },
        { "a target that was idle in the round before",
          { { 300, 60300 }, { 60000, 120000 } },
          2,
          60000,
          120000,
          300 },
        { "a target that lost rounds does not lengthen it",
          { { 540000, 600000 }, { 0, 600100 } },
          2,
          540000,
          600000,
          0 },
        { "whichever of them comes first",
          { { 0, 600100 }, { 540000, 600000 } },
          2,
          540000,
          600000,
          0 },
        { "a server that was away",
          { { 0, 60000 }, { 60000, 900000 } },
          2,
          60000,
          900000,
          0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct round round = { 0 };
        note(&round, cases[i].reads, cases[i].count);
        int64_t offset = round.t_ms ? T0 : 0;
        if (round.t_ms - offset != cases[i].t ||
            round.from_ms - offset != cases[i].from ||
            round.begin_ms - offset != cases[i].begin)
            fail_msg("%s: %lld to %lld, since %lld", cases[i].name,
                     (long long)(round.from_ms - offset),
                     (long long)(round.t_ms - offset),
                     (long long)(round.begin_ms - offset));
    }
}

static void a_zero_record_is_no_read(void **state)
{
    const struct jobrow zero = { .since_ms = T0,
                                 .t_ms = T0 + 1,
                                 .snapshot_ns = T_NONE };
    struct jobrow row = zero;
    struct round round = { 0 };
    (void)state;
    row.snapshot_ns = 1;
    round_note_row(&round, &zero);
    assert_int_equal(round.t_ms, 0);
    round_note_row(&round, &row);
    assert_int_equal(round.t_ms, T0 + 1);
}

struct fed {
    const char *server;
    int64_t from, t, begin; /* seconds after T0 */
};

static void feed(struct rounds *rounds, const struct fed *fed, size_t count)
{
    for (size_t i = 0; i < count && fed[i].server; i++) {
        const struct round round = { T0 + fed[i].from * 1000, T0 + fed[i].t * 1000,
                                     T0 + fed[i].begin * 1000 };
        assert_int_equal(rounds_add(rounds, span_of(fed[i].server), &round), 0);
    }
}

static const struct {
    const char *name;
    struct fed fed[4];
    const char *server; /* NULL: all */
    int64_t now;
    int64_t from, to, rated; /* rated 0: no window */
    const char *late;        /* NULL: none */
} window_cases[] = {
    { "nothing is known", { { 0 } }, NULL, 100, 0, 0, 0, NULL },
    { "one server", { { "a", 60, 120, 0 } }, NULL, 200, 0, 120, 60, NULL },
    { "no more steps than there were rounds",
      { { "a", 540, 600, 480 } },
      NULL,
      700,
      480,
      600,
      60,
      NULL },
    { "ten at most", { { "a", 1140, 1200, 0 } }, NULL, 1300, 600, 1200, 60, NULL },
    { "the longest round, the earliest end",
      { { "a", 570, 600, 0 }, { "b", 450, 570, 0 } },
      NULL,
      700,
      90,
      570,
      120,
      NULL },
    { "rows of the newest round may be on their way",
      { { "a", 540, 600, 0 } },
      NULL,
      603,
      0,
      540,
      60,
      NULL },
    { "but of a first round nothing else is there",
      { { "a", 540, 600, 540 } },
      NULL,
      603,
      540,
      600,
      60,
      NULL },
    { "late is left out, and named",
      { { "a", 540, 600, 0 }, { "b", 360, 420, 0 } },
      NULL,
      700,
      0,
      600,
      60,
      "b since 2022-11-21T06:07:00Z" },
    { "two rounds behind is not late yet",
      { { "a", 540, 600, 0 }, { "b", 420, 480, 0 } },
      NULL,
      700,
      0,
      480,
      60,
      NULL },
    { "of one server alone",
      { { "a", 540, 600, 0 }, { "b", 360, 420, 0 } },
      "b",
      700,
      0,
      420,
      60,
      NULL },
    { "who was away for hours makes no window of hours",
      { { "a", 0, 36000, 0 } },
      NULL,
      37000,
      18000,
      36000,
      1800,
      NULL },
    { "a server whose clock is ahead ends at now",
      { { "a", 540, 600, 540 } },
      NULL,
      590,
      530,
      590,
      60,
      NULL },
    { "of days ago is no server any more",
      { { "a", 200000, 200060, 200000 }, { "b", 0, 60, 0 } },
      NULL,
      200100,
      200000,
      200060,
      60,
      NULL },
};

static void the_window_is_that_of_the_server_furthest_behind(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(window_cases); i++) {
        AUTO(rounds_done) struct rounds rounds = { 0 };
        AUTO(selection_done) struct selection sel;
        AUTO(table_done) struct table table;
        selection_init(&sel, T0 + window_cases[i].now * 1000);
        table_init(&table);
        if (window_cases[i].server)
            sel.server = span_of(window_cases[i].server);
        feed(&rounds, window_cases[i].fed, COUNT_OF(window_cases[i].fed));
        bool is_there = rounds_settle(&rounds, &sel, 10);
        if (is_there != (window_cases[i].rated != 0))
            fail_msg("%s: %d", window_cases[i].name, is_there);
        if (is_there && (sel.from_ms != T0 + window_cases[i].from * 1000 ||
                         sel.to_ms != T0 + window_cases[i].to * 1000 ||
                         sel.rated_ms != window_cases[i].rated * 1000))
            fail_msg("%s: %lld to %lld, %lld", window_cases[i].name,
                     (long long)(sel.from_ms - T0), (long long)(sel.to_ms - T0),
                     (long long)sel.rated_ms);
        rounds_note_late(&rounds, &table);
        assert_int_equal(table.note_count, window_cases[i].late ? 1 : 0);
        if (window_cases[i].late && !strstr(table.notes[0], window_cases[i].late))
            fail_msg("%s: %s", window_cases[i].name, table.notes[0]);
    }
}

static void many_late_servers_are_counted(void **state)
{
    AUTO(rounds_done) struct rounds rounds = { 0 };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    selection_init(&sel, T0 + 700000);
    table_init(&table);
    feed(&rounds, &(struct fed){ "a", 540, 600, 0 }, 1);
    for (int i = 0; i < 100; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "oss%03d", i);
        feed(&rounds, &(struct fed){ name, 0, 60, 0 }, 1);
    }
    assert_true(rounds_settle(&rounds, &sel, 10));
    rounds_note_late(&rounds, &table);
    assert_int_equal(table.note_count, 1);
    assert_non_null(strstr(table.notes[0], "oss004"));
    assert_null(strstr(table.notes[0], "oss005"));
    assert_non_null(strstr(table.notes[0], "and 95 other servers"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_the_reads_that_belong_together),
        cmocka_unit_test(a_zero_record_is_no_read),
        cmocka_unit_test(the_window_is_that_of_the_server_furthest_behind),
        cmocka_unit_test(many_late_servers_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
