/* SPDX-License-Identifier: Apache-2.0 */
/* test_barod - a barod as a series: what is made of its answers, also of wrong ones. */
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/lmt/lmt.h"

#include <math.h>

/* What is answered to a path that has all the words. */
struct answer {
    const char *words[4];
    const char *body; /* NULL: there is no such thing */
};

struct server {
    const struct answer *answers;
    size_t count;
    unsigned asked, closed;
    struct strbuf notes;
};

static int get(void *arg, const char *path, struct span *ret, struct err *err)
{
    struct server *s = arg;
    s->asked++;
    for (size_t i = 0; i < s->count; i++) {
        bool fits = true;
        for (size_t k = 0; k < 4 && s->answers[i].words[k]; k++)
            fits = fits && strstr(path, s->answers[i].words[k]);
        if (!fits)
            continue;
        if (!s->answers[i].body)
            break;
        *ret = span_of(s->answers[i].body);
        return 0;
    }
    return err_set(err, ENOENT, "%s: not here", path);
}

static void note(void *arg, const char *text)
{
    struct server *s = arg;
    strbuf_addf(&s->notes, "%s\n", text);
}

static void server_close(void *arg)
{
    struct server *s = arg;
    s->closed++;
    strbuf_done(&s->notes);
}

#define COLUMNS                                                               \
    "{\"columns\":[{\"name\":\"component\",\"type\":\"text\",\"unit\":\"\"}," \
    "{\"name\":\"metric\",\"type\":\"text\",\"unit\":\"\"},"                  \
    "{\"name\":\"step\",\"type\":\"double\",\"unit\":\"s\"}],\"rows\":["
#define STATUS \
    "{\"now\":\"1970-01-01T00:20:00Z\",\"records\":{\"first\":null,\"last\":null}}"
#define ITEM(component, metric, values)                     \
    "{\"component\":\"" component "\",\"metric\":\"" metric \
    "\",\"from\":\"1970-01-01T00:16:40Z\",\"step\":5,\"values\":[" values "]}"
#define FIRST                                                             \
    "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":"     \
    "\"lustre_read_bytes\",\"from\":\"1970-01-01T00:16:40Z\",\"step\":5," \
    "\"count\":9}]}"
#define SERIES(rows)                                  \
    {                                                 \
        { "/v1/series", "_bytes" }, COLUMNS rows "]}" \
    }
#define BEGIN                                                         \
    { { "/v1/status" }, STATUS },                                     \
    {                                                                 \
        { "/v1/query", "from=%400", "write_bytes", "samples" }, FIRST \
    }
#define NO_MORE                        \
    {                                  \
        { "/v1/series" }, COLUMNS "]}" \
    }

static int open_it(struct server *s, struct lmt_series **ret, struct err *err)
{
    const struct lmt_barod_opts opts = {
        .arg = s, .get = get, .note = note, .close = server_close
    };
    return lmt_barod_open(&opts, ret, err);
}

static void read_it(struct lmt_series *series, enum lmt_measure measure,
                    struct lmt_grid *grid)
{
    lmt_grid_init(grid, 1000, 1020);
    assert_int_equal(lmt_series_read(series, measure, grid, NULL), 0);
    assert_int_equal(grid->step_s, 5);
    assert_int_equal(grid->row_count, 4);
}

static void check(const struct lmt_grid *grid, size_t column, const char *name,
                  const double want[4])
{
    assert_string_equal(grid->columns[column], name);
    for (size_t i = 0; i < 4; i++) {
        double got = *lmt_grid_at(grid, i, column);
        if (got != want[i] && !(isnan(got) && isnan(want[i])))
            fail_msg("%s, step %zu: got %g, want %g", name, i, got, want[i]);
    }
}

static void a_target_is_one_whichever_server_has_it(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        BEGIN,
        SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5],"
               "[\"c/b/ost:fs-OST0000\",\"lustre_read_bytes\",5]"),
        NO_MORE,
        { { "lustre_read_bytes" },
          "{\"results\":[" ITEM(
              "c/a/ost:fs-OST0000", "lustre_read_bytes",
              "100,107,null,null,null") "," ITEM("c/b/ost:fs-OST0000",
                                                 "lustre_read_bytes",
                                                 "null,null,5,11,20") "]}" },
        { { "lustre_capacity" }, "{\"results\":[]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    struct lmt_series *series = NULL;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    read_it(series, LMT_READ_BYTES, &grid);
    assert_int_equal(grid.column_count, 1);
    check(&grid, 0, "fs-OST0000", (const double[4]){ 7, NAN, 6, 9 });
    lmt_series_close(series);
    assert_int_equal(s.closed, 1);
}

static void one_name_in_two_clusters_is_two_targets(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        BEGIN,
        SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5],"
               "[\"d/a/ost:fs-OST0000\",\"lustre_read_bytes\",5]"),
        NO_MORE,
        { { "lustre_read_bytes" },
          "{\"results\":[" ITEM("c/a/ost:fs-OST0000", "lustre_read_bytes",
                                "1,2,3,4,5") "," ITEM("d/a/ost:fs-OST0000",
                                                      "lustre_read_bytes",
                                                      "10,20,30,40,50") "]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    read_it(series, LMT_READ_BYTES, &grid);
    check(&grid, 0, "c/fs-OST0000", (const double[4]){ 1, 1, 1, 1 });
    check(&grid, 1, "d/fs-OST0000", (const double[4]){ 10, 10, 10, 10 });
}

static void several_file_systems_are_told_apart(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        BEGIN,
        SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5],"
               "[\"c/a/ost:home-OST0000\",\"lustre_read_bytes\",5]"),
        NO_MORE,
        { { "lustre_read_bytes" },
          "{\"results\":[" ITEM("c/a/ost:fs-OST0000", "lustre_read_bytes",
                                "1,2,3,4,5") "," ITEM("c/a/ost:home-OST0000",
                                                      "lustre_read_bytes",
                                                      "0,9,18,27,36") "]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid all = { 0 };
    AUTO(lmt_grid_done) struct lmt_grid one = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    read_it(series, LMT_READ_BYTES, &all);
    assert_int_equal(all.column_count, 2);
    assert_non_null(strstr(strbuf_text(&s.notes), "fs, home are combined"));
    assert_int_equal(lmt_series_choose(series, "nix", NULL), -ENOENT);
    assert_int_equal(lmt_series_choose(series, "home", NULL), 0);
    read_it(series, LMT_READ_BYTES, &one);
    assert_int_equal(one.column_count, 1);
    check(&one, 0, "home-OST0000", (const double[4]){ 9, 9, 9, 9 });
}

/* Lustre prints a counter from its first use on.  The third had counted before. */
static void a_counter_that_is_not_there_yet_counts_nothing(void **state)
{
    (void)state;
    static const struct answer
        answers[] = {
            BEGIN,
            SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5],"
                   "[\"c/a/ost:fs-OST0001\",\"lustre_read_bytes\",5],"
                   "[\"c/a/ost:fs-OST0002\",\"lustre_read_bytes\",5],"
                   "[\"c/a/ost:fs-OST0003\",\"lustre_capacity_bytes\",5]"),
            NO_MORE,
            { { "lustre_read_bytes", "statistics" },
              "{\"results\":[{\"component\":\"c/a/ost:fs-OST0002\",\"metric\":\"m\","
              "\"from\":\"1970-01-01T00:16:40Z\",\"step\":5,\"count\":3}]}" },
            /* clang-format off */
        { { "lustre_capacity", "statistics" },
          "{\"results\":[{\"component\":\"c/a/ost:fs-OST0001\",\"count\":5}]}" },
        { { "lustre_read_bytes" },
          "{\"results\":["
          ITEM("c/a/ost:fs-OST0000", "lustre_read_bytes", "1,2,3,4,5") ","
          ITEM("c/a/ost:fs-OST0001", "lustre_read_bytes", "null,null,30,40,50") ","
          ITEM("c/a/ost:fs-OST0002", "lustre_read_bytes", "null,null,30,40,50") "]}" },
        { { "lustre_capacity" },
          "{\"results\":["
          ITEM("c/a/ost:fs-OST0001", "lustre_capacity_bytes", "7,7,7,7,7") ","
          ITEM("c/a/ost:fs-OST0002", "lustre_capacity_bytes", "7,7,7,7,7") ","
          ITEM("c/a/ost:fs-OST0003", "lustre_capacity_bytes", "7,7,null,7,7") "]}" },
            /* clang-format on */
        };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    read_it(series, LMT_READ_BYTES, &grid);
    check(&grid, 0, "fs-OST0000", (const double[4]){ 1, 1, 1, 1 });
    check(&grid, 1, "fs-OST0001", (const double[4]){ 0, 30, 10, 10 });
    check(&grid, 2, "fs-OST0002", (const double[4]){ 0, NAN, 10, 10 });
    check(&grid, 3, "fs-OST0003", (const double[4]){ 0, 0, 0, 0 });
}

static void fullness_is_what_two_metrics_say(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        BEGIN,
        SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_capacity_bytes\",5]"),
        NO_MORE,
        { { "lustre_capacity" },
          "{\"results\":[" ITEM("c/a/ost:fs-OST0000", "lustre_capacity_bytes",
                                "100,100,100,100,100") "]}" },
        { { "lustre_free" },
          "{\"results\":[" ITEM("c/a/ost:fs-OST0000", "lustre_free_bytes",
                                "90,null,70,60,50") "]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    read_it(series, LMT_USED_BYTES, &grid);
    check(&grid, 0, "fs-OST0000", (const double[4]){ 10, NAN, 30, 40 });
}

/* Loads are of the step that ended then; servers are those that have targets. */
static void loads_are_of_the_steps_before(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        BEGIN,
        SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5],"
               "[\"c/b/mdt:fs-MDT0000\",\"lustre_read_bytes\",5]"),
        { { "/v1/series", "server_" }, COLUMNS "[\"c/a\",\"server_cpu_busy\",5]]}" },
        NO_MORE,
        { { "server_cpu_busy" },
          "{\"results\":[" ITEM("c/a", "server_cpu_busy", "1,2,null,4,5") "," ITEM(
              "c/b", "server_cpu_busy", "6,7,8,9,9") "," ITEM("c/x", "server_cpu_busy",
                                                              "99,99,99,99,99") "]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid oss = { 0 };
    AUTO(lmt_grid_done) struct lmt_grid mds = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    read_it(series, LMT_OSS_CPU, &oss);
    assert_int_equal(oss.column_count, 1);
    check(&oss, 0, "a", (const double[4]){ 2, NAN, 4, 5 });
    read_it(series, LMT_MDS_CPU, &mds);
    assert_int_equal(mds.column_count, 1);
    check(&mds, 0, "b", (const double[4]){ 7, 8, 9, 9 });
}

/* Before eight readings a series has no step, and says its times. */
static void times_of_its_own_are_taken(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        BEGIN,
        SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",null]"),
        NO_MORE,
        { { "lustre_read_bytes" },
          "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":"
          "\"lustre_read_bytes\",\"from\":\"1970-01-01T00:16:40Z\",\"step\":null,"
          "\"times\":[\"1970-01-01T00:16:40Z\",\"1970-01-01T00:16:50Z\"],"
          "\"values\":[10,30]}]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    read_it(series, LMT_READ_BYTES, &grid);
    check(&grid, 0, "fs-OST0000", (const double[4]){ 10, 10, NAN, NAN });
}

static void answers_that_are_none_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        int want;
    } cases[] = {
        { "no text", "", -EBADMSG },
        { "no object", "[]", -EBADMSG },
        { "no results", "{}", -EBADMSG },
        { "results that are none", "{\"results\":7}", -EBADMSG },
        { "a result that is none", "{\"results\":[7]}", -EBADMSG },
        { "cut off", "{\"results\":[{\"component\":\"c", -EBADMSG },
        { "values of nothing", "{\"results\":[{\"values\":[1]}]}", -EBADMSG },
        { "values at no time",
          "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":\"m\","
          "\"step\":5,\"values\":[1]}]}",
          -EBADMSG },
        { "more values than times",
          "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":\"m\","
          "\"step\":null,\"times\":[\"1970-01-01T00:16:40Z\"],\"values\":[1,2]}]}",
          -EBADMSG },
        { "a step that is none",
          "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":\"m\","
          "\"step\":1e300,\"values\":[1]}]}",
          -EBADMSG },
        { "a time that is none", "{\"results\":[{\"from\":\"soon\"}]}", -EBADMSG },
        { "a value that is none",
          "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":\"m\","
          "\"from\":\"1970-01-01T00:16:40Z\",\"step\":5,\"values\":[{}]}]}",
          -EBADMSG },
        { "nothing of it", "{\"results\":[]}", 0 },
        { "others' series",
          "{\"results\":[{\"component\":\"x/y/ost:z\",\"metric\":\"m\",\"from\":"
          "\"1970-01-01T00:16:40Z\",\"step\":5,\"values\":[{}]}]}",
          0 },
        { "one that could not be answered",
          "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":\"m\","
          "\"error\":\"damaged\"}]}",
          0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct answer answers[] = {
            BEGIN,
            SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5]"),
            NO_MORE,
            { { "lustre_read_bytes" }, cases[i].body },
            { { "lustre_capacity" }, "{\"results\":[]}" },
        };
        struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        AUTO(lmt_series_close) struct lmt_series *series = NULL;
        struct err err = { 0 };
        assert_int_equal(open_it(&s, &series, NULL), 0);
        lmt_grid_init(&grid, 1000, 1020);
        int rc = lmt_series_read(series, LMT_READ_BYTES, &grid, &err);
        if (rc != cases[i].want || (rc < 0) != (err.text[0] != '\0'))
            fail_msg("%s: got %d '%s'", cases[i].name, rc, err.text);
    }
}

static void a_server_with_nothing_is_no_series(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct answer answers[2];
        int want;
    } cases[] = {
        { "no store and no rows", { { { "/v1/status" }, STATUS } }, -ENODATA },
        { "no status", { { { "/v1/status" }, "{}" } }, -EBADMSG },
        { "no list",
          { { { "/v1/status" }, STATUS }, { { "/v1/series" }, "{}" } },
          -EBADMSG },
        { "another list",
          { { { "/v1/status" }, STATUS },
            { { "/v1/series" },
              "{\"columns\":[{\"name\":\"a\",\"type\":\"bool\",\"unit\":\"\"}],"
              "\"rows\":[[true]]}" } },
          -EBADMSG },
        { "nobody", { { { NULL }, NULL } }, -ENOENT },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct server s = { cases[i].answers, 2, 0, 0, STRBUF_INIT };
        struct lmt_series *series = NULL;
        struct err err = { 0 };
        int rc = open_it(&s, &series, &err);
        if (rc != cases[i].want || series || s.closed || !err.text[0])
            fail_msg("%s: got %d '%s'", cases[i].name, rc, err.text);
    }
}

#define RATES                                                            \
    "{\"columns\":[{\"name\":\"from\",\"type\":\"time\",\"unit\":\"\"}," \
    "{\"name\":\"to\",\"type\":\"time\",\"unit\":\"\"},"                 \
    "{\"name\":\"target\",\"type\":\"text\",\"unit\":\"\"},"             \
    "{\"name\":\"read_bytes\",\"type\":\"u64\",\"unit\":\"bytes\"}],\"rows\":["
#define RATE(time, target, bytes) \
    "[\"1970-01-01T00:16:" time "Z\",\"1970-01-01T00:17:00Z\",\"" target "\"," bytes "]"

static void rows_serve_where_nothing_else_is(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { { "/v1/status" },
          "{\"now\":\"1970-01-01T00:20:00Z\",\"records\":{\"first\":"
          "\"1970-01-01T00:10:00.000Z\",\"last\":\"1970-01-01T00:19:00.000Z\"}}" },
        { { "/v1/jobstats/rates", "step=5s", "from=%401000", "to=%401020" },
          RATES RATE("40", "fs-OST0000", "11") "," RATE(
              "50", "fs-OST0000", "13") "," RATE("50", "fs-OST0001",
                                                 "4") "," RATE("50", "x-OST0001",
                                                               "9") "]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(lmt_grid_done) struct lmt_grid loads = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    int64_t from_s, to_s;
    assert_int_equal(open_it(&s, &series, NULL), 0);
    assert_int_equal(lmt_series_times(series, LMT_OPENS, &from_s, &to_s, NULL), 0);
    assert_int_equal(from_s, 600);
    assert_int_equal(to_s, 1140);
    assert_int_equal(lmt_series_choose(series, "fs", NULL), 0);
    read_it(series, LMT_READ_BYTES, &grid);
    assert_int_equal(grid.column_count, 2);
    check(&grid, 0, "fs-OST0000", (const double[4]){ 11, NAN, 13, NAN });
    check(&grid, 1, "fs-OST0001", (const double[4]){ 0, NAN, 4, NAN });
    assert_non_null(strstr(strbuf_text(&s.notes), "rows are used"));
    lmt_grid_init(&loads, 1000, 1020);
    assert_int_equal(lmt_series_read(series, LMT_OSS_CPU, &loads, NULL), -ENOENT);
}

static void clocks_are_corrected_on_the_way(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        BEGIN,
        SERIES("[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5]"),
        NO_MORE,
        { { "lustre_read_bytes" },
          "{\"results\":[" ITEM("c/a/ost:fs-OST0000", "lustre_read_bytes",
                                "1,2,4,8,16") "]}" },
        { { "lustre_capacity" }, "{\"results\":[]}" },
    };
    struct server s = { answers, COUNT_OF(answers), 0, 0, STRBUF_INIT };
    const struct lmt_barod_opts opts = {
        .arg = &s, .get = get, .note = note, .close = server_close, .clock_offset_s = 7
    };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(lmt_barod_open(&opts, &series, NULL), 0);
    lmt_grid_init(&grid, 1007, 1027);
    assert_int_equal(lmt_series_read(series, LMT_READ_BYTES, &grid, NULL), 0);
    assert_int_equal(grid.start_s, 1007);
    check(&grid, 0, "fs-OST0000", (const double[4]){ 1, 2, 4, 8 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_one_whichever_server_has_it),
        cmocka_unit_test(one_name_in_two_clusters_is_two_targets),
        cmocka_unit_test(several_file_systems_are_told_apart),
        cmocka_unit_test(a_counter_that_is_not_there_yet_counts_nothing),
        cmocka_unit_test(fullness_is_what_two_metrics_say),
        cmocka_unit_test(loads_are_of_the_steps_before),
        cmocka_unit_test(times_of_its_own_are_taken),
        cmocka_unit_test(answers_that_are_none_are_errors),
        cmocka_unit_test(a_server_with_nothing_is_no_series),
        cmocka_unit_test(rows_serve_where_nothing_else_is),
        cmocka_unit_test(clocks_are_corrected_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
