/* SPDX-License-Identifier: Apache-2.0 */
/* test_roofline_text - a roofline as text and as JSON: with a roof, without, refused.
 */
#include "base/test/testing.h"
#include "report/unusual/roofline_text.h"

#include <math.h>
#include <string.h>

static struct roofline roofline_of(double peak_flops, double peak_bytes, double roof)
{
    return (struct roofline){ .state = ROOFLINE_KNOWN,
                              .flops = "flops_any",
                              .bandwidth = "mem_bw",
                              .job = { 8, 320e9, 110e9, 320.0 / 110, roof },
                              .phases = { { 4, 4e9, 8e9, 0.5, roof },
                                          { 0, NAN, NAN, NAN, NAN } },
                              .phase_count = 2,
                              .peak_flops = peak_flops,
                              .peak_bytes = peak_bytes };
}

static void is_text(const struct roofline *r, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    roofline_print(r, &out);
    assert_string_equal(strbuf_text(&out), want);
    for (const char *at = strbuf_text(&out); *at; at = strchr(at, '\n') + 1)
        assert_true(strchr(at, '\n') - at <= 80);
}

static void a_roof_is_there_only_with_peaks(void **state)
{
    (void)state;
    struct roofline r = roofline_of(9.2e12, 350e9, 1018.18e9);
    is_text(&r,
            "\nIts roofline:\n"
            "    A node did on average 320 GF/s, 110 GB/s, 2.91 flop/byte (flops_any,\n"
            "    mem_bw). That is 31.4 % of the roof there, 1.02 TF/s, which is the "
            "memory's\n"
            "    bandwidth.\n"
            "    phase 1: 4.00 GF/s, 8.00 GB/s, 0.5 flop/byte, 0.393 % of the roof\n");
    r = roofline_of(0, 0, NAN);
    is_text(
        &r,
        "\nIts roofline:\n"
        "    A node did on average 320 GF/s, 110 GB/s, 2.91 flop/byte (flops_any,\n"
        "    mem_bw). No roof: no peaks of its nodes are configured ([subcluster] of\n"
        "    barod.conf).\n"
        "    phase 1: 4.00 GF/s, 8.00 GB/s, 0.5 flop/byte\n");
    r.peakless = "f[01-02]";
    r.phase_count = 1;
    is_text(
        &r,
        "\nIts roofline:\n"
        "    A node did on average 320 GF/s, 110 GB/s, 2.91 flop/byte (flops_any,\n"
        "    mem_bw). No roof: no peaks are configured of f[01-02] ([subcluster] of\n"
        "    barod.conf).\n");
}

static void over_the_roof_something_is_wrong(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct roofline r = roofline_of(200e9, 350e9, 200e9);
    roofline_sentence_print(&r, &out);
    assert_non_null(strstr(strbuf_text(&out), "That is over the roof there, 200 GF/s: "
                                              "the configured peaks, or what the "
                                              "metrics count, are not right."));
}

static void what_cannot_be_said_has_its_reason(void **state)
{
    (void)state;
    struct roofline r = { .state = ROOFLINE_NO_UNIT,
                          .flops = "flops_any",
                          .bandwidth = "mem_bw",
                          .odd = "mem_bw",
                          .odd_unit = "" };
    is_text(&r, "\nIts roofline:\n    None: the unit of mem_bw, \"\", is no rate that "
                "is known.\n");
    r.state = ROOFLINE_NO_SAMPLES;
    is_text(&r, "\nIts roofline:\n    None: no node has flops_any and mem_bw at the "
                "same time.\n");
    r.state = ROOFLINE_NONE;
    is_text(&r, "");
}

static void json_has_null_for_what_is_not_known(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    struct roofline r = roofline_of(0, 0, NAN);
    json_writer_init(&w, &out);
    json_object(&w);
    roofline_json(&r, &w);
    json_object_end(&w);
    assert_non_null(strstr(strbuf_text(&out),
                           "\"roof_flops_per_s\":null,\"roof_share\":"
                           "null,\"bound\":null,\"peak_flops_per_s\":"
                           "null,\"peak_bytes_per_s\":null,\"ridge\":"
                           "null,\"without_peaks\":null"));
    strbuf_clear(&out);
    r = roofline_of(9.2e12, 350e9, 1018.18e9);
    json_writer_init(&w, &out);
    json_object(&w);
    roofline_json(&r, &w);
    json_object_end(&w);
    assert_non_null(strstr(strbuf_text(&out), "\"bound\":\"memory_bandwidth\","
                                              "\"peak_flops_per_s\":9200000000000"));
    strbuf_clear(&out);
    r.state = ROOFLINE_NONE;
    json_writer_init(&w, &out);
    json_object(&w);
    roofline_json(&r, &w);
    json_object_end(&w);
    assert_string_equal(strbuf_text(&out), "{\"roofline\":null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roof_is_there_only_with_peaks),
        cmocka_unit_test(over_the_roof_something_is_wrong),
        cmocka_unit_test(what_cannot_be_said_has_its_reason),
        cmocka_unit_test(json_has_null_for_what_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
