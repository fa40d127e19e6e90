/* SPDX-License-Identifier: Apache-2.0 */
/* test_batch - which job a campaign runs in, by the environment. */
#include "probe/batch.h"

#include "base/cleanup.h"

#include "base/test/testing.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "SLURM_JOB_ID",        "SLURM_ARRAY_JOB_ID",
                                     "SLURM_ARRAY_TASK_ID", "SLURM_CLUSTER_NAME",
                                     "PBS_JOBID",           "COBALT_JOBID",
                                     "FLUX_JOB_ID",         "LSB_JOBID" };

static void the_job_is_that_of_the_environment(void **state)
{
    static const struct {
        const char *name;
        const char *set[8]; /* name, value ... */
        const char *id, *cluster;
    } cases[] = {
        { "outside of any", { NULL }, "", "" },
        { "Slurm",
          { "SLURM_JOB_ID", "4711", "SLURM_CLUSTER_NAME", "alex" },
          "4711",
          "alex" },
        { "an element of an array",
          { "SLURM_JOB_ID", "4713", "SLURM_ARRAY_JOB_ID", "4711", "SLURM_ARRAY_TASK_ID",
            "2" },
          "4711_2",
          "" },
        { "PBS", { "PBS_JOBID", "17.head" }, "17.head", "" },
        { "Cobalt", { "COBALT_JOBID", "17" }, "17", "" },
        { "a cluster without a job", { "SLURM_CLUSTER_NAME", "alex" }, "", "" },
        { "a control byte", { "SLURM_JOB_ID", "47\n11" }, "", "" },
        { "nothing in it", { "SLURM_JOB_ID", "", "PBS_JOBID", "17" }, "17", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t k = 0; k < COUNT_OF(names); k++)
            (void)unsetenv(names[k]);
        for (size_t k = 0; cases[i].set[k]; k += 2)
            (void)setenv(cases[i].set[k], cases[i].set[k + 1], 1);
        struct batch_job job = batch_job_read();
        if (strcmp(job.id, cases[i].id) != 0 ||
            strcmp(job.cluster, cases[i].cluster) != 0)
            fail_msg("%s: '%s' of '%s'", cases[i].name, job.id, job.cluster);
    }
}

static void an_id_that_is_too_long_is_none(void **state)
{
    char text[BATCH_TEXT_BYTES + 1];
    (void)state;
    for (size_t k = 0; k < COUNT_OF(names); k++)
        (void)unsetenv(names[k]);
    memset(text, '1', sizeof text);
    text[BATCH_TEXT_BYTES] = '\0';
    (void)setenv("PBS_JOBID", text, 1);
    assert_string_equal(batch_job_read().id, "");
    text[BATCH_TEXT_BYTES - 1] = '\0';
    (void)setenv("PBS_JOBID", text, 1);
    assert_string_equal(batch_job_read().id, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_job_is_that_of_the_environment),
        cmocka_unit_test(an_id_that_is_too_long_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
