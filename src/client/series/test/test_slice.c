/* SPDX-License-Identifier: Apache-2.0 */
/* test_slice - the series of a job's summary: opened again, printed, archived. */
#include "client/series/test/series_texts.h"

#include "base/number.h"
#include "base/span.h"
#include "client/series/slice.h"

#include <errno.h>
#include <string.h>

static const struct series_slice_opts plain = { .series.token_file = "" };

/* A table whose component has a name that CSV has to quote; its name as a series. */
static const char *table_write(const char *name, const char *measure, size_t count)
{
    static char what[2][512];
    static unsigned next;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    char *to = what[next++ % 2];
    char map[32];
    (void)snprintf(map, sizeof map, "%s.conf", name);
    strbuf_addf(&text,
                "[table]\ntime = t\ncomponent = {c}\n[measure %s]\ncolumn = v\n"
                "kind = count\n",
                measure);
    strbuf_adds(&csv, "t;c;v\n");
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&csv, "%zu;a, b\"c;%zu.5\n", 1000 + 5 * i, i);
    text_write(map, strbuf_text(&text));
    text_write(name, strbuf_text(&csv));
    (void)snprintf(to, sizeof what[0], "map:%s:%s", scratch_path(map),
                   scratch_path(name));
    return to;
}

static void weather_of(const struct series_reference_file *files, size_t count,
                       int64_t from_s, int64_t to_s, struct strbuf *text,
                       struct job_weather *ret)
{
    strbuf_clear(text);
    series_reference_print(files, count, text);
    *ret = (struct job_weather){
        .from_s = from_s, .to_s = to_s, .step_s = 5, .series = strbuf_text(text)
    };
}

static int on_piece(void *arg, struct span piece)
{
    strbuf_add_span(arg, piece);
    return 0;
}

static void a_window_has_to_be_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct job_weather weather;
        int rc;
    } cases[] = {
        { "no series", { .to_s = 10, .step_s = 5 }, -ENODATA },
        { "no start", { JOB_I64_NONE, 10, 5, .series = "[]" }, -ENODATA },
        { "no end", { 0, JOB_I64_NONE, 5, .series = "[]" }, -ENODATA },
        { "no step", { 0, 10, JOB_I64_NONE, .series = "[]" }, -ENODATA },
        { "no files", { 0, 10, 5, .series = "[]" }, -ENODATA },
        { "before 1970", { -1, 10, 5, .series = "[]" }, -EBADMSG },
        { "of no length", { 10, 10, 5, .series = "[]" }, -EBADMSG },
        { "a step of 0", { 0, 10, 0, .series = "[]" }, -EBADMSG },
        { "too long a step", { 0, 10, LMT_STEP_S_MAX + 1, .series = "[]" }, -EBADMSG },
        { "too late", { 0, INT64_MAX / NS_PER_S + 1, 5, .series = "[]" }, -EBADMSG },
        { "no reference", { 0, 10, 5, .series = "what" }, -EBADMSG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(series_slice_done) struct series_slice slice = { 0 };
        struct err err = { 0 };
        int rc = series_slice_open(&cases[i].weather, &plain, &slice, &err);
        if (rc != cases[i].rc || !err.text[0] || slice.count != 0)
            fail_msg("%s: %d: %s", cases[i].name, rc, err.text);
    }
}

static void a_short_window_gets_two_steps(void **state)
{
    (void)state;
    static const struct {
        int64_t to_s, want_s;
    } cases[] = { { 1001, 1010 }, { 1010, 1010 }, { 1011, 1011 } };
    mmpmon_write("one", 1000, 5);
    const struct series_reference_file file = { .path = scratch_path("one") };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(series_slice_done) struct series_slice slice = { 0 };
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct job_weather weather;
        weather_of(&file, 1, 1000, cases[i].to_s, &text, &weather);
        assert_int_equal(series_slice_open(&weather, &plain, &slice, NULL), 0);
        assert_int_equal(slice.from_s, 1000);
        assert_int_equal(slice.to_s, cases[i].want_s);
        assert_ptr_equal(slice.all, slice.series[0]);
    }
}

static void files_that_cannot_be_opened_are_errors(void **state)
{
    (void)state;
    char pipe_path[128];
    (void)snprintf(pipe_path, sizeof pipe_path, "%s", scratch_path("pipe"));
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    mmpmon_write("one", 1000, 5);
    const struct {
        struct series_reference_file file;
        int rc;
        const char *reason;
    } cases[] = {
        { { .path = "/no/such" }, -ENOENT, "/no/such" },
        { { .path = pipe_path }, -EBADMSG, "is neither a file nor a directory" },
        { { .path = "/dev/zero" }, -EBADMSG, "is neither a file nor a directory" },
        { { .path = scratch_path("one"), .zone = "Nowhere" },
          -EBADMSG,
          "the zone 'Nowhere' in its summary is none" },
        { { .path = "unix:/no/sock" }, -ENOTCONN, "unix:/no/sock" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        /* The first is well, and goes with the slice. */
        const struct series_reference_file files[] = { { .path = scratch_path("one") },
                                                       cases[i].file };
        AUTO(series_slice_done) struct series_slice slice = { 0 };
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct job_weather weather;
        struct err err = { 0 };
        weather_of(files, 2, 1000, 1020, &text, &weather);
        int rc = series_slice_open(&weather, &plain, &slice, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason) || slice.count != 1)
            fail_msg("%zu: %d, %zu: %s", i, rc, slice.count, err.text);
    }
}

/* A summary may name any server: only one that the caller named gets the token. */
static void a_token_goes_to_servers_that_were_named(void **state)
{
    (void)state;
    static const char *named[] = { "/some/file", "unix:/no/b" };
    static const struct {
        const char *name;
        struct series_slice_opts way;
        const char *path;
        int rc;
    } cases[] = {
        { "another server is sent no token",
          { .series.token_file = "/no/token" },
          "unix:/no/a",
          -ENOTCONN },
        { "the caller's own",
          { .series = { .server = "unix:/no/a", .token_file = "/no/token" } },
          "unix:/no/a",
          -ENOENT },
        { "beside the caller's own",
          { .series = { .server = "unix:/no/a", .token_file = "/no/token" } },
          "unix:/no/aa",
          -ENOTCONN },
        { "as it is usually called",
          { .series = { .server = "unix:/no/a", .token_file = "/no/token" } },
          "barod",
          -ENOENT },
        { "named as a series",
          { .series.token_file = "/no/token", .named = { named, 2 } },
          "unix:/no/b",
          -ENOENT },
        { "another than was named",
          { .series.token_file = "/no/token", .named = { named, 2 } },
          "unix:/no/c",
          -ENOTCONN },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct series_reference_file file = { .path = cases[i].path };
        AUTO(series_slice_done) struct series_slice slice = { 0 };
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct job_weather weather;
        struct err err = { 0 };
        weather_of(&file, 1, 1000, 1020, &text, &weather);
        int rc = series_slice_open(&weather, &cases[i].way, &slice, &err);
        if (rc != cases[i].rc ||
            (strstr(err.text, "/no/token") != NULL) != (rc == -ENOENT))
            fail_msg("%s: %d: %s", cases[i].name, rc, err.text);
    }
}

/* ---- CSV ---- */

static void print_is(const struct series_reference_file *files, size_t count,
                     int64_t from_s, int64_t to_s, const char *want)
{
    AUTO(series_slice_done) struct series_slice slice = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct job_weather weather;
    struct err err = { 0 };
    weather_of(files, count, from_s, to_s, &text, &weather);
    if (series_slice_open(&weather, &plain, &slice, &err) < 0 ||
        series_slice_print(&slice, on_piece, &got, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&got), want);
}

#define HEAD "time,measure,unit,component,value\n"

static void measures_are_printed_one_after_the_other(void **state)
{
    (void)state;
    const struct series_reference_file files[] = {
        { .path = table_write("w.csv", "datatargets/writebytes", 2) },
        { .path = table_write("r.csv", "datatargets/readbytes", 2), .offset_s = 5 },
    };
    print_is(files, 1, 1000, 1015,
             HEAD "1000,datatargets/writebytes,bytes,\"a, b\"\"c\",0.5\n"
                  "1005,datatargets/writebytes,bytes,\"a, b\"\"c\",1.5\n"
                  "1010,datatargets/writebytes,bytes,\"a, b\"\"c\",\n");
    print_is(files, 2, 1000, 1010,
             HEAD "1000,datatargets/readbytes,bytes,\"a, b\"\"c\",\n"
                  "1005,datatargets/readbytes,bytes,\"a, b\"\"c\",0.5\n"
                  "1000,datatargets/writebytes,bytes,\"a, b\"\"c\",0.5\n"
                  "1005,datatargets/writebytes,bytes,\"a, b\"\"c\",1.5\n");
    print_is(files, 1, 5000, 5010, HEAD);
}

static void a_zone_that_is_one_and_a_file_system_are_accepted(void **state)
{
    (void)state;
    const struct series_reference_file file = {
        .path = table_write("z.csv", "datatargets/writebytes", 2),
        .zone = "Europe/Berlin",
        .fs = "scratch",
    };
    print_is(&file, 1, 1000, 1005,
             HEAD "1000,datatargets/writebytes,bytes,\"a, b\"\"c\",0.5\n"
                  "1005,datatargets/writebytes,bytes,\"a, b\"\"c\",1.5\n");
}

struct pieces {
    size_t count, bytes, largest;
    size_t fails; /* the piece of that number; 0: none */
};

static int on_counted(void *arg, struct span piece)
{
    struct pieces *p = arg;
    p->bytes += piece.size;
    p->largest = piece.size > p->largest ? piece.size : p->largest;
    return ++p->count == p->fails ? -ENOSPC : 0;
}

static void a_long_slice_is_written_in_pieces(void **state)
{
    (void)state;
    const struct series_reference_file file = {
        .path = table_write("l.csv", "datatargets/writebytes", 4000)
    };
    AUTO(series_slice_done) struct series_slice slice = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    struct pieces pieces = { 0 }, full = { .fails = 2 }, first = { .fails = 1 };
    struct job_weather weather;
    struct err err = { 0 };
    weather_of(&file, 1, 1000, 1000 + 4000 * 5, &text, &weather);
    assert_int_equal(series_slice_open(&weather, &plain, &slice, NULL), 0);
    assert_int_equal(series_slice_print(&slice, on_piece, &whole, NULL), 0);
    assert_int_equal(series_slice_print(&slice, on_counted, &pieces, NULL), 0);
    assert_int_equal(pieces.bytes, whole.size);
    assert_true(pieces.count > 2 && pieces.largest < 70000);
    assert_int_equal(series_slice_print(&slice, on_counted, &full, &err), -ENOSPC);
    assert_string_equal(err.text, "output: No space left on device");
    assert_int_equal(full.count, 2); /* and no more */
    assert_int_equal(series_slice_print(&slice, on_counted, &first, NULL), -ENOSPC);
    assert_int_equal(first.count, 1);
}

static void an_archive_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    const struct series_reference_file file = {
        .path = table_write("h.csv", "datatargets/writebytes", 4)
    };
    AUTO(series_slice_done) struct series_slice slice = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct job_weather weather;
    struct err err = { 0 };
    weather_of(&file, 1, 1000, 1020, &text, &weather);
    assert_int_equal(series_slice_open(&weather, &plain, &slice, NULL), 0);
    assert_true(series_slice_archive(&slice, "/no/such/a.hdf5", &err) < 0);
    assert_non_null(strstr(err.text, "/no/such/a.hdf5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_has_to_be_one),
        cmocka_unit_test(a_short_window_gets_two_steps),
        cmocka_unit_test(files_that_cannot_be_opened_are_errors),
        cmocka_unit_test(a_token_goes_to_servers_that_were_named),
        cmocka_unit_test(measures_are_printed_one_after_the_other),
        cmocka_unit_test(a_zone_that_is_one_and_a_file_system_are_accepted),
        cmocka_unit_test(a_long_slice_is_written_in_pieces),
        cmocka_unit_test(an_archive_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
