/* SPDX-License-Identifier: Apache-2.0 */
/* test_weather_text - the whole page of a window's weather, and its tables. */
#include "base/number.h"
#include "base/test/testing.h"
#include "report/weather_report.h"

#include <math.h>

#define T0_S INT64_C(1500000000) /* 2017-07-14T02:40:00Z */

static const double days[] = { 1, 2, 3, 4, 5, 6 };

static struct weather_line count_line(double total)
{
    return (struct weather_line){ .is_known = true,
                                  .total = total,
                                  .mean = total / 3600,
                                  .peak = total / 60,
                                  .peak_s = T0_S + 30,
                                  .quiet = 0.125 };
}

static void weather_fill(struct weather *w)
{
    static struct weather_target targets[] = {
        { "scratch-OST0001", 3000, 1000, 10, 10 },
        { "scratch-OST0000", 500, 500, 10, 5 },
    };
    w->step_s = 5;
    w->targets = targets;
    w->target_count = COUNT_OF(targets);
    w->idle = 0.25;
    w->lines[LMT_READ_BYTES] = count_line(3600.0 * 1048576);
    w->lines[LMT_READ_BYTES].days = days;
    w->lines[LMT_READ_BYTES].day_count = COUNT_OF(days);
    w->lines[LMT_WRITE_BYTES] = count_line(7200.0 * 1048576);
    w->lines[LMT_WRITE_BYTES].missing = 0.0625;
    /* The five most frequent are named. */
    w->lines[LMT_OPENS] = count_line(7200);
    w->lines[LMT_CLOSES] = count_line(7100);
    w->lines[LMT_GETATTRS] = count_line(3600000);
    w->lines[LMT_MKDIRS] = count_line(36);
    w->lines[LMT_RENAMES] = count_line(3600);
    w->lines[LMT_READ_OPS] = count_line(360);
    w->lines[LMT_UNLINKS] = count_line(0);
    w->lines[LMT_MDS_CPU] = (struct weather_line){ .is_known = true,
                                                   .total = NAN,
                                                   .mean = 20,
                                                   .peak = 99.6,
                                                   .peak_s = T0_S + 60,
                                                   .peak_component = "mds1" };
}

static void fabrics_fill(struct window_context *w)
{
    w->fabrics = calloc(3, sizeof *w->fabrics);
    assert_non_null(w->fabrics);
    w->fabric_count = 3;
    for (size_t i = 0; i < 3; i++)
        w->fabrics[i].name = (const char *const[]){ "scratch", "home", "dark" }[i];
    w->fabrics[0].traffic = (struct fabric){ .is_known = true,
                                             .fabrics = strdup("ib0 ib1"),
                                             .count = 2,
                                             .read = 1048576,
                                             .written = 2 * 1048576,
                                             .missing = 0.5,
                                             .rate = 10,
                                             .usual = 4,
                                             .times = 2.5,
                                             .days = 8,
                                             .as_much = 1 };
    w->fabrics[1].traffic = (struct fabric){ .is_known = true,
                                             .fabrics = strdup("opa"),
                                             .count = 1,
                                             .read = NAN,
                                             .written = 1024,
                                             .rate = 1,
                                             .usual = NAN,
                                             .times = NAN };
}

static void health_fill(struct health_history *h)
{
    static struct health_full full[] = {
        { "scratch-OST0007", 95.5, T0_S * NS_PER_S },
        { "scratch-OST0001", 90, T0_S * NS_PER_S },
        { "scratch-OST0000", 89.9, (T0_S - 60) * NS_PER_S },
    };
    static struct health_move moves[7];
    static struct health_server_now servers[] = {
        { "scratch", "10.0.0.2@o2ib", 3, 2 }, { "scratch", "10.0.0.1@o2ib", 1, 2 }
    };
    for (size_t i = 0; i < COUNT_OF(moves); i++)
        moves[i] = (struct health_move){ .target = "scratch-OST0003",
                                         .from = "10.0.0.1@o2ib",
                                         .to = "10.0.0.2@o2ib",
                                         .t_ns = (T0_S + 10 * (int64_t)i) * NS_PER_S };
    *h = (struct health_history){ .full = full,
                                  .full_count = COUNT_OF(full),
                                  .moves = moves,
                                  .move_count = COUNT_OF(moves),
                                  .moves_left_out = 4,
                                  .servers = servers,
                                  .server_count = COUNT_OF(servers),
                                  .readings = 12 };
}

static void report_make(struct window_context *w, struct weather_report *r)
{
    *w = (struct window_context){ .from_ns = T0_S * NS_PER_S,
                                  .to_ns = (T0_S + 3600) * NS_PER_S,
                                  .has_series = true,
                                  .has_health = true };
    weather_fill(&w->weather);
    fabrics_fill(w);
    health_fill(&w->health);
    assert_int_equal(weather_report_make(w, 2, r), 0);
}

static void the_whole_page(void **state)
{
    static const char want[] =
        "The weather from 2017-07-14T02:40:00Z to 2017-07-14T03:40:00Z\n"
        "\n"
        "read      3.52 GiB, 1.00 MiB/s on average, 60.0 MiB/s at most "
        "(2017-07-14T02:40:30Z); more than in all 6 other days at these hours\n"
        "written   7.03 GiB, 2.00 MiB/s on average, 120 MiB/s at most "
        "(2017-07-14T02:40:30Z)\n"
        "getattrs  3.60 M, 1.00 k/s on average, 60.0 k/s at most "
        "(2017-07-14T02:40:30Z)\n"
        "opens     7.20 k, 2/s on average, 120/s at most (2017-07-14T02:40:30Z)\n"
        "closes    7.10 k, 1.97/s on average, 118/s at most (2017-07-14T02:40:30Z)\n"
        "renames   3.60 k, 1/s on average, 60/s at most (2017-07-14T02:40:30Z)\n"
        "readops   360, 0.1/s on average, 6/s at most (2017-07-14T02:40:30Z)\n"
        "Metadata servers were busy to 20 % on average, mds1 to 100 % "
        "(2017-07-14T02:41:00Z)\n"
        "Nothing was read in 12 % of all steps of targets, written in 12 %; 25 % of "
        "the "
        "targets moved nothing at all.\n"
        "Of datatargets/writebytes 6.2 % was not measured.\n"
        "The busiest targets: scratch-OST0001 (80.0 %), scratch-OST0000 (20.0 %)\n"
        "\n"
        "On the fabric ib0 ib1 scratch moved 3.00 MiB, 2.5 times its usual bytes; more "
        "than in 7 of 8 other days at these hours.\n"
        "On the fabric opa home moved 1.00 KiB.\n"
        "\n"
        "The fullest targets: scratch-OST0007 (95.5 %), scratch-OST0001 (90.0 %)\n"
        "2 of 3 targets are above 90 %.\n"
        "2017-07-14T02:40:00Z: scratch-OST0003 went from 10.0.0.1@o2ib to "
        "10.0.0.2@o2ib.\n"
        "2017-07-14T02:40:10Z: scratch-OST0003 went from 10.0.0.1@o2ib to "
        "10.0.0.2@o2ib.\n"
        "2017-07-14T02:40:20Z: scratch-OST0003 went from 10.0.0.1@o2ib to "
        "10.0.0.2@o2ib.\n"
        "2017-07-14T02:40:30Z: scratch-OST0003 went from 10.0.0.1@o2ib to "
        "10.0.0.2@o2ib.\n"
        "2017-07-14T02:40:40Z: scratch-OST0003 went from 10.0.0.1@o2ib to "
        "10.0.0.2@o2ib.\n"
        "2 more targets changed their server.\n"
        "10.0.0.2@o2ib serves 3 targets of scratch; usual is 2.\n"
        "10.0.0.1@o2ib serves 1 targets of scratch; usual is 2.\n";
    AUTO(window_context_done) struct window_context w;
    AUTO(weather_report_done) struct weather_report r;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    report_make(&w, &r);
    weather_text_print(&r, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void has_lines(const struct strbuf *page, const char *lines)
{
    if (!strstr(strbuf_text(page), lines))
        fail_msg("no %s in %s", lines, strbuf_text(page));
}

static void figures_of_the_page_are_those_of_a_person(void **state)
{
    AUTO(window_context_done) struct window_context w;
    AUTO(weather_report_done) struct weather_report r;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    report_make(&w, &r);
    w.from_ns += 645871928; /* what "-1h" gives */
    w.to_ns += 645871928;
    struct weather_line *lines = w.weather.lines;
    lines[LMT_OPENS].missing = lines[LMT_MKDIRS].missing = 0.9671;
    lines[LMT_CLOSES].missing = 0.9672;
    lines[LMT_RENAMES].missing = 0.25;
    lines[LMT_READ_BYTES].missing = 0.0625;
    lines[LMT_RENAMES].peak = lines[LMT_RENAMES].mean / 2; /* it came behind a hole */
    weather_text_print(&r, &out);
    has_lines(&out, "from 2017-07-14T02:40:00Z to 2017-07-14T03:40:00Z\n");
    has_lines(&out, "renames   3.60 k, 1/s on average\n");
    has_lines(&out, "Of datatargets/readbytes, writebytes 6.2 % was not measured.\n"
                    "Of mdtargets/opens, closes, mkdirs 96.7 % was not measured.\n"
                    "Of mdtargets/renames 25.0 % was not measured.\n");
}

static void the_tables_have_the_same_numbers(void **state)
{
    static const struct {
        enum weather_part part;
        const char *name, *csv;
    } cases[] = {
        { WEATHER_TARGETS, "targets",
          "target,read,written,share,missing\n"
          "scratch-OST0001,3000,1000,0.8,0\nscratch-OST0000,500,500,0.2,0.5\n" },
        { WEATHER_FABRICS, "fabrics",
          "fabric,file_system,read,written,mean,usual,times_usual,other_days,as_much,"
          "missing\n"
          "ib0 ib1,scratch,1048576,2097152,10,4,2.5,8,1,0.5\n"
          "opa,home,,1024,1,,,0,0,0\n" },
        { WEATHER_FULLNESS, "fullness",
          "target,full_pct,read_at\n"
          "scratch-OST0007,95.5,2017-07-14T02:40:00.000Z\n"
          "scratch-OST0001,90,2017-07-14T02:40:00.000Z\n" },
        { WEATHER_SERVERS, "servers",
          "file_system,server,targets,usual\n"
          "scratch,10.0.0.2@o2ib,3,2\nscratch,10.0.0.1@o2ib,1,2\n" },
    };
    const struct table_print_opts opts = { .raw_units = true };
    AUTO(window_context_done) struct window_context w;
    AUTO(weather_report_done) struct weather_report r;
    (void)state;
    report_make(&w, &r);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        table_print(&r.tables[cases[i].part], TABLE_FORM_CSV, &opts, &out);
        assert_string_equal(strbuf_text(&out), cases[i].csv);
        assert_string_equal(weather_part_name(cases[i].part), cases[i].name);
    }
    assert_int_equal(r.tables[WEATHER_MOVES].row_count, 7);
    assert_string_equal(r.tables[WEATHER_MOVES].notes[0], "4 more");
}

static void only_one_direction_is_known(void **state)
{
    static const struct {
        enum lmt_measure measure;
        const char *want;
    } cases[] = {
        { LMT_READ_BYTES, "\nNothing was read in 12 % of all steps of targets; 25 % of "
                          "the targets moved nothing at all.\n" },
        { LMT_WRITE_BYTES, "\nNothing was written in 12 %; 25 % of the targets moved "
                           "nothing at all.\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(weather_report_done) struct weather_report r;
        struct window_context w = { .has_series = true, .weather.step_s = 5 };
        w.weather.idle = 0.25;
        w.weather.lines[cases[i].measure] = count_line(1e6);
        assert_int_equal(weather_report_make(&w, 2, &r), 0);
        weather_text_print(&r, &out);
        if (!strstr(strbuf_text(&out), cases[i].want))
            fail_msg("%s", strbuf_text(&out));
        assert_null(strstr(strbuf_text(&out), "busiest"));
    }
}

static void health_without_a_move(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(weather_report_done) struct weather_report r;
    struct window_context w = { .has_health = true };
    (void)state;
    w.health.readings = 12;
    assert_int_equal(weather_report_make(&w, 2, &r), 0);
    weather_text_print(&r, &out);
    assert_string_equal(
        strbuf_text(&out),
        "The weather from 1970-01-01T00:00:00Z to 1970-01-01T00:00:00Z\n\n"
        "No target changed its server, in 12 readings.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_page),
        cmocka_unit_test(figures_of_the_page_are_those_of_a_person),
        cmocka_unit_test(the_tables_have_the_same_numbers),
        cmocka_unit_test(only_one_direction_is_known),
        cmocka_unit_test(health_without_a_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
