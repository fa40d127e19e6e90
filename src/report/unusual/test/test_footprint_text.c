/* SPDX-License-Identifier: Apache-2.0 */
/* test_footprint_text - findings of nodes as sentences, advice and JSON. */
#include "base/test/testing.h"
#include "report/unusual/footprint_text.h"

#include <math.h>
#include <string.h>

static const struct footprint_finding base = { .kind = FOOTPRINT_IDLE_NODE,
                                               .nodes = "c04",
                                               .count = 1,
                                               .others = 7,
                                               .from_s = 1500000000,
                                               .to_s = 1500003600,
                                               .metric = "cpu_load",
                                               .unit = "",
                                               .value = 0.125,
                                               .usual = 72,
                                               .threshold = 0.5,
                                               .n = 60,
                                               .low_s = 0,
                                               .high_s = 450,
                                               .unused_s = 3600 };

static void each_kind_says_what_was_measured_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        enum footprint_kind kind;
        size_t count, others;
        const char *text, *advice;
    } cases[] = {
        { FOOTPRINT_IDLE_NODE, 1, 7,
          "c04 did nothing from 2017-07-14T02:40:00Z on: cpu_load 0.125, on the 7 "
          "others 72",
          "--nodes=8" },
        { FOOTPRINT_IDLE_NODE, 1, 0,
          "All nodes, c04 did nothing from 2017-07-14T02:40:00Z on: cpu_load 0.125",
          NULL },
        { FOOTPRINT_SLOW_NODE, 1, 7,
          "c04 was slow from 2017-07-14T02:40:00Z on: cpu_load 0.125, on the 7 others "
          "72",
          "--exclude=c04" },
        { FOOTPRINT_MEMORY_LIMIT_REACHED, 0, 0,
          "The job was ended because its memory was not enough: cpu_load 0.125",
          "--ntasks-per-node" },
        { FOOTPRINT_GPU_IDLE, 1, 3,
          "1 of 4 GPUs did nothing: c04/accelerator:1: cpu_load 0.125, on the 3 others "
          "72",
          "--gpus=3" },
        { FOOTPRINT_GPU_IDLE, 1, 0,
          "1 of 1 GPUs did nothing: c04/accelerator:1: cpu_load 0.125", "--partition" },
        { FOOTPRINT_UNEVEN_NODES, 1, 7,
          "c04 had 0.0 times the work of the average node", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf advice = STRBUF_INIT;
        struct footprint_finding f = base;
        f.kind = cases[i].kind;
        f.count = cases[i].count;
        f.others = cases[i].others;
        f.devices = "c04/accelerator:1";
        footprint_finding_print(&f, &text);
        footprint_advice_print(&f, &advice);
        assert_string_equal(strbuf_text(&text), cases[i].text);
        if (cases[i].advice)
            assert_non_null(strstr(strbuf_text(&advice), cases[i].advice));
        else
            assert_int_equal(advice.size, 0);
    }
}

static void what_is_not_known_is_null_in_json(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    struct footprint_finding f = base;
    f.low_s = f.high_s = NAN;
    json_writer_init(&w, &out);
    footprint_finding_json(&f, &w);
    assert_non_null(strstr(strbuf_text(&out), "\"kind\":\"idle-node\",\"cause\":null"));
    assert_non_null(strstr(strbuf_text(&out), "\"nodes\":\"c04\",\"devices\":null"));
    assert_non_null(
        strstr(strbuf_text(&out), "\"cost\":{\"low_s\":null,\"high_s\":null}"));
}

static void a_metric_has_its_ends_only_where_there_are_several_nodes(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct footprint_metric metrics[] = {
        { .name = "cpu_load",
          .unit = "",
          .rows = 2,
          .median = 36,
          .lowest = "c01",
          .lowest_value = 1.5,
          .highest = "c02",
          .highest_value = 70.5 },
        { .name = "power", .unit = "W", .rows = 1, .median = 410 },
    };
    const struct footprint f = { .metrics = metrics,
                                 .metric_count = 2,
                                 .unobserved = "c03" };
    footprint_print(&f, &out);
    assert_string_equal(strbuf_text(&out),
                        "    cpu_load         36 (1.5 on c01 to 70.5 on c02)\n"
                        "    power            410 W\n"
                        "    No metrics of c03.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_says_what_was_measured_and_what_to_do),
        cmocka_unit_test(what_is_not_known_is_null_in_json),
        cmocka_unit_test(a_metric_has_its_ends_only_where_there_are_several_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
