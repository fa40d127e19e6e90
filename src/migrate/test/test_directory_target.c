/* SPDX-License-Identifier: Apache-2.0 */
/* test_directory_target - imported samples in a store's directory, and out of it again:
 * as text and as checkpoints. */
#include "migrate/checkpoint_export.h"
#include "migrate/checkpoint_import.h"
#include "migrate/directory_export.h"
#include "migrate/test/peer.h"
#include "migrate/test/stored.h"

#include "base/file.h"

#include <math.h>

static struct export_selection selection = { .metric = "*",
                                             .component = "",
                                             .window = { 0, INT64_MAX } };

/* c/h: m at two times, n at a component; d/i: m; a cluster's own. */
static void make_store(const char *dir)
{
    const double values[] = { 1.5, NAN, 0.1 };
    struct import_target target;
    struct import_target_counts counts;
    assert_int_equal(directory_target_open(dir, NULL, NULL, &target, NULL), 0);
    stored_put(&target, "c/h", "m", 60, 0, values, 3);
    stored_put(&target, "c/h/hwthread:7", "n", 30, 60, values, 1);
    stored_put(&target, "d/i", "m", 60, 0, values, 1);
    stored_put(&target, "c", "own", 60, 0, values, 1);
    stored_put(&target, "c//x", "m", 60, 0, values, 1);
    assert_int_equal(target.end(target.state, &counts, NULL), 0);
    assert_int_equal(counts.samples, 5);
    assert_int_equal(counts.skipped_series, 1);
    assert_int_equal(counts.refused, 0);
}

static void export_text_of(const char *dir, struct strbuf *out)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    AUTO(sample_text_done)
    struct sample_text text = { .write = test_collect,
                                .write_arg = out,
                                .form = SAMPLE_TEXT_CSV };
    uint64_t damaged = 77;
    assert_int_equal(directory_export_open(dir, NULL, NULL, &store, NULL), 0);
    assert_int_equal(directory_export(store, &selection, &text, &damaged, NULL), 0);
    assert_int_equal(damaged, 0);
}

static void assert_has(const struct strbuf *text, const char *want)
{
    if (!strstr(strbuf_text(text), want))
        fail_msg("no '%s' in '%s'", want, strbuf_text(text));
}

static void what_was_imported_is_exported(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    make_store(scratch_path("store"));
    export_text_of(scratch_path("store"), &out);
    assert_has(&out,
               "c/h,m,2023-11-15T00:00:00Z,1.5\nc/h,m,2023-11-15T00:02:00Z,0.1\n");
    assert_has(&out, "c/h/hwthread:7,n,2023-11-15T00:01:00Z,1.5\n");
    assert_has(&out, "d/i,m,2023-11-15T00:00:00Z,1.5\n");
    assert_has(&out, "c,own,2023-11-15T00:00:00Z,1.5\n");
}

static void a_selection_leaves_out_the_rest(void **state)
{
    static const struct {
        struct export_selection selection;
        const char *want;
    } cases[] = {
        { { .metric = "n", .component = "", .window = { 0, INT64_MAX } },
          "c/h/hwthread:7,n,2023-11-15T00:01:00Z,1.5\n" },
        { { .metric = "*", .component = "d/*", .window = { 0, INT64_MAX } },
          "d/i,m,2023-11-15T00:00:00Z,1.5\n" },
        { { .metric = "m",
            .component = "c/h",
            .window = { (STORED_START_S + 60) * NS_PER_S,
                        (STORED_START_S + 121) * NS_PER_S } },
          "c/h,m,2023-11-15T00:02:00Z,0.1\n" },
        { { .metric = "m",
            .component = "c/h",
            .window = { (STORED_START_S + 60) * NS_PER_S,
                        (STORED_START_S + 120) * NS_PER_S } },
          "" },
    };
    (void)state;
    make_store(scratch_path("parts"));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        selection = cases[i].selection;
        export_text_of(scratch_path("parts"), &out);
        assert_string_equal(strbuf_text(&out), cases[i].want);
    }
    selection = (struct export_selection){ .metric = "*",
                                           .component = "",
                                           .window = { 0, INT64_MAX } };
}

static void read_text(const char *path, struct strbuf *out)
{
    strbuf_clear(out);
    assert_int_equal(file_read(path, 1 << 20, out, NULL), 0);
}

static void checkpoints_hold_a_host_and_half_a_day(void **state)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct checkpoint_export_counts counts;
    struct err err = { 0 };
    (void)state;
    make_store(scratch_path("source"));
    assert_int_equal(
        directory_export_open(scratch_path("source"), NULL, NULL, &store, NULL), 0);
    assert_int_equal(
        checkpoint_export(store, &selection, scratch_path("out"), &counts, &err), 0);
    assert_int_equal(counts.files, 2);
    assert_int_equal(counts.series, 3);
    assert_int_equal(counts.samples, 4);
    assert_int_equal(counts.skipped_series, 1); /* the cluster's own */
    read_text(scratch_path("out/c/h/1700006400.json"), &text);
    assert_string_equal(
        strbuf_text(&text),
        "{\"from\":1700006400,\"to\":1700049599,\"metrics\":{\"m\":{\"frequency\":60,"
        "\"start\":1700006370,\"data\":[1.5,null,0.1]}},\"children\":{\"hwthread7\":{"
        "\"metrics\":{\"n\":{\"frequency\":30,\"start\":1700006445,\"data\":[1.5]}},"
        "\"children\":{}}}}\n");
    assert_int_equal(
        checkpoint_export(store, &selection, scratch_path("out"), &counts, &err),
        -EEXIST);
}

static void checkpoints_that_were_exported_are_imported(void **state)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    AUTO(strbuf_done) struct strbuf after = STRBUF_INIT;
    const struct checkpoint_import_opts opts = { .window = time_window_all() };
    struct checkpoint_export_counts exported;
    struct checkpoint_import_counts read;
    struct import_target_counts put;
    struct import_target target;
    (void)state;
    make_store(scratch_path("one"));
    selection.component = "*/*";
    assert_int_equal(
        directory_export_open(scratch_path("one"), NULL, NULL, &store, NULL), 0);
    assert_int_equal(
        checkpoint_export(store, &selection, scratch_path("way"), &exported, NULL), 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(
            directory_target_open(scratch_path("two"), NULL, NULL, &target, NULL), 0);
        assert_int_equal(
            checkpoint_import(scratch_path("way"), &opts, &target, &read, &put, NULL),
            0);
        assert_int_equal(read.samples, exported.samples);
        assert_int_equal(put.samples, exported.samples);
    }
    export_text_of(scratch_path("two"), &after);
    /* start lies half a step before the first sample: cc-metric-store, which moves it
     * at its start, writes the sample's own time the next time. */
    assert_has(&after,
               "c/h,m,2023-11-14T23:59:30Z,1.5\nc/h,m,2023-11-15T00:01:30Z,0.1\n");
    assert_has(&after, "d/i,m,2023-11-14T23:59:30Z,1.5\n");
    selection.component = "";
}

static void a_directory_has_one_owner(void **state)
{
    struct import_target first, second;
    struct import_target_counts counts;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(
        directory_target_open(scratch_path("owned"), NULL, NULL, &first, NULL), 0);
    assert_int_equal(
        directory_target_open(scratch_path("owned"), NULL, NULL, &second, &err),
        -EBUSY);
    assert_true(err.text[0]);
    assert_int_equal(first.end(first.state, &counts, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_imported_is_exported),
        cmocka_unit_test(a_selection_leaves_out_the_rest),
        cmocka_unit_test(checkpoints_hold_a_host_and_half_a_day),
        cmocka_unit_test(checkpoints_that_were_exported_are_imported),
        cmocka_unit_test(a_directory_has_one_owner),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
