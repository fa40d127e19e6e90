/* SPDX-License-Identifier: Apache-2.0 */
/* test_probe_run - which names are records and phases, and what a phase is as a job. */
#include "client/job/job.h"

#include "base/file.h"
#include "base/number.h"

#include "base/test/scratch.h"

#define ID "20261121T030000Z-4711-hacc"

static void names_are_told_apart(void **state)
{
    static const struct {
        const char *name;
        bool is_record, is_phase;
    } cases[] = {
        { "a/" ID ".json", true, false },
        { ID ".json", true, false },
        { ID ".json:write", false, true },
        { "a/" ID ".json:read", false, true },
        { ID ".json:both", false, false },
        { ID ".darshan", false, false },
        { "jobs.json", false, false },
        { "jobs.json:write", false, false },
        { "2026112XT030000Z-1.json", false, false },
        { "20261121T030000Z.json", false, false },
        { ":write", false, false },
        { "", false, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (probe_run_is_record(cases[i].name) != cases[i].is_record ||
            probe_run_is_phase(cases[i].name, NULL) != cases[i].is_phase)
            fail_msg("'%s'", cases[i].name);
}

static const char *record_put(const char *interface)
{
    static char name[256];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *path = scratch_path(ID ".json");
    strbuf_addf(&text,
                "{\"format\":\"baro-abc 1\",\"id\":\"" ID "\",\"mount\":\"/scratch\","
                "\"job\":\"17\",\"cluster\":\"alex\",\"nodes\":\"n[1-2]\","
                "\"file_system\":\"unknown\",\"interface\":\"%s\",\"processes\":2,"
                "\"phases\":[{\"name\":\"hacc_io_fpp_write\",\"start\":"
                "\"2026-11-21T03:00:00.500Z\",\"done\":true,\"bytes\":2097152,"
                "\"files\":2,\"opens\":2,\"transfers\":18,\"wall_s\":1.5,"
                "\"slowest_s\":0.5,\"processes\":[{\"open_s\":0.25,\"close_s\":0.5,"
                "\"transfer_s\":1}]}]}",
                interface);
    assert_int_equal(file_replace(path, text.data, text.size, 0600, NULL), 0);
    (void)snprintf(name, sizeof name, "%s:write", path);
    return name;
}

static void a_phase_is_a_job(void **state)
{
    AUTO(job_context_done) struct job_context c;
    const struct job_inputs inputs = { 0 };
    struct err err = { 0 };
    const char *name = record_put("posix");
    (void)state;
    job_context_init(&c);
    if (probe_run_build(&inputs, name, &c, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(c.identity.id, ID "-write");
    assert_string_equal(c.identity.log, name);
    assert_string_equal(c.identity.cluster, "alex");
    assert_string_equal(c.identity.nodes, "n[1-2]");
    assert_string_equal(c.identity.file_system, "scratch"); /* of the mount */
    assert_string_equal(c.facts.jobid, "17");
    assert_string_equal(c.facts.app, "hacc_io_fpp_write");
    assert_int_equal(c.facts.start_s, INT64_C(1795230000));
    assert_int_equal(c.facts.end_s, INT64_C(1795230002));
    assert_true(c.facts.posix_mib_per_s == 4.0);
    assert_true(c.facts.posix[JOB_POSIX_WRITES].total == 18.0);
    assert_true(c.facts.posix[JOB_POSIX_READS].total == 0.0);
    assert_true(c.facts.posix[JOB_POSIX_F_META_TIME].total == 0.75);
    assert_true(isnan(c.facts.posix[JOB_POSIX_STATS].total));
    assert_true(isnan(c.facts.posix[JOB_POSIX_WRITES].max)); /* of files: not known */
    assert_int_equal(c.facts.write.api_bytes, 2097152);
    assert_int_equal(c.facts.read.api_bytes, 0);
}

static void calls_of_a_library_are_no_calls_of_posix(void **state)
{
    AUTO(job_context_done) struct job_context c;
    const struct job_inputs inputs = { 0 };
    (void)state;
    job_context_init(&c);
    assert_int_equal(probe_run_build(&inputs, record_put("mpiio"), &c, NULL), 0);
    assert_true(isnan(c.facts.posix[JOB_POSIX_WRITES].total));
    assert_true(isnan(c.facts.posix[JOB_POSIX_OPENS].total));
    assert_true(c.facts.posix[JOB_POSIX_BYTES_WRITTEN].total == 2097152.0);
}

static void a_phase_that_is_not_there_is_an_error(void **state)
{
    AUTO(job_context_done) struct job_context c;
    const struct job_inputs inputs = { 0 };
    struct err err = { 0 };
    char name[256];
    (void)state;
    (void)record_put("posix");
    (void)snprintf(name, sizeof name, "%s:read", scratch_path(ID ".json"));
    job_context_init(&c);
    assert_int_equal(probe_run_build(&inputs, name, &c, &err), -ENODATA);
    assert_non_null(strstr(err.text, "did not come to its end"));
    assert_int_equal(probe_run_build(&inputs, "no/" ID ".json:read", &c, &err),
                     -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_told_apart),
        cmocka_unit_test(a_phase_is_a_job),
        cmocka_unit_test(calls_of_a_library_are_no_calls_of_posix),
        cmocka_unit_test(a_phase_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
