/* SPDX-License-Identifier: Apache-2.0 */
/* test_process_job - whose job a process is in, and who it may be. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/system/process_job.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>
#include <sys/stat.h>

static void a_job_is_where_slurm_puts_it(void **state)
{
    static const struct {
        const char *text, *job;
    } texts[] = {
        { "0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0\n", "4711" },
        { "0::/system.slice/n001_slurmstepd.scope/job_12\n", "12" },
        { "4:memory:/slurm/uid_1000/job_7/step_batch\n0::/\n", "7" },
        { "1:name=systemd:/\n4:cpuacct,cpu:/slurm_n001/uid_0/job_8\n", "8" },
        { "0::/system.slice/slurmstepd.scope/job_9", "9" },
        /* A user may make these below what is delegated to her. */
        { "0::/user.slice/slurmstepd.scope/job_4711\n", NULL },
        { "0::/user.slice/user-1000.slice/system.slice/slurmstepd.scope/job_1\n",
          NULL },
        { "0::/system.slice/my.service/slurmstepd.scope/job_1\n", NULL },
        { "0::/../system.slice/slurmstepd.scope/job_1\n", NULL },
        { "0::/system.slice/_slurmstepd.scope/job_1\n", NULL },
        { "0::/system.slice/slurmstepd.scope/job_\n", NULL },
        { "0::/system.slice/slurmstepd.scope/job_1x\n", NULL },
        { "0::/system.slice/slurmstepd.scope/system\n", NULL },
        { "4:memory:/slurmx/uid_1/job_1\n", NULL },
        { "0::/system.slice/slurmstepd.scope/job_12345678901234567890123456789012\n",
          NULL },
        { "job_1\n::\n\n:", NULL },
        { "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char job[JOB_ID_BYTES] = "";
        bool found = process_job_of_text(span_of(texts[i].text), job);
        if (found != (texts[i].job != NULL) ||
            (found && strcmp(job, texts[i].job) != 0))
            fail_msg("%s: '%s'", texts[i].text, job);
    }
}

static void cgroup_put(const char *text)
{
    FILE *f = fopen(scratch_path("root/proc/42/cgroup"), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
}

static void a_process_has_to_be_its_user_s(void **state)
{
    char job[JOB_ID_BYTES] = "";
    (void)state;
    assert_int_equal(mkdir(scratch_path("root"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("root/proc"), 0700), 0);
    assert_int_equal(mkdir(scratch_path("root/proc/42"), 0700), 0);
    cgroup_put("0::/system.slice/slurmstepd.scope/job_4711/step_0\n");
    const char *root = scratch_path("root");
    assert_int_equal(process_job_find(root, 42, getuid(), job), 0);
    assert_string_equal(job, "4711");
    assert_int_equal(process_job_find(root, 42, getuid() + 1, job), -ESRCH);
    assert_int_equal(process_job_find(root, 43, getuid(), job), -ESRCH);
    cgroup_put("0::/init.scope\n");
    assert_int_equal(process_job_find(root, 42, getuid(), job), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_where_slurm_puts_it),
        cmocka_unit_test(a_process_has_to_be_its_user_s),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
