/* SPDX-License-Identifier: Apache-2.0 */
/* test_files - files of a command: all open, and the window that they have. */
#include "client/series/test/series_texts.h"

#include "client/series/files.h"

#include <errno.h>
#include <string.h>

#define START_S INT64_C(1500000000) /* 2017-07-14T02:40:00Z */

static char paths[2][160];

/* Observations of 20 s, and of 20 s a thousand seconds later. */
static void files_open(struct series_files *files, size_t count)
{
    const char *names[2];
    struct err err = { 0 };
    mmpmon_write("one", START_S, 5);
    mmpmon_write("two", START_S + 1000, 5);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s",
                       scratch_path(i == 0 ? "one" : "two"));
        names[i] = paths[i];
    }
    if (series_files_open(files, names, count, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void files_are_open_under_their_names(void **state)
{
    (void)state;
    AUTO(series_files_done) struct series_files files = { 0 };
    AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
    files_open(&files, 2);
    strbuf_addf(&want, "%s %s", paths[0], paths[1]);
    assert_int_equal(files.count, 2);
    assert_string_equal(files.names, strbuf_text(&want));
    assert_false(files.has_server);
    series_files_done(&files);
    assert_int_equal(files.count, 0); /* and may be done with again */
}

static void none_are_none(void **state)
{
    (void)state;
    AUTO(series_files_done) struct series_files files = { 0 };
    int64_t from_s = 7, to_s = 8;
    files_open(&files, 0);
    assert_null(files.names);
    assert_int_equal(series_files_choose(&files, "scratch", NULL), 0);
    assert_int_equal(series_files_window(&files, LMT_CLIENT_READ_BYTES, "@1", "@2",
                                         &from_s, &to_s, NULL),
                     -ENOENT);
    assert_true(from_s == 7 && to_s == 8);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    static const struct {
        struct series_opts way;
        const char *path;
        int rc;
        const char *reason;
    } cases[] = {
        { { .zone = "Nowhere" }, "one", -EINVAL, "--zone: " },
        { { 0 }, "/no/such", -ENOENT, "/no/such" },
        { { .zone = "UTC" }, "/no/such", -ENOENT, "/no/such" },
        { { .token_file = "" }, "unix:/no/sock", -ENOTCONN, "unix:/no/sock" },
        { { .token_file = "/no/token" }, "barod", -ENOENT, "/no/token" },
        { { 0 }, "map:nothing", -EINVAL, "MAPPING:SOURCE" },
    };
    mmpmon_write("one", START_S, 5);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(series_files_done) struct series_files files = { 0 };
        struct err err = { 0 };
        const char *names[] = { scratch_path("one"), cases[i].path };
        int rc = series_files_open(&files, names, 2, &cases[i].way, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, err.text);
        assert_int_equal(files.count, rc == -EINVAL && i == 0 ? 0 : 1);
        assert_null(files.names);
    }
}

static void text_without_file_systems_stays_as_it_is(void **state)
{
    (void)state;
    AUTO(series_files_done) struct series_files files = { 0 };
    files_open(&files, 2);
    assert_int_equal(series_files_choose(&files, "scratch", NULL), 0);
    assert_int_equal(series_files_choose(&files, NULL, NULL), 0);
}

static void a_window_is_as_far_as_the_files_go_or_as_named(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t count;
        bool has_server;
        const char *from, *to;
        int64_t from_s, to_s; /* after START_S */
    } cases[] = {
        { "one file", 1, false, NULL, NULL, 0, 20 },
        { "both files", 2, false, NULL, NULL, 0, 1020 },
        { "from", 2, false, "@1500000005", NULL, 5, 1020 },
        { "to", 2, false, NULL, "2017-07-14T02:41:00Z", 0, 60 },
        { "outside of the files", 1, false, "@1499999000", "@1500002000", -1000, 2000 },
        { "less than an hour of a server", 2, true, NULL, NULL, 0, 1020 },
        { "the last hour of a server", 2, true, NULL, "@1500010000", 6400, 10000 },
        { "all that is named of a server", 2, true, "@1500000000", "@1500010000", 0,
          10000 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(series_files_done) struct series_files files = { 0 };
        struct err err = { 0 };
        int64_t from_s = 0, to_s = 0;
        files_open(&files, cases[i].count);
        files.has_server = cases[i].has_server;
        int rc = series_files_window(&files, LMT_CLIENT_READ_BYTES, cases[i].from,
                                     cases[i].to, &from_s, &to_s, &err);
        if (rc != 0 || from_s != START_S + cases[i].from_s ||
            to_s != START_S + cases[i].to_s)
            fail_msg("%s: %d: %s, %lld to %lld", cases[i].name, rc, err.text,
                     (long long)(from_s - START_S), (long long)(to_s - START_S));
    }
}

static void the_order_of_files_does_not_matter(void **state)
{
    (void)state;
    AUTO(series_files_done) struct series_files files = { 0 };
    const char *names[] = { paths[1], paths[0] };
    int64_t from_s = 0, to_s = 0;
    files_open(&files, 2);
    series_files_done(&files);
    assert_int_equal(series_files_open(&files, names, 2, NULL, NULL), 0);
    assert_int_equal(series_files_window(&files, LMT_CLIENT_READ_BYTES, NULL, NULL,
                                         &from_s, &to_s, NULL),
                     0);
    assert_int_equal(from_s, START_S);
    assert_int_equal(to_s, START_S + 1020);
}

static void a_window_that_is_none_changes_nothing(void **state)
{
    (void)state;
    static const struct {
        enum lmt_measure measure;
        const char *from, *to;
        int rc;
        const char *reason;
    } cases[] = {
        { LMT_CLIENT_READ_BYTES, "soon", NULL, -EINVAL,
          "--from: 'soon' is not a time" },
        { LMT_CLIENT_READ_BYTES, NULL, "later", -EINVAL,
          "--to: 'later' is not a time" },
        { LMT_CLIENT_READ_BYTES, "@1500000010", "@1500000010", -EINVAL,
          "a window ends after it begins" },
        { LMT_CLIENT_READ_BYTES, "@1600000000", NULL, -EINVAL,
          "a window ends after it begins" },
        { LMT_MDS_CPU, NULL, NULL, -ENOENT, "" },
        { LMT_MDS_CPU, "soon", NULL, -ENOENT, "" },
    };
    AUTO(series_files_done) struct series_files files = { 0 };
    files_open(&files, 2);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        int64_t from_s = 7, to_s = 8;
        int rc = series_files_window(&files, cases[i].measure, cases[i].from,
                                     cases[i].to, &from_s, &to_s, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason) || from_s != 7 ||
            to_s != 8)
            fail_msg("%zu: %d: %s", i, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_open_under_their_names),
        cmocka_unit_test(none_are_none),
        cmocka_unit_test(what_cannot_be_opened_is_an_error),
        cmocka_unit_test(text_without_file_systems_stays_as_it_is),
        cmocka_unit_test(a_window_is_as_far_as_the_files_go_or_as_named),
        cmocka_unit_test(the_order_of_files_does_not_matter),
        cmocka_unit_test(a_window_that_is_none_changes_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
