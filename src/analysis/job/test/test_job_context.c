/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_context - a job's context: what is missing, its parts, copies. */
#include "analysis/job/job.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

static void a_new_context_has_no_part(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    job_context_init(&c);
    for (size_t i = 0; i < JOB_PART_COUNT; i++)
        if (job_context_has(&c, (enum job_part)i, NULL))
            fail_msg("%s is there", job_part_name((enum job_part)i));
    assert_true(isnan(job_context_bytes(&c)));
    assert_true(isnan(job_context_steps(&c)));
    assert_true(c.identity.start_ns == JOB_TIME_NONE);
    assert_int_equal(c.error, 0);
}

static void one_value_makes_its_part_and_no_other(void **state)
{
    (void)state;
    static const struct {
        const char *column;
        enum job_part part;
    } cases[] = {
        { "_jobid", JOB_PART_IDENTITY },
        { "jobsdb_user", JOB_PART_IDENTITY },
        { "darshan_is_damaged", JOB_PART_FACTS },
        { "darshan_tot_opens_posix", JOB_PART_FACTS },
        { "fs_min_getattr_ops_per_sec", JOB_PART_WEATHER },
        { "fs_ave_mds_cpu", JOB_PART_WEATHER },
        { "coverage_factor_nodehrs", JOB_PART_COVERAGE },
        { "fshealth_ost_least_full_id", JOB_PART_HEALTH },
        { "jobsdb_concurrent_nodes", JOB_PART_CO_SCHEDULED },
        { "topology_job_io_nodes_shared", JOB_PART_TOPOLOGY },
        { "site_targets", JOB_PART_SITE },
        { "fabric_other_days", JOB_PART_FABRIC },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_context_done) struct job_context c;
        const struct job_column *column = job_column_find(cases[i].column);
        struct scalar value = column->type == SCALAR_TEXT  ? scalar_text(SPAN("x"))
                              : column->type == SCALAR_I64 ? scalar_i64(0)
                                                           : scalar_double(0);
        job_context_init(&c);
        job_column_set(column, value, &c);
        for (unsigned part = 0; part < JOB_PART_COUNT; part++)
            if (job_context_has(&c, part, NULL) != (part == cases[i].part))
                fail_msg("%s: part %s", cases[i].column, job_part_name(part));
    }
}

static void a_reason_is_no_observation(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    const char *reason = NULL;
    job_context_init(&c);
    c.health.refused = "the last reading is 7 h old";
    assert_false(job_context_has(&c, JOB_PART_HEALTH, &reason));
    assert_string_equal(reason, "the last reading is 7 h old");
    c.health.ost_count = 0;
    assert_true(job_context_has(&c, JOB_PART_HEALTH, &reason));
    assert_null(reason);
    c.topology.refused = "no list";
    assert_false(job_context_has(&c, JOB_PART_TOPOLOGY, &reason));
    assert_string_equal(reason, "no list");
    assert_false(job_context_has(&c, JOB_PART_SITE, &reason));
    assert_null(reason);
}

static void a_copy_outlives_what_it_is_of(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context copy;
    struct job_context c;
    job_context_init(&c);
    c.identity.cluster = job_context_text(&c, "alex");
    c.identity.id = job_context_text(&c, "4711");
    c.identity.state = job_context_text(&c, "COMPLETED");
    c.identity.end_ns = 77;
    c.weather.flows[LMT_READ_BYTES].total = 3;
    c.facts.nprocs = 0;
    job_context_init(&copy);
    assert_int_equal(job_context_copy(&c, &copy), 0);
    job_context_done(&c);
    assert_string_equal(copy.identity.cluster, "alex");
    assert_string_equal(copy.identity.id, "4711");
    assert_string_equal(copy.identity.state, "COMPLETED");
    assert_true(copy.identity.end_ns == 77);
    assert_true(copy.weather.flows[LMT_READ_BYTES].total == 3);
    assert_int_equal(copy.facts.nprocs, 0);
    assert_true(copy.facts.start_s == JOB_I64_NONE);
}

static void a_record_tells_who_and_when(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    const struct job record = { .cluster = SPAN("alex"),
                                .user = SPAN("a\x01z"),
                                .state = SPAN("TIMEOUT"),
                                .submit_ns = 1,
                                .start_ns = 2,
                                .end_ns = JOB_TIME_NONE };
    job_context_init(&c);
    c.identity.account = "of-before";
    job_context_set_record(&c, &record);
    assert_string_equal(c.identity.user, "a\\x01z");
    assert_string_equal(c.identity.cluster, "alex");
    assert_string_equal(c.identity.state, "TIMEOUT");
    assert_string_equal(c.identity.account, "of-before");
    assert_true(c.identity.start_ns == 2 && c.identity.end_ns == JOB_TIME_NONE);
}

static void fabrics_that_nobody_measured_have_a_name_alone(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    char san[] = "san", fs0[] = "fs0";
    const struct fabric unknown = { .fabrics = san, .days = 3 };
    const struct fabric known = { .is_known = true,
                                  .fabrics = san,
                                  .names = fs0,
                                  .read = 5,
                                  .written = NAN,
                                  .days = 6 };
    job_context_init(&c);
    job_context_set_fabric(&c, &unknown);
    assert_string_equal(c.fabric.fabrics, "san");
    assert_null(c.fabric.names);
    assert_true(isnan(c.fabric.read) && c.fabric.days == JOB_I64_NONE);
    job_context_set_fabric(&c, &known);
    assert_string_equal(c.fabric.names, "fs0");
    assert_true(c.fabric.read == 5 && isnan(c.fabric.written) && c.fabric.days == 6);
}

static void texts_beyond_the_limit_are_an_error(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    const size_t size = (size_t)2 << 20;
    AUTO_FREE char *text = calloc(size, 1);
    job_context_init(&c);
    memset(text, 'x', size - 1);
    assert_null(job_context_text(&c, text));
    assert_int_equal(c.error, -ENOMEM);
    assert_null(job_context_text(&c, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_context_has_no_part),
        cmocka_unit_test(one_value_makes_its_part_and_no_other),
        cmocka_unit_test(a_reason_is_no_observation),
        cmocka_unit_test(a_copy_outlives_what_it_is_of),
        cmocka_unit_test(a_record_tells_who_and_when),
        cmocka_unit_test(fabrics_that_nobody_measured_have_a_name_alone),
        cmocka_unit_test(texts_beyond_the_limit_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
