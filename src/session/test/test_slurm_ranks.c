/* SPDX-License-Identifier: Apache-2.0 */
/* test_slurm_ranks - ranks from Slurm's environment. */
#include "session/config.h"
#include "session/slurm_ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const slurm_names[] = { "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST",
                                           "SLURMD_NODENAME", "SLURM_NODEID" };

static void set_environment(const char *const values[static 4])
{
    for (size_t i = 0; i < COUNT_OF(slurm_names); i++)
        if (values[i])
            (void)setenv(slurm_names[i], values[i], 1);
        else
            (void)unsetenv(slurm_names[i]);
}

static int clear_environment(void **state)
{
    (void)state;
    set_environment((const char *const[4]){ NULL });
    return 0;
}

static void ranks_of_an_allocation(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *environment[4]; /* step, job, node's name, node's id */
        uint32_t count, rank;
        const char *last;
    } cases[] = {
        { "srun", { "n[01-04]", "n[01-04]", "n03", "2" }, 4, 2, "n04" },
        { "a step of fewer nodes",
          { "n[03-04]", "n[01-04]", "n04", "1" },
          2,
          1,
          "n04" },
        { "a batch script", { NULL, "n[01-02,07],gpu1", "n01", "0" }, 4, 0, "gpu1" },
        { "one node", { NULL, "login1", "login1", "0" }, 1, 0, "login1" },
        { "two dimensions", { NULL, "r[1-2]c[01-03]", NULL, "4" }, 6, 4, "r2c03" },
        { "by id alone", { "n[1-3]", NULL, NULL, "2" }, 3, 2, "n3" },
        { "the name counts before an id of another list",
          { "", "n[1-8]", "n6", "1" },
          8,
          5,
          "n8" },
        { "a name that is not in the list",
          { "n[1-3]", NULL, "elsewhere", "1" },
          3,
          1,
          "n3" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(slurm_ranks_done) struct slurm_ranks ranks = { 0 };
        struct err err = { "" };
        set_environment(cases[i].environment);
        if (session_slurm_ranks(&ranks, &err) < 0)
            fail_msg("%s: %s", cases[i].name, err.text);
        if (ranks.count != cases[i].count || ranks.rank != cases[i].rank ||
            strcmp(hostset_at(ranks.hosts, ranks.count - 1), cases[i].last) != 0)
            fail_msg("%s: rank %u of %u", cases[i].name, ranks.rank, ranks.count);
    }
}

static void what_is_no_allocation_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *environment[4];
        int rc;
        const char *text;
    } cases[] = {
        { { NULL }, -ENOENT, "no allocation of Slurm" },
        { { "", "" }, -ENOENT, "no allocation of Slurm" },
        { { "n[1-", NULL, NULL, "0" }, -EINVAL, "SLURM_STEP_NODELIST: host set" },
        { { NULL, "n[1-3]", NULL, "3" }, -EINVAL, "SLURM_NODEID: '3' is not in 0..2" },
        { { NULL, "n[1-3]", NULL, "-1" }, -EINVAL, "SLURM_NODEID" },
        { { NULL, "no[1-3].such", NULL, NULL }, -EINVAL, "start it there with srun" },
        { { NULL, "n1,n2,n1", NULL, "0" }, -EINVAL, "node 'n1' twice" },
        { { NULL, "n[1-99999999]", NULL, "0" }, -E2BIG, "SLURM_JOB_NODELIST" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct slurm_ranks ranks = { .count = 7 };
        struct err err = { "" };
        set_environment(cases[i].environment);
        if (session_slurm_ranks(&ranks, &err) != cases[i].rc ||
            !strstr(err.text, cases[i].text))
            fail_msg("%zu: %s", i, err.text);
        assert_int_equal(ranks.count, 7);
    }
}

static void a_session_s_plan_by_slurm(void **state)
{
    (void)state;
    struct session_opts opts = { .name = "job",
                                 .hosts = "@slurm",
                                 .address = "%h:8092",
                                 .key_file = "/key",
                                 .fanout = 2,
                                 .period_ns = 10,
                                 .port = 8092 };
    struct err err = { "" };
    AUTO(session_plan_done) struct session_plan plan = { 0 }, other = { 0 };
    set_environment((const char *const[4]){ "n[1-7]", NULL, "n5", "4" });
    assert_int_equal(session_plan_make(&opts, &plan, &err), 0);
    assert_int_equal(plan.rank, 4);
    assert_int_equal(plan.topology->parents[4], 1);
    opts.host = "n6"; /* one that is configured goes first */
    assert_int_equal(session_plan_make(&opts, &other, &err), 0);
    assert_int_equal(other.rank, 5);
    set_environment((const char *const[4]){ NULL });
    struct session_plan none = { 0 };
    assert_int_equal(session_plan_make(&opts, &none, &err), -ENOENT);
    assert_non_null(strstr(err.text, "session.hosts: neither SLURM_STEP_NODELIST"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(ranks_of_an_allocation, clear_environment),
        cmocka_unit_test_teardown(what_is_no_allocation_is_refused, clear_environment),
        cmocka_unit_test_teardown(a_session_s_plan_by_slurm, clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
