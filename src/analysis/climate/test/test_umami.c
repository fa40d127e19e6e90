/* SPDX-License-Identifier: Apache-2.0 */
/* test_umami - the rank of a run among comparable runs. */
#include "analysis/climate/climate.h"
#include "analysis/table/table.h"
#include "base/file.h"
#include "base/test/testing.h"

#include <math.h>

static struct mapping mapping;
static struct runs runs;

/* Eight runs with loads 1 to 8, then "last", then one that is after it. */
static int load(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    char map[] = "/tmp/baro-umami-XXXXXX";
    char csv[] = "/tmp/baro-umami-XXXXXX";
    AUTO_CLOSE int map_fd = mkstemp(map);
    AUTO_CLOSE int csv_fd = mkstemp(csv);
    static const char map_text[] =
        "[study]\ntime = when\nid = id\nperformance = speed\n"
        "class = fs\n[measure load]\nvalue = load\n"
        "label = Load <of> servers\n"
        "[measure always]\nvalue = 1\n"
        "[measure absent]\nvalue = missing_here\n";
    strbuf_adds(&rows, "when,id,speed,fs,load,missing_here\n");
    for (int i = 1; i <= 8; i++)
        strbuf_addf(&rows, "%d,r%d,%d,a,%d,\n", 1500000000 + i, i, 10 * i, i);
    strbuf_adds(&rows, "1500000100,last,15,a,8.5,\n1500000200,later,900,a,99,\n"
                       "1500000300,twice,1,a,1,\n1500000300,twice,1,b,1,\n");
    struct err err = { 0 };
    char *const paths[] = { csv };
    int rc = file_write_all(map_fd, map_text, strlen(map_text));
    if (rc == 0)
        rc = file_write_all(csv_fd, rows.data, rows.size);
    if (rc == 0)
        rc = mapping_load(map, &mapping, &err);
    if (rc == 0)
        rc = runs_load(&mapping, paths, 1, &runs, &err);
    (void)unlink(map);
    (void)unlink(csv);
    return rc;
}

static int unload(void **state)
{
    (void)state;
    runs_done(&runs);
    mapping_done(&mapping);
    return 0;
}

static int make(const char *id, size_t history_max, struct umami *ret, struct err *err)
{
    const struct umami_request request = { .id = id, .history_max = history_max };
    return umami_make(&mapping, &runs, &request, ret, err);
}

static void a_run_is_held_against_those_before_it(void **state)
{
    (void)state;
    AUTO(umami_done) struct umami u = { 0 };
    struct err err = { 0 };
    assert_int_equal(make("last", 0, &u, &err), 0);
    assert_int_equal(u.count, 9);
    assert_int_equal(u.row_count, 3); /* a measure that no run has is no row */
    assert_int_equal(u.rows[0].quarter, UMAMI_WORST);
    const struct umami_row *load_row = &u.rows[1];
    assert_int_equal(load_row->other_count, 8);
    assert_true(load_row->value == 8.5 && load_row->q50 == 4.5);
    assert_true(load_row->q25 == 2.75 && load_row->q75 == 6.25);
    assert_int_equal(load_row->quarter, UMAMI_WORST); /* much load is not good */
    assert_int_equal(u.rows[2].quarter, UMAMI_SAME);
}

static void what_is_good_turns_the_quarters(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        enum umami_quarter fraction, load;
    } cases[] = {
        { "r8", UMAMI_BEST, UMAMI_WORST },
        { "r5", UMAMI_BEST, UMAMI_WORST },
        { "r3", UMAMI_UNKNOWN, UMAMI_UNKNOWN }, /* two others are too few */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(umami_done) struct umami u = { 0 };
        assert_int_equal(make(cases[i].id, 0, &u, NULL), 0);
        assert_int_equal(u.rows[0].quarter, cases[i].fraction);
        assert_int_equal(u.rows[1].quarter, cases[i].load);
    }
}

static void a_short_history_is_a_short_history(void **state)
{
    (void)state;
    AUTO(umami_done) struct umami u = { 0 };
    assert_int_equal(make("last", 4, &u, NULL), 0);
    assert_int_equal(u.count, 5);
    assert_true(u.rows[1].others[0] == 5);
}

static void unknown_and_ambiguous_runs_are_errors(void **state)
{
    (void)state;
    struct umami u;
    struct err err = { 0 };
    assert_int_equal(make("nobody", 0, &u, &err), -ENOENT);
    assert_non_null(strstr(err.text, "nobody"));
    assert_int_equal(make("twice", 0, &u, &err), -EEXIST);
    assert_non_null(strstr(err.text, "'a' and in 'b'"));
    const struct umami_request request = { .id = "twice", .set = "[b-c]" };
    assert_int_equal(umami_make(&mapping, &runs, &request, &u, &err), 0);
    assert_string_equal(u.set, "b");
    umami_done(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_held_against_those_before_it),
        cmocka_unit_test(what_is_good_turns_the_quarters),
        cmocka_unit_test(a_short_history_is_a_short_history),
        cmocka_unit_test(unknown_and_ambiguous_runs_are_errors),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
