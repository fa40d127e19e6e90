/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_pair_page - in what metrics of two runs differ: sentences and rows. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/pair/pair.h"

#include <math.h>
#include <string.h>

#define NAMED(text)              \
    {                            \
        (text), sizeof(text) - 1 \
    }

static struct metric_pair pair; /* large */

static void pair_set(void)
{
    static const struct job_metric a[] = {
        { .metric = NAMED("job_mem_used"), .unit = NAMED("B"), .mean = 1e9 },
        { .metric = NAMED("app_steps"), .mean = 4 },
        { .metric = NAMED("flops"), .mean = 1 },
    };
    static const struct job_metric b[] = {
        { .metric = NAMED("job_mem_used"), .unit = NAMED("B"), .mean = 4e9 },
        { .metric = NAMED("app_steps"), .mean = 2 }
    };
    const struct metric_run runs[] = {
        { .name = "4711",
          .run_s = 100,
          .nodes = 1,
          .metrics = a,
          .count = COUNT_OF(a) },
        { .name = "4712",
          .run_s = NAN,
          .nodes = 2,
          .metrics = b,
          .count = COUNT_OF(b) },
    };
    metric_pair_find(&runs[0], &runs[1], NULL, 0, METRIC_PAIR_FLOOR_DEFAULT, &pair);
}

static void it_is_named_what_is_compared(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    pair_set();
    metric_pair_print_text(&pair, "job 4711: no log of it is there", &out);
    assert_string_equal(
        strbuf_text(&out),
        "A: job 4711, 1 node\n"
        "B: job 4712, 2 nodes\n"
        "job 4711: no log of it is there.  Compared are metrics of their nodes, on "
        "average over a node and the run.\n\n"
        " 1. job_mem_used                  954 MiB -> 3.73 GiB     x 4            its "
        "noise is not known\n"
        " 2. app_steps                           4 -> 2            / 2            its "
        "noise is not known\n"
        "Only A has: flops.\n"
        "(0 other runs of that name and user have metrics: 3 are wanted to measure the "
        "noise.  Listed is what differs by more than 10 %.)\n");
}

static void rows_have_the_columns_of_other_pairs(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    pair_set();
    metric_pair_print_rows(&pair, TABLE_FORM_CSV, &out);
    assert_ptr_equal(strstr(strbuf_text(&out),
                            "measure,family,unit,kind,text_a,text_b,a,b,"
                            "distance,floor,score\n"),
                     strbuf_text(&out));
    assert_non_null(strstr(strbuf_text(&out), "\njob_mem_used,metrics,B,cause,,,1"));
    assert_non_null(strstr(strbuf_text(&out), "\napp_steps,metrics,,effect,,,4,2,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_named_what_is_compared),
        cmocka_unit_test(rows_have_the_columns_of_other_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
