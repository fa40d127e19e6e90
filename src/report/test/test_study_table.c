/* SPDX-License-Identifier: Apache-2.0 */
/* test_study_table - a study as tables, with notes of the rows that are no runs. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/runs_notes.h"
#include "report/study_table.h"

#include <math.h>

static void notes_are(const struct mapping *m, const struct runs *runs,
                      const char *const *want, size_t count)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    runs_notes_add(m, runs, &table);
    assert_int_equal(table.note_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(table.notes[i], want[i]);
}

static void rows_that_are_no_runs_are_noted(void **state)
{
    (void)state;
    static struct mapping mapping;
    static struct runs runs;
    static const char *const none[] = { "a.csv:2: no time", "2 more bad rows",
                                        "none of 3 rows is a run" };
    mapping.measures.count = 4;
    for (size_t i = 0; i < 4; i++)
        mapping.measures.items[i].name = (const char *const[]){ "a", "b", "c", "d" }[i];
    notes_are(&mapping, &runs, NULL, 0);
    runs.rows = runs.bad_rows = 3;
    runs.fault_count = 1;
    (void)snprintf(runs.faults[0], sizeof runs.faults[0], "%s", none[0]);
    notes_are(&mapping, &runs, none, COUNT_OF(none));

    static const char *const some[] = {
        "measure a is missing in every run",
        "measure b is a number in no run; the first has '1,5': number(), bytes() or "
        "seconds() in its formula or 'decimal' and 'thousands' of [table] make numbers "
        "of texts",
        "measure c is not a number in 4 runs, and missing there; the first has 'n/a'",
        "7 values of a long table were given for their run before, and skipped: does "
        "'long_by' name a run?",
    };
    runs = (struct runs){ .count = 9, .rows = 9, .double_values = 7 };
    runs.measures[1] = (struct runs_measure){ .texts = 9, .text = "1,5" };
    runs.measures[2] = (struct runs_measure){ .numbers = 5, .texts = 4, .text = "n/a" };
    runs.measures[3] = (struct runs_measure){ .numbers = 9 };
    notes_are(&mapping, &runs, some, COUNT_OF(some));
}

static void table_is(const struct table *table, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_print_opts opts = { .raw_units = true };
    table_print(table, TABLE_FORM_CSV, &opts, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void each_part_of_a_study_is_a_table(void **state)
{
    (void)state;
    static struct mapping mapping;
    static struct runs runs;
    static struct study study;
    struct study_count summary[] = { { "rows", 12 } };
    struct study_correlation found[] = {
        { "all", "load", { .count = 12, .r = 0.5, .p = 0.25 } },
        { "all", "flat", { .count = 2, .r = NAN, .p = NAN } },
    };
    struct study_expected expected[] = {
        { span_of("runs"), "12", "12", true },
        { span_of("best"), "3.5", "3.4", false },
    };
    struct figure_known figures[] = { { "runs", 12 }, { "best", 3.5 } };
    study = (struct study){
        .mapping = &mapping,
        .runs = &runs,
        .summary = summary,
        .summary_count = 1,
        .correlations = found,
        .correlation_count = 2,
        .expected = expected,
        .expected_count = 2,
        .figures = figures,
        .figure_count = 2,
    };
    struct study_tables tables;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(study_tables_make(&study, &tables, NULL), 0);
    table_is(&tables.parts[STUDY_SUMMARY], "what,count\nrows,12\n");
    table_is(&tables.parts[STUDY_CORRELATIONS],
             "group,measure,n,r,p\nall,load,12,0.5,0.25\nall,flat,2,,\n");
    table_is(&tables.parts[STUDY_EXPECTED],
             "figure,published,ours,is\nruns,12,12,equal\nbest,3.5,3.4,unlike\n");
    study_tables_done(&tables);
    study_figures_print(&study, &out);
    assert_string_equal(strbuf_text(&out), "runs 12\nbest 3.5\n");
    assert_string_equal(study_part_name(STUDY_REGIONS), "regions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_no_runs_are_noted),
        cmocka_unit_test(each_part_of_a_study_is_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
