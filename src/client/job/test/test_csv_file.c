/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv_file - a CSV file of summaries grows, and is continued where it was cut. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/job/job.h"

static char path[64];

static int path_make(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/baro-csv.%ld", (long)getpid());
    return 0;
}

static int path_remove(void **state)
{
    (void)state;
    (void)unlink(path);
    return 0;
}

static void file_is(const char *want)
{
    AUTO_FREE char *text = calloc(1, 4096);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    (void)!fread(text, 1, 4095, file);
    (void)fclose(file);
    assert_string_equal(text, want);
}

static void a_new_file_gets_its_header_once(void **state)
{
    (void)state;
    AUTO(job_csv_file_done) struct job_csv_file file = { .fd = -1 };
    assert_int_equal(job_csv_file_open(&file, path, NULL), 0);
    assert_false(job_csv_file_has(&file, "a"));
    assert_int_equal(job_csv_file_add(&file, "_jobid,_log\n", SPAN("1,a\n"), NULL), 0);
    assert_int_equal(job_csv_file_add(&file, "_jobid,_log\n", SPAN("2,b\n"), NULL), 0);
    file_is("_jobid,_log\n1,a\n2,b\n");
}

static void a_cut_line_is_dropped_and_the_rest_is_known(void **state)
{
    (void)state;
    AUTO(job_csv_file_done) struct job_csv_file file = { .fd = -1 };
    static const char cut[] = "_jobid,_log\n1,a\n2,\"b,c\"\n3,d";
    assert_int_equal(file_replace(path, cut, sizeof cut - 1, 0600, NULL), 0);
    assert_int_equal(job_csv_file_open(&file, path, NULL), 0);
    assert_true(job_csv_file_has(&file, "a"));
    assert_true(job_csv_file_has(&file, "b,c"));
    assert_false(job_csv_file_has(&file, "d"));
    assert_int_equal(job_csv_file_add(&file, "_jobid,_log\n", SPAN("4,e\n"), NULL), 0);
    file_is("_jobid,_log\n1,a\n2,\"b,c\"\n4,e\n");
}

static void other_columns_are_refused(void **state)
{
    (void)state;
    struct err err = { 0 };
    {
        AUTO(job_csv_file_done) struct job_csv_file file = { .fd = -1 };
        assert_int_equal(job_csv_file_open(&file, path, NULL), 0);
        assert_int_equal(job_csv_file_add(&file, "_log,x\n", SPAN("1,2\n"), &err),
                         -EINVAL);
    }
    assert_int_equal(file_replace(path, "a,b\n1,2\n", 8, 0600, NULL), 0);
    AUTO(job_csv_file_done) struct job_csv_file file = { .fd = -1 };
    assert_int_equal(job_csv_file_open(&file, path, &err), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_gets_its_header_once),
        cmocka_unit_test(a_cut_line_is_dropped_and_the_rest_is_known),
        cmocka_unit_test(other_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, path_make, path_remove);
}
