/* SPDX-License-Identifier: Apache-2.0 */
/* test_checkpoint_import - files of cc-metric-store, host by host, into a target. */
#include "migrate/checkpoint_import.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include "base/test/scratch.h"

#include <math.h>

struct recorder {
    struct strbuf text; /* what was put */
    struct strbuf warnings;
    size_t files; /* of the last progress */
    int put_error;
    bool is_ended;
};

static int record_put(void *state, const struct import_series *s, const double *values,
                      size_t count, struct err *err)
{
    struct recorder *r = state;
    if (r->put_error)
        return err_set(err, r->put_error, "the target is full");
    strbuf_addf(&r->text, SPAN_FMT " " SPAN_FMT " %lld:", SPAN_ARG(s->path),
                SPAN_ARG(s->metric), (long long)(s->start_ns / NS_PER_S));
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&r->text, isnan(values[i]) ? " -" : " %g", values[i]);
    strbuf_addc(&r->text, '\n');
    return 0;
}

static int record_end(void *state, struct import_target_counts *counts, struct err *err)
{
    struct recorder *r = state;
    (void)err;
    r->is_ended = true;
    *counts = (struct import_target_counts){ .samples = 1 };
    return 0;
}

static void record_warning(void *arg, const char *text)
{
    struct recorder *r = arg;
    strbuf_addf(&r->warnings, "%s\n", text);
}

static void record_progress(void *arg, const struct checkpoint_import_counts *counts)
{
    struct recorder *r = arg;
    r->files = counts->files;
}

static void write_file(const char *name, const char *text)
{
    char dir[256];
    (void)snprintf(dir, sizeof dir, "%s", scratch_path(name));
    *strrchr(dir, '/') = '\0';
    assert_int_equal(file_make_dirs(dir, 0755, NULL), 0);
    FILE *file = fopen(scratch_path(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int import(struct recorder *r, const char *dir, struct time_window window,
                  struct checkpoint_import_counts *counts, struct err *err)
{
    const struct import_target target = { record_put, record_end, r };
    const struct checkpoint_import_opts opts = {
        .window = window, .warn = record_warning, .progress = record_progress, .arg = r
    };
    struct import_target_counts put;
    int rc = checkpoint_import(scratch_path(dir), &opts, &target, counts, &put, err);
    assert_true(r->is_ended);
    return rc;
}

static void recorder_done(struct recorder *r)
{
    strbuf_done(&r->text);
    strbuf_done(&r->warnings);
}
DEFINE_AUTO_DONE(struct recorder, recorder_done);

#define METRIC(name, values) \
    "\"" name "\":{\"frequency\":60,\"start\":1700000000,\"data\":[" values "]}"

static void levels_become_components_in_order_of_time(void **state)
{
    AUTO(recorder_done) struct recorder r = { 0 };
    struct checkpoint_import_counts counts;
    (void)state;
    write_file("a/c/h2/1700000000.json",
               "{\"from\":1,\"to\":2,\"metrics\":{" METRIC(
                   "m", "1,null,3") "},\"children\":{\"hwthread7\":{\"metrics\":"
                                    "{" METRIC("n", "2") "},\"children\":{}},\"node\":{"
                                                         "\"metrics\":{" METRIC(
                                                             "o", "4") "},"
                                                                       "\"chil"
                                                                       "dren\""
                                                                       ":{}}}"
                                                                       "}");
    write_file("a/c/h1/1700100000.json", "{\"from\":1,\"to\":2,\"metrics\":{" METRIC(
                                             "late", "2") "},\"children\":{}}");
    write_file("a/c/h1/900000000.json", "{\"from\":1,\"to\":2,\"metrics\":{" METRIC(
                                            "early", "1") "},\"children\":{}}");
    write_file("a/c/h1/notes.txt", "not of cc-metric-store");
    write_file("a/c/h1/x.json", "not either");
    write_file("a/.hidden/h/1.json", "{");
    assert_int_equal(import(&r, "a", time_window_all(), &counts, NULL), 0);
    assert_string_equal(strbuf_text(&r.text), "c/h1 early 1700000000: 1\n"
                                              "c/h1 late 1700000000: 2\n"
                                              "c/h2 m 1700000000: 1 - 3\n"
                                              "c/h2/hwthread:7 n 1700000000: 2\n"
                                              "c/h2 o 1700000000: 4\n");
    assert_int_equal(counts.hosts, 2);
    assert_int_equal(counts.files, 3);
    assert_int_equal(counts.samples, 6);
    assert_int_equal(r.files, 3);
    assert_int_equal(r.warnings.size, 0);
}

static void what_is_out_of_the_window_is_left_out(void **state)
{
    AUTO(recorder_done) struct recorder r = { 0 };
    struct checkpoint_import_counts counts;
    const struct time_window window = { 1700000060 * NS_PER_S, 1700000120 * NS_PER_S };
    (void)state;
    write_file("w/c/h/1.json", "{\"from\":1,\"to\":2,\"metrics\":{" METRIC(
                                   "m", "1,2,3") "},\"children\":{}}");
    assert_int_equal(import(&r, "w", window, &counts, NULL), 0);
    assert_string_equal(strbuf_text(&r.text), "c/h m 1700000000: - 2 -\n");
    assert_int_equal(counts.samples, 1);
}

static void a_damaged_file_costs_itself(void **state)
{
    AUTO(recorder_done) struct recorder r = { 0 };
    struct checkpoint_import_counts counts;
    (void)state;
    write_file("d/c/h/1.json", "{\"from\":1,\"to\":2,\"metrics\":{");
    write_file("d/c/h/2.bin", "short");
    write_file("d/c/h/3.json", "{\"from\":1,\"to\":2,\"metrics\":{" METRIC(
                                   "m", "1") "},\"children\":{}}");
    assert_int_equal(import(&r, "d", time_window_all(), &counts, NULL), 0);
    assert_string_equal(strbuf_text(&r.text), "c/h m 1700000000: 1\n");
    assert_int_equal(counts.bad_files, 2);
    assert_int_equal(counts.files, 3);
    assert_non_null(strstr(strbuf_text(&r.warnings), "d/c/h/1.json': "));
    assert_non_null(strstr(strbuf_text(&r.warnings), "d/c/h/2.bin': "));
}

static void a_level_that_is_too_deep_is_counted(void **state)
{
    AUTO(recorder_done) struct recorder r = { 0 };
    struct checkpoint_import_counts counts;
    (void)state;
    write_file(
        "l/c/h/1.json",
        "{\"from\":1,\"to\":2,\"metrics\":{},\"children\":{\"a1\":{\"metrics\":{},"
        "\"children\":{\"b2\":{\"metrics\":{},\"children\":{\"c3\":{\"metrics\":"
        "{" METRIC("m", "1") "},\"children\":{}}}}}}}}");
    assert_int_equal(import(&r, "l", time_window_all(), &counts, NULL), 0);
    assert_int_equal(counts.deep_series, 1);
    assert_int_equal(r.text.size, 0);
}

static void the_target_ends_it(void **state)
{
    AUTO(recorder_done) struct recorder r = { .put_error = ENOSPC };
    struct checkpoint_import_counts counts;
    struct err err = { 0 };
    (void)state;
    write_file("t/c/h/1.json", "{\"from\":1,\"to\":2,\"metrics\":{" METRIC(
                                   "m", "1") "},\"children\":{}}");
    assert_int_equal(import(&r, "t", time_window_all(), &counts, &err), -ENOSPC);
    assert_string_equal(err.text, "the target is full");
    assert_int_equal(counts.bad_files, 0);
}

static void a_directory_without_checkpoints_is_an_error(void **state)
{
    struct checkpoint_import_counts counts;
    (void)state;
    write_file("e/c/readme", "");
    static const char *const dirs[] = { "e", "e/c", "nowhere" };
    for (size_t i = 0; i < COUNT_OF(dirs); i++) {
        AUTO(recorder_done) struct recorder r = { 0 };
        struct err err = { 0 };
        assert_int_equal(import(&r, dirs[i], time_window_all(), &counts, &err),
                         -ENOENT);
        assert_non_null(strstr(err.text, scratch_path(dirs[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_become_components_in_order_of_time),
        cmocka_unit_test(what_is_out_of_the_window_is_left_out),
        cmocka_unit_test(a_damaged_file_costs_itself),
        cmocka_unit_test(a_level_that_is_too_deep_is_counted),
        cmocka_unit_test(the_target_ends_it),
        cmocka_unit_test(a_directory_without_checkpoints_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
