/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_usage - what a job was given and used, out of each batch system's form. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/scheduler/scheduler.h"

#include <inttypes.h>

/* "7: cpus=4 gpus=0" */
static void print_usage(struct strbuf *out, const struct job_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct job *job = &list->jobs[i];
        strbuf_addf(out, SPAN_FMT ":", SPAN_ARG(job->id));
        for (enum job_resource what = 0; what < JOB_RESOURCE_COUNT; what++)
            if (job_resource_known(&job->resources, what))
                strbuf_addf(out, " %s=%" PRId64, job_resource_names[what],
                            job->resources.value[what]);
        strbuf_addc(out, '\n');
    }
}

#define SACCT                                                                       \
    "JobID|State|Start|End|TimelimitRaw|AllocTRES|ReqTRES|TotalCPU|TRESUsageInTot|" \
    "MaxRSS|NTasks|ConsumedEnergyRaw|ExitCode|JobName\n"
#define PBS "11/21/2026 02:25:30;E;12.pbs01;user=ann ctime=10 start=20 end=80 "

static const struct {
    const char *name, *text, *want;
} cases[] = {
    { "sacct: the job's line, and of its steps the one with most memory",
      SACCT "7|COMPLETED|100|160|5|cpu=4,mem=8G,gres/gpu=2||01:30.500||||5000|0:0|x\n"
            "7.batch|COMPLETED|100|160||cpu=4||00:30.000|cpu=1,mem=10K|9K|1||0:0|b\n"
            "7.0|COMPLETED|101|150||cpu=4||01:00.500|mem=40K|20K|2||0:0|a.out\n",
      "7: time_limit_s=300 cpus=4 memory_bytes=8589934592 gpus=2 cpu_time_ms=90500 "
      "memory_peak_bytes=40960 task_memory_peak_bytes=20480 energy_j=5000 "
      "exit_status=0 exit_signal=0\n" },
    { "of several tasks without a total the largest is all that is known",
      "JobID|Start|End|MaxRSS|NTasks\n7|100|160||\n7.0|100|160|20K|8\n"
      "8|100|160||\n8.0|100|160|20K|1\n",
      "7: task_memory_peak_bytes=20480\n"
      "8: memory_peak_bytes=20480 task_memory_peak_bytes=20480\n" },
    { "a step counts for the run that it lies in",
      "JobID|State|Start|End|MaxRSS|NTasks\n7|REQUEUED|100|160||\n"
      "7.0|FAILED|100|160|90K|1\n7|COMPLETED|300|400||\n7.0|COMPLETED|300|400|20K|"
      "1\n",
      "7: memory_peak_bytes=92160 task_memory_peak_bytes=92160\n"
      "7: memory_peak_bytes=20480 task_memory_peak_bytes=20480\n" },
    { "a running job has used nothing that is known; a waiting one requests",
      SACCT "7|RUNNING|100|Unknown|5|cpu=4||00:00:00||||0|0:0|x\n"
            "8|PENDING|Unknown|Unknown|5||cpu=9,mem=1M|00:00:00||||0|0:0|x\n",
      "7: time_limit_s=300 cpus=4 gpus=0\n"
      "8: time_limit_s=300 cpus=9 memory_bytes=1048576 gpus=0\n" },
    { "killed by a signal; energy that is not measured; no limit",
      "JobID|Start|End|Timelimit|NCPUS|ExitCode|ConsumedEnergyRaw\n"
      "7|100|160|UNLIMITED|4|0:125|0\n8|100|160|1-00:00:00|x|a:b|\n",
      "7: cpus=4 exit_status=0 exit_signal=125\n8: time_limit_s=86400\n" },
    { "sacct --json",
      "{\"jobs\": [{\"job_id\": 7, \"state\": {\"current\": [\"COMPLETED\"]},"
      "\"time\": {\"start\": 100, \"end\": 160, \"limit\": {\"set\": true,"
      "\"infinite\": false, \"number\": 5}, \"total\": {\"seconds\": 90,"
      "\"microseconds\": 500000}}, \"exit_code\": {\"status\": [\"SUCCESS\"],"
      "\"return_code\": {\"set\": true, \"number\": 3}, \"signal\": {\"id\":"
      "{\"set\": true, \"number\": 9}, \"name\": \"KILL\"}},"
      "\"tres\": {\"allocated\": [{\"type\": \"cpu\", \"name\": \"\", \"id\": 1,"
      "\"count\": 4}, {\"type\": \"mem\", \"name\": \"\", \"count\": 2000},"
      "{\"type\": \"gres\", \"name\": \"gpu:a100\", \"count\": 2}],"
      "\"requested\": [{\"type\": \"cpu\", \"count\": 3}]},"
      "\"steps\": [{\"tres\": {\"requested\": {\"max\": [{\"type\": \"mem\","
      "\"count\": 20480}], \"total\": [{\"type\": \"cpu\", \"count\": 9},"
      "{\"type\": \"mem\", \"count\": 40960}]}, \"consumed\": {\"total\": ["
      "{\"type\": \"mem\", \"count\": 99999999}]}}}, {\"tres\": {\"requested\":"
      "{\"total\": [{\"type\": \"mem\", \"count\": 4096}]}}}], \"name\": \"x\"}]}",
      "7: time_limit_s=300 cpus=4 memory_bytes=2097152000 gpus=2 cpu_time_ms=90500 "
      "memory_peak_bytes=40960 task_memory_peak_bytes=20480 exit_status=3 "
      "exit_signal=9\n" },
    { "squeue --json: a running job, its TRES as text",
      "{\"jobs\": [{\"job_id\": 7, \"job_state\": \"RUNNING\", \"start_time\": 100,"
      "\"cpus\": {\"set\": true, \"number\": 4}, \"tres_alloc_str\":"
      "\"cpu=4,mem=1G,node=1,billing=4\", \"time_limit\": {\"set\": true,"
      "\"infinite\": true, \"number\": 0}, \"exit_code\": {\"return_code\": 0}}]}",
      "7: cpus=4 memory_bytes=1073741824 gpus=0\n" },
    { "the log of PBS",
      PBS "Resource_List.ncpus=8 Resource_List.mem=4gb Resource_List.walltime=01:00:00 "
          "resources_used.cput=00:05:00 resources_used.mem=123kb Exit_status=0\n",
      "12.pbs01: time_limit_s=3600 cpus=8 memory_bytes=4294967296 "
      "cpu_time_ms=300000 "
      "memory_peak_bytes=125952 exit_status=0\n" },
    { "our own names in CSV; what is none is left out",
      "id,start,end,cpus,gpus,cpu_time_ms,exit_status\n7,100,160,4,0,12.5,-1\n"
      "8,100,160,many,,1e300,256\n",
      "7: cpus=4 gpus=0 cpu_time_ms=12\n8: exit_status=256\n" },
    { "hostile lists cost nothing but themselves",
      "{\"jobs\": [{\"job_id\": 7, \"time\": {\"start\": 1, \"end\": 2}, \"tres\":"
      "{\"allocated\": [1, [2, {\"type\": \"cpu\", \"count\": 5}], {\"type\": 3},"
      "{\"type\": \"cpu=9,mem\", \"count\": 1}, {\"type\": \"cpu\", \"count\": -4},"
      "{\"type\": \"cpu\", \"count\": 1e99}, {\"count\": {\"count\": 7}}]},"
      "\"steps\": [[[[[[[[{\"type\": \"mem\", \"count\": 7}]]]]]]]]}]}",
      "7:\n" },
};

static void each_form_brings_what_it_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(job_list_done) struct job_list list;
        const struct job_text_opts opts = { 0 };
        struct err err = { 0 };
        job_list_init(&list);
        int rc = job_text_read(span_of(cases[i].text), &opts, &list, &err);
        print_usage(&out, &list);
        if (rc < 0 || strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: %d %s, got\n%s", cases[i].name, rc, err.text,
                     strbuf_text(&out));
    }
}

static void a_site_names_a_column_of_its_own(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(job_list_done) struct job_list list;
    struct job_names names = { 0 };
    struct err err = { 0 };
    assert_int_equal(job_names_add(&names, SPAN("time_limit_s=limit")), 0);
    assert_int_equal(job_names_add(&names, SPAN("gpus=cards")), 0);
    const struct job_text_opts opts = { .names = &names };
    job_list_init(&list);
    assert_int_equal(job_text_read(SPAN("id,start,end,limit,cards\n7,100,160,90,2\n"),
                                   &opts, &list, &err),
                     0);
    print_usage(&out, &list);
    assert_string_equal(strbuf_text(&out), "7: time_limit_s=90 gpus=2\n");
}

static void the_same_run_again_with_fewer_columns_loses_nothing(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(job_list_done) struct job_list list;
    const struct job_text_opts opts = { 0 };
    struct err err = { 0 };
    job_list_init(&list);
    assert_int_equal(job_text_read(SPAN("id,start,end,cpus\n7,100,160,4\n7,100,160,\n"),
                                   &opts, &list, &err),
                     0);
    print_usage(&out, &list);
    assert_string_equal(strbuf_text(&out), "7: cpus=4\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_brings_what_it_has),
        cmocka_unit_test(a_site_names_a_column_of_its_own),
        cmocka_unit_test(the_same_run_again_with_fewer_columns_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
