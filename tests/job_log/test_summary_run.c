/* SPDX-License-Identifier: Apache-2.0 */
/* test_summary_run - logs of operands become rows once, wherever rows go. */
#include "base/span.h"
#include "base/test/directory.h"
#include "client/job/job.h"
#include "job_log_fixture.h"

#include <string.h>

static char dir[DIRECTORY_PATH_MAX];

static int logs_make(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    directory_make(dir);
    log_fill(&m);
    log_make(&m, &bytes);
    directory_write(dir, "a.darshan", bytes.data, bytes.size);
    directory_write(dir, "b.darshan", bytes.data, bytes.size);
    directory_write(dir, "c.darshan", "no log", 6);
    return 0;
}

static int logs_remove(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

struct seen {
    struct strbuf rows, warnings;
    size_t steps, last, count;
    int rc; /* of a row */
};

static void seen_done(struct seen *seen)
{
    strbuf_done(&seen->rows);
    strbuf_done(&seen->warnings);
}
DEFINE_AUTO_DONE(struct seen, seen_done);

static void on_warning(void *arg, const char *text)
{
    struct seen *seen = arg;
    strbuf_addf(&seen->warnings, "%s\n", text);
}

static void csv_print(void *arg, const struct job_context *context, bool is_stored,
                      struct strbuf *out)
{
    (void)arg;
    assert_false(is_stored);
    job_context_print_csv(context, out);
}

static int on_row(void *arg, struct span row, struct err *err)
{
    struct seen *seen = arg;
    strbuf_add_span(&seen->rows, row);
    return seen->rc < 0 ? err_set(err, -seen->rc, "the disk is full") : 0;
}

static void on_progress(void *arg, size_t done, size_t count)
{
    struct seen *seen = arg;
    seen->steps++;
    seen->last = done;
    seen->count = count;
}

static int run(struct seen *seen, const char *resume, bool again, const char *operand,
               struct job_summary_counts *ret, struct err *err)
{
    struct job_sources_opts sources = { .access = { .log = on_warning,
                                                    .log_arg = seen } };
    const struct job_summary_run_opts opts = { .sources = &sources,
                                               .resume = resume,
                                               .again = again,
                                               .workers = 2,
                                               .arg = seen,
                                               .print = csv_print,
                                               .row = on_row,
                                               .progress = on_progress };
    char *operands[] = { (char *)(uintptr_t)operand };
    return job_summary_run(&opts, operands, 1, ret, err);
}

static size_t lines_of(const struct strbuf *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->size; i++)
        count += text->data[i] == '\n';
    return count;
}

static void logs_of_a_directory_are_rows_but_those_that_cannot_be_read(void **state)
{
    (void)state;
    AUTO(seen_done) struct seen seen = { .rows = STRBUF_INIT, .warnings = STRBUF_INIT };
    struct job_summary_counts counts;
    struct err err = { 0 };
    assert_int_equal(run(&seen, NULL, false, dir, &counts, &err), 0);
    assert_int_equal(counts.logs, 3);
    assert_int_equal(counts.lost, 1);
    assert_int_equal(counts.unread, 0);
    assert_int_equal(lines_of(&seen.rows), 2);
    assert_true(span_starts(strbuf_span(&seen.rows), "4711,scratch,1500000000,"));
    assert_non_null(strstr(strbuf_text(&seen.warnings), "c.darshan"));
    assert_non_null(strstr(strbuf_text(&seen.warnings), "1 of 3 logs gave no row"));
    assert_int_equal(seen.steps, 3);
    assert_int_equal(seen.last, 3);
    assert_int_equal(seen.count, 3);
}

static void a_resumed_file_gets_each_log_once(void **state)
{
    (void)state;
    char csv[DIRECTORY_PATH_MAX];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct job_summary_counts counts;
    struct err err = { 0 };
    static const struct {
        bool again;
        size_t logs, lines; /* the header is one */
        const char *warning;
    } cases[] = {
        { false, 3, 3, "1 of 3 logs gave no row" },
        { false, 1, 3, "2 of 3 logs had a row already" },
        { true, 3, 5, "1 of 3 logs gave no row" },
    };
    (void)snprintf(csv, sizeof csv, "%.400s/rows.csv", dir);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(seen_done)
        struct seen seen = { .rows = STRBUF_INIT, .warnings = STRBUF_INIT };
        assert_int_equal(run(&seen, csv, cases[i].again, dir, &counts, &err), 0);
        assert_int_equal(counts.logs, cases[i].logs);
        assert_int_equal(seen.rows.size, 0); /* to the file alone */
        assert_non_null(strstr(strbuf_text(&seen.warnings), cases[i].warning));
        strbuf_clear(&text);
        directory_read(dir, "rows.csv", &text);
        assert_int_equal(lines_of(&text), cases[i].lines);
    }
}

static void a_row_that_cannot_be_written_ends_the_run(void **state)
{
    (void)state;
    AUTO(seen_done)
    struct seen seen = { .rows = STRBUF_INIT, .warnings = STRBUF_INIT, .rc = -ENOSPC };
    struct job_summary_counts counts;
    struct err err = { 0 };
    assert_int_equal(run(&seen, NULL, false, dir, &counts, &err), -ENOSPC);
    assert_string_equal(err.text, "the disk is full");
    assert_int_equal(lines_of(&seen.rows), 1);
}

static void an_id_without_a_barod_is_an_error(void **state)
{
    (void)state;
    AUTO(seen_done) struct seen seen = { .rows = STRBUF_INIT, .warnings = STRBUF_INIT };
    struct job_summary_counts counts;
    struct err err = { 0 };
    struct job_sources_opts sources = { .access = { .log = on_warning,
                                                    .log_arg = &seen,
                                                    .server = "unix:/no/barod.sock" } };
    const struct job_summary_run_opts opts = {
        .sources = &sources, .arg = &seen, .print = csv_print, .row = on_row
    };
    char id[] = "4711", *operands[] = { id };
    int rc = job_summary_run(&opts, operands, 1, &counts, &err);
    assert_int_equal(rc, -ENOTCONN);
    assert_non_null(strstr(err.text, "4711"));
}

static void nothing_is_read_where_the_inputs_cannot_be(void **state)
{
    (void)state;
    AUTO(seen_done) struct seen seen = { .rows = STRBUF_INIT, .warnings = STRBUF_INIT };
    struct job_summary_counts counts;
    struct err err = { 0 };
    struct job_sources_opts sources = { .site = "/no/site.conf" };
    const struct job_summary_run_opts opts = {
        .sources = &sources, .arg = &seen, .print = csv_print, .row = on_row
    };
    char *operands[] = { dir };
    assert_int_equal(job_summary_run(&opts, operands, 1, &counts, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/site.conf"));
    assert_int_equal(seen.rows.size, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, logs_make, logs_remove)
    const struct CMUnitTest tests[] = {
        TEST(logs_of_a_directory_are_rows_but_those_that_cannot_be_read),
        TEST(a_resumed_file_gets_each_log_once),
        TEST(a_row_that_cannot_be_written_ends_the_run),
        TEST(an_id_without_a_barod_is_an_error),
        TEST(nothing_is_read_where_the_inputs_cannot_be),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
