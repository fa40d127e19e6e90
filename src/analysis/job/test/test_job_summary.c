/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_summary - rows of jobs have the columns that the model's table says. */
#include "analysis/job/job.h"
#include "base/test/testing.h"

/* A row in which whatever can be known of the log alone is known. */
static void row_of_facts(struct job_facts *facts, struct job_row *row)
{
    const struct job_summary summary = { .log = "a.darshan", .facts = facts };
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        facts->posix[i] = (struct job_counter){ 10 + (double)i, 0.5, 7 };
    job_summary_put(&summary, row);
    assert_int_equal(job_row_error(row), 0);
}

static bool is_type(enum job_cell_type cell, enum scalar_type column)
{
    switch (cell) {
    case JOB_CELL_TEXT:
        return column == SCALAR_TEXT;
    case JOB_CELL_I64: /* counters that are whole are written so */
        return column == SCALAR_I64 || column == SCALAR_DOUBLE;
    case JOB_CELL_DOUBLE:
        return column == SCALAR_DOUBLE;
    case JOB_CELL_MISSING:
        break;
    }
    return true;
}

static void every_column_is_in_the_models_table_at_its_place(void **state)
{
    (void)state;
    char app[] = "vpicio_uni";
    struct job_facts facts = { .app = app,
                               .jobid = 7,
                               .nprocs = 4,
                               .start_s = 1489002770,
                               .end_s = 1489002780,
                               .walltime_s = 11.5,
                               .has_posix = true,
                               .posix_records = 3,
                               .posix_mib_per_s = 12.25,
                               .posix_io_s = 1.5,
                               .read = { .api = "posix", .api_bytes = 5 },
                               .write = { .api = "posix", .api_bytes = 6 } };
    AUTO(job_row_done) struct job_row row;
    job_row_init(&row);
    row_of_facts(&facts, &row);
    assert_int_equal(row.count, SUMMARY_COLUMN_COUNT);
    for (size_t i = 0; i < row.count; i++) {
        assert_string_equal(row.cells[i].name, summary_columns[i].name);
        if (!is_type(row.cells[i].type, summary_columns[i].type))
            fail_msg("%s is of another type", row.cells[i].name);
    }
}

static void a_row_as_a_line_comes_back_as_the_same_csv(void **state)
{
    (void)state;
    char app[] = "a,b";
    struct job_facts facts = { .app = app,
                               .jobid = 7,
                               .has_posix = true,
                               .posix_records = 3,
                               .posix_mib_per_s = 1e-7 / 3,
                               .walltime_s = 11.5 };
    AUTO(job_row_done) struct job_row row;
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct summary summary;
    struct err err = { 0 };
    job_row_init(&row);
    arena_init(&arena, 0);
    row_of_facts(&facts, &row);
    job_row_print_json(&row, &line);
    if (summary_read_line(strbuf_span(&line), &arena, &summary, &err) < 0)
        fail_msg("%s", err.text);
    job_row_print_header(&row, &want);
    job_row_print_csv(&row, &want);
    summary_print_csv_header(&got);
    summary_print_csv(&summary, &got);
    assert_string_equal(strbuf_text(&got), strbuf_text(&want));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_in_the_models_table_at_its_place),
        cmocka_unit_test(a_row_as_a_line_comes_back_as_the_same_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
