/* SPDX-License-Identifier: Apache-2.0 */
/* test_phases_text - the phases of a run as text and as JSON. */
#include "base/test/testing.h"
#include "report/unusual/phases_text.h"

#include <math.h>
#include <string.h>

static const struct phase_metric metrics[] = {
    { "cpu_load", "", PHASE_KIND_LOAD, 72 },
    { "flops_any", "GF/s", PHASE_KIND_FLOPS, 400 },
    { "lustre_read_bw", "MB/s", PHASE_KIND_READ, 1 },
    { "a_metric_with_a_long_name", "MB/s", PHASE_KIND_NETWORK_BOTH, 20 },
};

static const struct phase_level first[] = {
    { 20, -1 }, { 4, -1 }, { 800, 1 }, { 900, 1 }
};
static const struct phase_level second[] = {
    { 72, 0 }, { 400, 0 }, { 1, 0 }, { NAN, 0 }
};

static const struct job_phase items[] = {
    { 0, 6, 1500000000, 1500000720, 0.05, PHASE_READS | PHASE_USES_NETWORK, 0, first },
    { 6, 120, 1500000720, 1500014400, 0.95, PHASE_COMPUTES, 0, second },
};

static const struct job_phases both = { metrics, COUNT_OF(metrics), items, 2 };

static void a_phase_says_when_how_long_and_what_marks_it(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    phases_print(&both, &out);
    assert_string_equal(
        strbuf_text(&out),
        "\nIts 2 phases (medians over the nodes, against the run's):\n"
        "    1  2017-07-14T02:40:00Z  +0 s to +12 min, 12 min, 5.0 %\n"
        "       moves data over the network, reads\n"
        "       high: lustre_read_bw 800 MB/s (run 1 MB/s),\n"
        "         a_metric_with_a_long_name 900 MB/s (run 20 MB/s)\n"
        "       low: flops_any 4 GF/s (run 400 GF/s), cpu_load 20 (run 72)\n"
        "    2  2017-07-14T02:52:00Z  +12 min to +4 h, 3.80 h, 95 %\n"
        "       computes\n");
    for (const char *at = strbuf_text(&out); *at; at = strchr(at, '\n') + 1)
        assert_true(strchr(at, '\n') - at <= 80);
}

static void one_phase_is_a_sentence(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_phase alone = items[1];
    struct job_phases one = { metrics, COUNT_OF(metrics), &alone, 1 };
    phases_print(&one, &out);
    assert_string_equal(strbuf_text(&out), "\nIts run is one phase: computes.\n");
    strbuf_clear(&out);
    alone.acts = 0;
    phases_print(&one, &out);
    assert_string_equal(strbuf_text(&out), "\nIts run is one phase.\n");
    strbuf_clear(&out);
    alone.changes = 9;
    phases_print(&one, &out);
    assert_string_equal(strbuf_text(&out),
                        "\nIts run is one phase: alternates, 9 changes.\n");
    strbuf_clear(&out);
    phases_print(&(struct job_phases){ 0 }, &out);
    assert_int_equal(out.size, 0);
}

static void what_nothing_marks_is_as_most_of_the_run(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_phase three[2] = { items[0], items[1] };
    const struct job_phases phases = { metrics, COUNT_OF(metrics), three, 2 };
    three[1].acts = 0;
    phase_acts_print(&phases, 1, &out);
    assert_string_equal(strbuf_text(&out), "as most of the run");
    strbuf_clear(&out);
    three[1].changes = 7;
    three[1].acts = PHASE_COMPUTES | PHASE_WRITES;
    phase_acts_print(&phases, 1, &out);
    assert_string_equal(strbuf_text(&out), "alternates, 7 changes: computes, writes");
}

static void what_is_not_known_is_null_in_json(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, &out);
    json_object(&w);
    phases_json(&both, &w);
    json_object_end(&w);
    assert_non_null(strstr(strbuf_text(&out), "\"after_s\":720,\"length_s\":13680,"
                                              "\"share\":0.95,\"changes\":0,"
                                              "\"acts\":[\"computes\"]"));
    assert_non_null(strstr(strbuf_text(&out),
                           "{\"name\":\"flops_any\",\"unit\":\"GF/s\",\"median\":4,"
                           "\"run_median\":400,\"mark\":\"low\"}"));
    assert_non_null(strstr(strbuf_text(&out), "\"median\":null,\"run_median\":20,"
                                              "\"mark\":null"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phase_says_when_how_long_and_what_marks_it),
        cmocka_unit_test(one_phase_is_a_sentence),
        cmocka_unit_test(what_nothing_marks_is_as_most_of_the_run),
        cmocka_unit_test(what_is_not_known_is_null_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
