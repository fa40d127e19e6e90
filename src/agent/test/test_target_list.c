/* SPDX-License-Identifier: Apache-2.0 */
/* test_target_list - which targets a server has, and their cleanup intervals. */
#include "agent/target_list.h"
#include "base/span.h"
#include "base/test/testing.h"

static void lines_become_targets(void **state)
{
    (void)state;
    static const char *only_a[] = { "a", "zz*" };
    static const struct config_list wanted = { only_a, 2 };
    static const struct {
        const char *text;
        const struct config_list *filesystems;
        const char *want; /* names, each with its kind behind it */
    } cases[] = {
        { "", NULL, "" },
        { "obdfilter.a-OST0001.job_stats\nmdt.a-MDT0000.job_stats\n", NULL,
          "a-OST0001:ost a-MDT0000:mdt " },
        { "  mdt.a-MDT0000.job_stats \n\nnonsense\nobdfilter.b-OST0000.stats\n", NULL,
          "a-MDT0000:mdt " },
        { "mdt.a-MDT0000.job_stats", NULL, "a-MDT0000:mdt " }, /* no line end */
        { "obdfilter.a-OST0001.job_stats\nobdfilter.b-OST0001.job_stats\n"
          "obdfilter.zzz-OST0001.job_stats\nobdfilter.aa-OST0001.job_stats",
          &wanted, "a-OST0001:ost zzz-OST0001:ost " },
        { "obdfilter.unusual.job_stats", &wanted, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO_FREE struct observe_listed *listed = NULL;
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        size_t count = 0;
        assert_int_equal(target_list_parse(span_of(cases[i].text), cases[i].filesystems,
                                           &listed, &count),
                         0);
        for (size_t k = 0; k < count; k++)
            strbuf_addf(&got, SPAN_FMT ":%s ", SPAN_ARG(listed[k].name),
                        target_kind_name(listed[k].kind));
        assert_string_equal(strbuf_text(&got), cases[i].want);
    }
}

static void a_line_holds_a_cleanup_interval(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int rc;
        int64_t cleanup_ms;
    } cases[] = {
        { "obdfilter.s-OST0001.job_cleanup_interval=600", 0, 600000 },
        { "mdt.s-MDT0000.job_cleanup_interval= 0 ", 0, 0 },
        { "mdt.s-MDT0000.job_cleanup_interval=4294967295", 0, 4294967295000 },
        { "mdt.s-MDT0000.job_cleanup_interval=4294967296", -EINVAL, 0 },
        { "mdt.s-MDT0000.job_cleanup_interval=", -EINVAL, 0 },
        { "mdt.s-MDT0000.job_cleanup_interval=-1", -EINVAL, 0 },
        { "mdt.s-MDT0000.job_cleanup_interval", -EINVAL, 0 },
        { "mdt.s-MDT0000.job_stats=600", -EINVAL, 0 },
        { "", -EINVAL, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct target_cleanup cleanup = { .cleanup_ms = -7 };
        int rc = target_cleanup_parse(span_of(cases[i].line), &cleanup);
        if (rc != cases[i].rc ||
            cleanup.cleanup_ms != (rc < 0 ? -7 : cases[i].cleanup_ms))
            fail_msg("'%s': %d", cases[i].line, rc);
    }
}

static void count_target(void *arg, struct observe_target *target)
{
    size_t *count = arg;
    assert_non_null(target);
    ++*count;
}

static void intervals_go_to_the_targets_that_are_known(void **state)
{
    (void)state;
    const struct observe_opts opts = { .interval_ms = 1000, .generations_max = 10 };
    const struct observe_listed listed = { SPAN("s-OST0001"), TARGET_OST };
    AUTO(observe_free) struct observe *observe = NULL;
    size_t count = 0;
    assert_int_equal(observe_new(&opts, &observe), 0);
    assert_int_equal(observe_list(observe, 1, &listed, 1), 0);
    target_cleanup_apply(SPAN("obdfilter.s-OST0002.job_cleanup_interval=5\nx\n"
                              "obdfilter.s-OST0001.job_cleanup_interval=77"),
                         observe, count_target, &count);
    assert_int_equal(count, 1);
    struct observe_target *target = observe_target_find(observe, listed.name);
    assert_int_equal(observe_target_cleanup_ms(target), 77000);
    target_cleanup_apply(SPAN("obdfilter.s-OST0001.job_cleanup_interval=0"), observe,
                         NULL, NULL);
    assert_int_equal(observe_target_cleanup_ms(target), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_targets),
        cmocka_unit_test(a_line_holds_a_cleanup_interval),
        cmocka_unit_test(intervals_go_to_the_targets_that_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
