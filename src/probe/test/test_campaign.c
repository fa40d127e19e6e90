/* SPDX-License-Identifier: Apache-2.0 */
/* test_campaign - small probes in a scratch directory, their records and text. */
#include "probe/campaign.h"

#include "base/file.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "probe/interface.h"
#include "probe/workers.h"

#include "base/test/scratch.h"

#include <dirent.h>
#include <fcntl.h>

DEFINE_AUTO(struct workers, workers_free);

struct fixture {
    struct plan plan;
    struct campaign_opts opts;
    struct strbuf out;
    size_t prints;
};

static void collect(void *arg, struct span text)
{
    struct fixture *f = arg;
    strbuf_add_span(&f->out, text);
    f->prints++;
}

static int run(struct fixture *f, const char *dir, size_t count, struct err *err)
{
    AUTO(workers_free) struct workers *workers = NULL;
    const struct workers_opts workers_opts = { .count = 2 };
    assert_int_equal(workers_new(&workers_opts, &workers, NULL), 0);
    f->plan.processes = 2;
    f->plan.size_bytes = f->plan.size_bytes ? f->plan.size_bytes : 1 << 20;
    f->plan.file_system = "scratch";
    f->opts.plan = &f->plan;
    f->opts.workers = workers;
    f->opts.interface = interface_find("posix");
    f->opts.dir = dir;
    f->opts.host = "host";
    f->opts.lock = dir; /* of the scratch directory: other tests measure there too */
    f->opts.print = collect;
    f->opts.print_arg = f;
    return campaign_run(&f->opts, shapes, count, err);
}

static size_t count_entries(const char *path)
{
    DIR *dir = opendir(path);
    size_t count = 0;
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.';
    (void)closedir(dir);
    return count;
}

static const char *make_dir(const char *name)
{
    assert_int_equal(file_make_dirs(scratch_path(name), 0755, NULL), 0);
    return scratch_path(name);
}

static void probes_are_printed_and_leave_nothing(void **state)
{
    static const struct {
        enum campaign_form form;
        const char *want;
    } cases[] = {
        { CAMPAIGN_TABLE, " processes " },
        { CAMPAIGN_JSON, "\"host\":" },
        { CAMPAIGN_CSV, "_jobid,_datetime_start," },
    };
    const char *dir = make_dir("work");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f = { .opts = { .form = cases[i].form } };
        struct err err = { 0 };
        if (run(&f, dir, 2, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(f.prints, 2);
        if (!strstr(strbuf_text(&f.out), cases[i].want))
            fail_msg("no %s in %s", cases[i].want, strbuf_text(&f.out));
        assert_int_equal(count_entries(dir), 0);
        strbuf_done(&f.out);
    }
}

static void records_go_into_the_archive(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    const char *archive = scratch_path("archive");
    char path[256];
    static const struct batch_job job = { "4711", "alex" };
    struct fixture f = { .opts = { .archive = archive, .job = &job } };
    size_t lines = 0;
    (void)state;
    assert_int_equal(run(&f, make_dir("archived"), 2, NULL), 0);
    (void)snprintf(path, sizeof path, "%s/runs.csv", archive);
    assert_int_equal(file_read(path, 1 << 20, &rows, NULL), 0);
    for (size_t i = 0; i < rows.size; i++)
        lines += rows.data[i] == '\n';
    assert_int_equal(lines, 5); /* names, and two phases of each */
    assert_non_null(strstr(strbuf_text(&rows), ",4711,alex,"));
    assert_int_equal(count_entries(archive), 2);
    strbuf_done(&f.out);
}

static void a_table_with_other_columns_is_set_aside(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    static const char old[] = "_jobid,_datetime_start\nabc,1\n";
    char archive[256];
    (void)snprintf(archive, sizeof archive, "%s", make_dir("aside"));
    struct fixture f = { .opts = { .archive = archive } };
    (void)state;
    assert_int_equal(
        file_replace(scratch_path("aside/runs.csv"), old, strlen(old), 0644, NULL), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(run(&f, make_dir("aside-work"), 1, NULL), 0);
    assert_int_equal(file_read(scratch_path("aside/runs-1.csv"), 1 << 20, &rows, NULL),
                     0);
    assert_string_equal(strbuf_text(&rows), old);
    assert_int_equal(count_entries(archive), 3); /* two tables, the year */
    strbuf_done(&f.out);
}

static void a_probe_without_time_is_not_begun(void **state)
{
    struct fixture f = { .plan = { .peak_bytes_per_s = 1.0, .deadline_ns = 1 } };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(run(&f, make_dir("late"), 2, &err), -ETIME);
    assert_int_equal(f.prints, 1);
    assert_int_equal(f.out.size, 0);
    assert_int_equal(count_entries(scratch_path("late")), 0);
    strbuf_done(&f.out);
}

static void another_campaign_is_locked_out(void **state)
{
    struct fixture f = { 0 };
    struct err err = { 0 };
    (void)state;
    f.opts.archive = scratch_path("archive of another");
    AUTO_CLOSE int fd = open(make_dir("locked"), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(file_lock(fd), 0);
    assert_true(run(&f, scratch_path("locked"), 1, &err) < 0);
    assert_non_null(strstr(err.text, "another baro-abc runs"));
    assert_int_equal(f.prints, 0);
    strbuf_done(&f.out);
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
    struct fixture f = { 0 };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(run(&f, scratch_path("nowhere"), 1, &err), -ENOENT);
    assert_true(err.text[0]);
    strbuf_done(&f.out);
}

static void forms_are_parsed(void **state)
{
    enum campaign_form form = CAMPAIGN_CSV;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(campaign_form_parse(NULL, &form, &err), 0);
    assert_int_equal(form, CAMPAIGN_TABLE);
    assert_int_equal(campaign_form_parse("json", &form, &err), 0);
    assert_int_equal(form, CAMPAIGN_JSON);
    assert_int_equal(campaign_form_parse("csv", &form, &err), 0);
    assert_int_equal(form, CAMPAIGN_CSV);
    assert_int_equal(campaign_form_parse("xml", &form, &err), -EINVAL);
    assert_int_equal(form, CAMPAIGN_CSV);
    assert_string_equal(err.text, "--output xml: it is table, json or csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_are_printed_and_leave_nothing),
        cmocka_unit_test(records_go_into_the_archive),
        cmocka_unit_test(a_table_with_other_columns_is_set_aside),
        cmocka_unit_test(a_probe_without_time_is_not_begun),
        cmocka_unit_test(another_campaign_is_locked_out),
        cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
        cmocka_unit_test(forms_are_parsed),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
