/* SPDX-License-Identifier: Apache-2.0 */
/* test_node_samples_json - samples of nodes go out as JSON, and come back as they were.
 */
#include "analysis/footprint/footprint.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>

static const double loads[] = { 71.5, NAN, 0.1 + 0.2 };
static const double busy[] = { NAN, NAN, 1e-300 };
static const struct node_samples_row load_rows[] = {
    { .host = 0,
      .device = "",
      .samples = 2,
      .min = 71.5,
      .max = 0.1 + 0.2,
      .values = loads },
    { .host = 1, .device = "", .min = NAN, .max = NAN, .values = busy },
};
static const struct node_samples_row gpu_rows[] = {
    { .host = 1,
      .device = "accelerator:3",
      .samples = 1,
      .min = -1,
      .max = 1,
      .values = busy },
};
static const struct node_samples_metric metrics[] = {
    { .name = "acc_utilization", .unit = "%", .rows = gpu_rows, .row_count = 1 },
    { .name = "cpu\"load",
      .unit = "",
      .is_counter = true,
      .rows = load_rows,
      .row_count = 2 },
};
static const char *const hosts[] = { "a\\01", "a02", "a03" };
static const struct node_samples all = {
    "al\"ex", 100 * NS_PER_S, 250 * NS_PER_S, 60 * NS_PER_S, 3, hosts, 3, metrics,
    2,        9.2e12,         3.5e11,         NULL
};

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void row_is(const struct node_samples_row *have,
                   const struct node_samples_row *want)
{
    assert_int_equal(have->host, want->host);
    assert_string_equal(have->device, want->device);
    assert_int_equal(have->samples, want->samples);
    assert_true(is_same(have->min, want->min) && is_same(have->max, want->max));
    for (size_t i = 0; i < all.window_count; i++)
        assert_true(is_same(have->values[i], want->values[i]));
}

static void what_is_printed_is_read_to_the_same_bits(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(arena_done) struct arena arena = { 0 };
    struct node_samples back = { 0 };
    struct json_writer w;
    struct err err = { 0 };
    arena_init(&arena, 0);
    json_writer_init(&w, &text);
    node_samples_print(&all, &w);
    if (node_samples_read(strbuf_span(&text), &arena, &back, &err) < 0)
        fail_msg("%s: %s", err.text, strbuf_text(&text));
    assert_string_equal(back.cluster, all.cluster);
    assert_true(back.from_ns == all.from_ns && back.to_ns == all.to_ns);
    assert_true(back.window_ns == all.window_ns);
    assert_int_equal(back.window_count, all.window_count);
    assert_int_equal(back.host_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(back.hosts[i], hosts[i]);
    assert_true(is_same(back.peak_flops, 9.2e12) && is_same(back.peak_bytes, 3.5e11));
    assert_null(back.peakless);
    assert_int_equal(back.metric_count, 2);
    for (size_t m = 0; m < 2; m++) {
        assert_string_equal(back.metrics[m].name, metrics[m].name);
        assert_string_equal(back.metrics[m].unit, metrics[m].unit);
        assert_true(back.metrics[m].is_counter == metrics[m].is_counter);
        assert_int_equal(back.metrics[m].row_count, metrics[m].row_count);
        for (size_t r = 0; r < metrics[m].row_count; r++)
            row_is(&back.metrics[m].rows[r], &metrics[m].rows[r]);
    }
}

#define HEAD \
    "{\"cluster\":\"c\",\"from_s\":0,\"to_s\":60,\"window_s\":30,\"hosts\":[\"a\"],"
#define ROW(row) HEAD "\"metrics\":[{\"name\":\"m\",\"unit\":\"\",\"rows\":[" row "]}]}"

static void what_no_barod_sends_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"from_s\":0,\"to_s\":60,\"window_s\":0,\"hosts\":[],\"metrics\":[]}",
        "{\"from_s\":60,\"to_s\":0,\"window_s\":30,\"hosts\":[],\"metrics\":[]}",
        "{\"from_s\":-5,\"to_s\":60,\"window_s\":30,\"hosts\":[],\"metrics\":[]}",
        "{\"from_s\":0,\"to_s\":99999,\"window_s\":1,\"hosts\":[],\"metrics\":[]}",
        "{\"from_s\":0,\"to_s\":60,\"window_s\":9223372036854775807,\"hosts\":[]}",
        HEAD "\"peak_flops\":-1,\"metrics\":[]}",
        HEAD "\"peak_bytes\":0,\"metrics\":[]}",
        HEAD "\"peak_bytes\":1e999,\"metrics\":[]}",
        HEAD "\"metrics\":[{\"unit\":\"\",\"rows\":[]}]}",
        ROW("{\"host\":1,\"device\":\"\",\"samples\":1,\"values\":[1,2]}"),
        ROW("{\"host\":0,\"samples\":1,\"values\":[1,2]}"),
        ROW("{\"host\":0,\"device\":\"\",\"samples\":1,\"values\":[1]}"),
        ROW("{\"host\":0,\"device\":\"\",\"samples\":1,\"values\":[1,2,3]}"),
        ROW("{\"host\":-1,\"device\":\"\",\"samples\":1,\"values\":[1,2]}"),
        ROW("{\"host\":0,\"device\":\"\",\"samples\":1,\"values\":[1,2"),
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(arena_done) struct arena arena = { 0 };
        struct node_samples back = { .host_count = 77 };
        struct err err = { 0 };
        arena_init(&arena, 0);
        int rc = node_samples_read(span_of(texts[i]), &arena, &back, &err);
        if (rc >= 0 || !err.text[0] || back.host_count != 77)
            fail_msg("%s: %d %s", texts[i], rc, err.text);
    }
}

static void a_deep_text_is_no_harm(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(arena_done) struct arena arena = { 0 };
    struct node_samples back;
    arena_init(&arena, 0);
    strbuf_adds(&text, HEAD "\"metrics\":");
    for (int i = 0; i < 30; i++)
        strbuf_adds(&text, "[{\"a_key_that_is_longer_than_any_other\":");
    assert_true(node_samples_read(strbuf_span(&text), &arena, &back, NULL) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read_to_the_same_bits),
        cmocka_unit_test(what_no_barod_sends_is_refused),
        cmocka_unit_test(a_deep_text_is_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
