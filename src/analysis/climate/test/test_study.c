/* SPDX-License-Identifier: Apache-2.0 */
/* test_study - mappings, runs out of tables, and what a study makes of them. */
#include "analysis/climate/climate.h"
#include "analysis/table/table.h"
#include "base/file.h"
#include "base/test/testing.h"

#include <math.h>

struct files {
    char map[32], rows[32];
};

static void write_text(char path[static 32], const char *text)
{
    (void)snprintf(path, 32, "/tmp/baro-study-XXXXXX");
    AUTO_CLOSE int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
}

static const char map_text[] = "[study]\n"
                               "time = when\n"
                               "id = job\n"
                               "performance = speed\n"
                               "class = fs\n"
                               "class = app\n"
                               "require = load\n"
                               "to = 2017-07-14T03:00Z\n"
                               "short = 4h\n"
                               "long = 12h\n"
                               "expect = observations 5\n"
                               "expect = all load r 0.5\n"
                               "[column half]\n"
                               "value = speed / 2\n"
                               "[drop tests]\n"
                               "when = app = \"test\"\n"
                               "[measure load]\n"
                               "value = load\n"
                               "[measure half]\n"
                               "value = half\n"
                               "good = big\n"
                               "contributor = no\n";

/* The best of set "a x" is outside of the window; it is the best all the same. */
static const char rows_text[] = ",when,job,speed,fs,app,load\n"
                                "0,1500000000,j1,10,a,x,90\n"
                                "1,1500000060,j2,20,a,x,80\n"
                                "2,1500000120,j3,5,a,test,1\n"
                                "3,1500000180,j4,15,a,x,\n"
                                "4,1500000240,j5,30,b,x,70\n"
                                "5,1500000300,j6,15,b,x,85\n"
                                "6,1500000360,j7,40,b,x,60\n"
                                "7,1500999999,j8,40,a,x,60\n"
                                "8,nonsense,j9,40,a,x,60\n"
                                "9,1500000400,j10,40,a\n";

static int load(const char *map, const char *rows, struct mapping *mapping,
                struct runs *runs, struct err *err)
{
    struct files files;
    write_text(files.map, map);
    write_text(files.rows, rows);
    char *const paths[] = { files.rows };
    int rc = mapping_load(files.map, mapping, err);
    if (rc == 0)
        rc = runs_load(mapping, paths, 1, runs, err);
    (void)unlink(files.map);
    (void)unlink(files.rows);
    return rc;
}

static void rows_become_runs_and_none_is_lost_without_a_word(void **state)
{
    (void)state;
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    struct err err = { 0 };
    assert_int_equal(load(map_text, rows_text, &mapping, &runs, &err), 0);
    assert_int_equal(runs.rows, 10);
    assert_int_equal(runs.count, 5);
    assert_int_equal(runs.dropped[0], 1);
    assert_int_equal(runs.missing_rows, 1);
    assert_int_equal(runs.outside_rows, 1);
    assert_int_equal(runs.bad_rows, 2);
    assert_non_null(strstr(runs.faults[0], ":10: time ("));
    assert_non_null(strstr(runs.faults[1], "as the names"));
    assert_int_equal(runs.set_count, 2);
    assert_string_equal(runs.sets[0].name, "a x");
    assert_string_equal(runs.sets[0].group, "a");
    assert_true(runs.sets[0].best == 40 && runs.sets[0].count == 2);
    assert_string_equal(runs.runs[0].id, "j1");
    assert_true(runs.runs[0].fraction == 0.25 && runs.runs[1].fraction == 0.5);
    assert_true(runs.runs[0].measures[1] == 5);
    assert_true(runs.sets[1].first == 2 && runs.runs[4].fraction == 1);
}

static void a_study_holds_published_figures_against_its_own(void **state)
{
    (void)state;
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    AUTO(study_done) struct study study = { 0 };
    struct err err = { 0 };
    assert_int_equal(load(map_text, rows_text, &mapping, &runs, &err), 0);
    assert_int_equal(study_make(&mapping, &runs, &study, &err), 0);
    assert_int_equal(study.expected_count, 2);
    assert_true(study.expected[0].is_equal);
    assert_string_equal(study.expected[0].published, "5");
    assert_string_equal(study.expected[0].ours, "5");
    assert_false(study.expected[1].is_equal);
    assert_int_equal(study.expected_unlike, 1);
    assert_true(study.sets[0].q50 == 0.375); /* of 0.25, 0.5 */
    assert_int_equal(study.correlation_count, 6);
    assert_string_equal(study.correlations[0].group, "all");
    assert_string_equal(study.summary[0].what, "rows read");
    assert_int_equal(study.summary[0].count, 10);
    assert_string_equal(study.summary[1].what, "dropped: tests");
    assert_int_equal(study.summary_count, 11);
    assert_true(study.figure_count > 0);
}

/* Thirty days of a probe; on day 15 the slowest run and the highest load fall together,
 * on day 25 they do not. */
static void the_worst_measure_of_the_worst_run_is_a_contributor(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    AUTO(study_done) struct study study = { 0 };
    struct err err = { 0 };
    strbuf_adds(&rows, "when,speed,fs,load\n");
    for (int hour = 0; hour < 240; hour++) {
        double speed = 100 + 10 * sin(hour * 2 * M_PI / 48) + hour % 3;
        double load_now = 50 + hour % 5;
        if (hour == 132) {
            speed = 20;
            load_now = 99;
        }
        strbuf_addf(&rows, "%d,%.6f,a,%g\n", 1500000000 + hour * 3600, speed, load_now);
    }
    assert_int_equal(load("[study]\ntime = when\nperformance = speed\nclass = fs\n"
                          "short = 6h\nlong = 48h\n[measure load]\nvalue = load\n",
                          strbuf_text(&rows), &mapping, &runs, &err),
                     0);
    assert_int_equal(study_make(&mapping, &runs, &study, &err), 0);
    assert_int_equal(study.contributor_count, 1);
    const struct anomaly_measure *measure = &study.contributors[0];
    assert_string_equal(measure->name, "load");
    assert_int_equal(measure->contributed, 1);
    assert_true(measure->asked >= 1);
    assert_true(measure->fraction == 1.0 / (double)measure->asked);
    assert_true(study.sets[0].regions > 3);
}

static void wrong_mappings_are_told_with_the_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *map, *says;
    } cases[] = {
        { "[study]\ntime = when\n", "wants time, performance" },
        { "[study]\ntime = when\nperformance = sped\nclass = fs\n",
          "no file has a column 'sped'" },
        { "[study]\ntime = when\nperformance = speed +\nclass = fs\n",
          "study.performance" },
        { "[study]\ntime = when\nperformance = speed\nclass = fs\nfrom = yesterday\n",
          "study.from" },
        { "[study]\ntime = when\nperformance = speed\nclass = fs\nclock = noon\n",
          "study.clock" },
        { "[study]\ntime = when\nperformance = speed\nclass = fs\np_region = 2\n",
          "study.p_region" },
        { "[study]\ntime = when\nperformance = speed\nclass = fs\n[measure x]\n",
          "formula is missing" },
        { "[study]\ntime = when\nperformance = speed\nclass = fs\n"
          "[measure x]\nvalue = 1\ngood = green\n",
          "good is" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(mapping_done) struct mapping mapping = { 0 };
        AUTO(runs_done) struct runs runs = { 0 };
        struct err err = { 0 };
        assert_int_equal(load(cases[i].map, rows_text, &mapping, &runs, &err), -EINVAL);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s\n%s", cases[i].map, err.text);
    }
}

static void the_clock_of_a_site_changes_when_it_is_told_to(void **state)
{
    (void)state;
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    struct err err = { 0 };
    assert_int_equal(load("[study]\ntime = when\nperformance = speed\nclass = fs\n"
                          "clock = -8h\nclock = 2017-07-14T02:44:00Z -7h\n",
                          rows_text, &mapping, &runs, &err),
                     0);
    int64_t change_ns = INT64_C(1500000240) * 1000000000;
    const int64_t hour_ns = INT64_C(3600) * 1000000000;
    assert_true(mapping_clock(&mapping, change_ns - 1) == change_ns - 1 - 8 * hour_ns);
    assert_true(mapping_clock(&mapping, change_ns) == change_ns - 7 * hour_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_runs_and_none_is_lost_without_a_word),
        cmocka_unit_test(a_study_holds_published_figures_against_its_own),
        cmocka_unit_test(the_worst_measure_of_the_worst_run_is_a_contributor),
        cmocka_unit_test(wrong_mappings_are_told_with_the_remedy),
        cmocka_unit_test(the_clock_of_a_site_changes_when_it_is_told_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
