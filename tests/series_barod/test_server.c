/* SPDX-License-Identifier: Apache-2.0 */
/* test_server - a barod that is opened as a series: over HTTP, with what it notes. */
#include "client/job/test/barod.h"
#include "client/series/series.h"

#include <errno.h>
#include <string.h>

#define COLUMNS                                                               \
    "{\"columns\":[{\"name\":\"component\",\"type\":\"text\",\"unit\":\"\"}," \
    "{\"name\":\"metric\",\"type\":\"text\",\"unit\":\"\"},"                  \
    "{\"name\":\"step\",\"type\":\"double\",\"unit\":\"s\"}],\"rows\":["
#define ITEM(component, values)                                          \
    "{\"component\":\"" component "\",\"metric\":\"lustre_read_bytes\"," \
    "\"from\":\"1970-01-01T00:16:40Z\",\"step\":5,\"values\":[" values "]}"

/* Two file systems of one target each, read from 1000 s on. */
static const struct barod_response two[] = {
    { "/v1/status", 200,
      "{\"now\":\"1970-01-01T00:20:00Z\",\"records\":{\"first\":null,\"last\":null}}",
      false },
    { "from=@0", 200,
      "{\"results\":[{\"component\":\"c/a/ost:fs-OST0000\",\"metric\":"
      "\"lustre_capacity_bytes\",\"from\":\"1970-01-01T00:16:40Z\",\"step\":5,"
      "\"count\":9}]}",
      false },
    { "metric=lustre_*_bytes", 200,
      COLUMNS "[\"c/a/ost:fs-OST0000\",\"lustre_read_bytes\",5],"
              "[\"c/a/ost:home-OST0000\",\"lustre_read_bytes\",5]]}",
      false },
    { "/v1/series", 200, COLUMNS "]}", false },
    { "ost:home-*", 200,
      "{\"results\":[" ITEM("c/a/ost:home-OST0000", "0,9,18,27,36") "]}", false },
    { "/v1/query", 200,
      "{\"results\":[" ITEM("c/a/ost:fs-OST0000", "1,2,3,4,5") "," ITEM(
          "c/a/ost:home-OST0000", "0,9,18,27,36") "]}",
      false },
};

static void on_log(void *arg, const char *text)
{
    strbuf_addf(arg, "%s\n", text);
}

static int server_open(struct strbuf *log, int64_t offset_s, struct lmt_series **ret,
                       struct err *err)
{
    const struct series_opts way = {
        .server = barod.url, .token_file = "", .log = on_log, .log_arg = log
    };
    const struct lmt_opts opts = { .clock_offset_s = offset_s };
    return series_server_open("barod", &way, &opts, ret, err);
}

static double read_at(struct lmt_series *series, int64_t from_s, size_t column)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    struct err err = { 0 };
    lmt_grid_init(&grid, from_s, from_s + 10);
    if (lmt_series_read(series, LMT_READ_BYTES, &grid, &err) < 0)
        fail_msg("%s\n%s", err.text, strbuf_text(&barod.requests));
    assert_true(column < grid.column_count);
    return *lmt_grid_at(&grid, 0, column);
}

static void names_of_servers_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_server;
    } cases[] = {
        { "barod", true },          { "unix:/run/x", true },    { "http://a", true },
        { "https://a:8443", true }, { "barod.hdf5", false },    { "./barod", false },
        { "ftp://a", false },       { "mysql:options", false }, { "", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (series_server_is(cases[i].name) != cases[i].is_server)
            fail_msg("'%s'", cases[i].name);
}

static void a_barod_is_read_like_a_file(void **state)
{
    (void)state;
    static const struct {
        int64_t offset_s, from_s;
    } cases[] = { { 0, 1000 }, { 100, 1100 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
        AUTO(lmt_series_close) struct lmt_series *series = NULL;
        struct err err = { 0 };
        barod_script(&barod, two, COUNT_OF(two));
        if (server_open(&log, cases[i].offset_s, &series, &err) < 0)
            fail_msg("%s\n%s", err.text, strbuf_text(&barod.requests));
        assert_int_equal(lmt_series_choose(series, "nix", NULL), -ENOENT);
        assert_int_equal(lmt_series_choose(series, "home", NULL), 0);
        assert_true(read_at(series, cases[i].from_s, 0) == 9);
    }
}

/* A series is opened again and again: a note is of the process. */
static void a_note_is_logged_once(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    for (size_t i = 0; i < 3; i++) {
        AUTO(lmt_series_close) struct lmt_series *series = NULL;
        barod_script(&barod, two, COUNT_OF(two));
        assert_int_equal(server_open(&log, 0, &series, NULL), 0);
        assert_true(read_at(series, 1000, 1) == 9);
    }
    assert_string_equal(strbuf_text(&log),
                        "barod: fs, home are combined, as one file system\n");
}

static void what_a_barod_cannot_give_is_an_error_with_its_name(void **state)
{
    (void)state;
    static const struct {
        struct barod_response response;
        int rc;
        const char *reason;
    } cases[] = {
        { { NULL, 403, "no", false }, -EACCES, "barod: the server responds with 403" },
        { { NULL, 400, "why", false },
          -EBADMSG,
          "barod: the server responds with 400" },
        { { NULL, 200, "none", false }, -EBADMSG, "" },
        { { "nothing", 200, "", false }, -ENOENT, "barod: " },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
        struct lmt_series *series = NULL;
        struct err err = { 0 };
        barod_script(&barod, &cases[i].response, 1);
        int rc = server_open(&log, 0, &series, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason) || series)
            fail_msg("%zu: %d: %s", i, rc, err.text);
    }
}

static void a_server_among_files_is_remembered(void **state)
{
    (void)state;
    AUTO(series_files_done) struct series_files files = { 0 };
    const struct series_opts way = { .token_file = "" };
    const char *paths[] = { barod.url };
    struct err err = { 0 };
    barod_script(&barod, two, COUNT_OF(two));
    if (series_files_open(&files, paths, 1, &way, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(files.has_server);
    assert_int_equal(series_files_choose(&files, "nix", &err), -ENOENT);
    assert_int_equal(series_files_choose(&files, "fs", &err), 0);
}

static void without_options_the_usual_server_is_meant(void **state)
{
    (void)state;
    static const struct lmt_opts opts = { 0 };
    struct lmt_series *series = NULL;
    assert_int_equal(setenv("BARO_SERVER", "unix:/no/sock", 1), 0);
    assert_int_equal(unsetenv("BARO_TOKEN_FILE"), 0);
    assert_int_equal(series_server_open("barod", NULL, &opts, &series, NULL),
                     -ENOTCONN);
    assert_int_equal(setenv("BARO_TOKEN_FILE", "/no/token", 1), 0);
    assert_int_equal(series_server_open("barod", NULL, &opts, &series, NULL), -ENOENT);
    assert_null(series);
    assert_int_equal(unsetenv("BARO_TOKEN_FILE"), 0);
    assert_int_equal(unsetenv("BARO_SERVER"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_servers_are_known),
        cmocka_unit_test(a_barod_is_read_like_a_file),
        cmocka_unit_test(a_note_is_logged_once),
        cmocka_unit_test(what_a_barod_cannot_give_is_an_error_with_its_name),
        cmocka_unit_test(a_server_among_files_is_remembered),
        cmocka_unit_test(without_options_the_usual_server_is_meant),
    };
    return cmocka_run_group_tests(tests, barod_begin, barod_end);
}
