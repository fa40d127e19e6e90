/* SPDX-License-Identifier: Apache-2.0 */
/* test_rows - tables of any columns, row by row, and what formulas make of them. */
#include "analysis/table/table.h"
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static int scratch_make(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/baro-rows.XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int scratch_remove(void **state)
{
    (void)state;
    return unlink(path);
}

/* ---- what rows say, as text ---- */

struct reading {
    size_t formulas;
    struct strbuf out; /* "value|value\n" a row, "! where: what\n" a fault */
    size_t stop_at;    /* row at which the reader fails; 0: never */
};

static int on_row(void *arg, struct rows *rows)
{
    struct reading *r = arg;
    for (size_t i = 0; i < r->formulas; i++) {
        struct span text = rows_value_text(rows, (int)i);
        strbuf_addf(&r->out, "%s" SPAN_FMT, i ? "|" : "", SPAN_ARG(text));
    }
    strbuf_addc(&r->out, '\n');
    return r->stop_at != 0 && rows_count(rows) == r->stop_at ? -ENOSPC : 0;
}

static void on_fault(void *arg, const char *where, const char *what)
{
    struct reading *r = arg;
    const char *name = strrchr(where, ':');
    strbuf_addf(&r->out, "! %s: %s\n", name ? name + 1 : where, what);
}

static const struct mapping_items none = { .count = 0 };

static struct rows *rows_make(const struct mapping_items *columns,
                              const struct sheet *form, const char *const *formulas,
                              struct reading *r)
{
    struct rows *rows = NULL;
    assert_int_equal(rows_new(columns, form, &rows), 0);
    for (r->formulas = 0; formulas[r->formulas]; r->formulas++)
        assert_int_equal(rows_add_formula(rows, "formula", formulas[r->formulas]),
                         (int)r->formulas);
    return rows;
}

static int text_read(struct rows *rows, const char *text, struct reading *r,
                     struct err *err)
{
    const struct rows_reader reader = { on_row, on_fault, r };
    assert_int_equal(file_replace(path, text, strlen(text), 0600, NULL), 0);
    return rows_read_file(rows, path, &reader, err);
}

static void text_gives(const struct sheet *form, const char *text,
                       const char *const *formulas, const char *want)
{
    struct reading r = { .out = STRBUF_INIT };
    AUTO(rows_free) struct rows *rows = rows_make(&none, form, formulas, &r);
    struct err err = { 0 };
    if (text_read(rows, text, &r, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&r.out), want);
    strbuf_done(&r.out);
}

#define FORMULAS(...)     \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* ---- tables ---- */

static void columns_are_found_by_their_names(void **state)
{
    (void)state;
    text_gives(&sheet_default, "a, b ,c\n1,2,x\n3,,y\n",
               FORMULAS("a + b", "c", "missing(b)", "missing(nowhere)", "a"),
               "3|x|0|1|1\n|y|1|1|3\n");
    /* pandas writes an index in front, with a name or without. */
    text_gives(&sheet_default, "a,b\n0,1,2\n1,3,4\n", FORMULAS("a", "b"), "1|2\n3|4\n");
    text_gives(&sheet_default, ",a,b\n0,1,2\n", FORMULAS("a", "b"), "1|2\n");
    /* The second of one name has a number. */
    text_gives(&sheet_default, "a,a,a\n1,2,3\n", FORMULAS("a", "[a#2]", "[a#3]"),
               "1|2|3\n");
    text_gives(&sheet_default, "a\n", FORMULAS("a"), "");
}

static void a_sheet_without_names_is_given_them(void **state)
{
    (void)state;
    struct sheet form = sheet_default;
    form.names = "a, b";
    text_gives(&form, "1,2\n3,4\n", FORMULAS("b", "a"), "2|1\n4|3\n");
    form.skip_rows = 1;
    text_gives(&form, "1,2\n3,4\n", FORMULAS("b"), "4\n");
    form.names = NULL;
    text_gives(&form, "a,b\nunits,units\n3,4\n", FORMULAS("b"), "4\n");
    form.skip_rows = 9; /* more than there are */
    text_gives(&form, "a,b\n1,2\n3,4\n", FORMULAS("b"), "");
}

static void rows_of_another_length_are_faults(void **state)
{
    (void)state;
    text_gives(
        &sheet_default, "a,b,c\n1,2,3\n1\n4,5,6,7,8\n7,8,9\n", FORMULAS("a"),
        "1\n"
        "! 3: has 1 field, not 3 as the names; divided by ',', which 'separator' "
        "of [table] can change\n"
        "! 4: has 5 fields, not 3 as the names; divided by ',', which 'separator' "
        "of [table] can change\n"
        "7\n");
    text_gives(&sheet_default, "a\tb\n1\t2\n1\t2\t3\t4\n", FORMULAS("b"),
               "2\n! 3: has 4 fields, not 2 as the names; divided by tabs (\t), which "
               "'separator' of [table] can change\n");
    text_gives(&sheet_default, "a,b\n1,\"2\n3,4\n", FORMULAS("a"),
               "! 2: a quote in this row is never closed, and holds the rest of the "
               "file; 'quotes = no' of [table] makes it a character\n");
}

static void a_wide_column_is_a_run_of_its_own(void **state)
{
    (void)state;
    static const char *patterns[] = { "t*", "last" };
    struct sheet form = sheet_default;
    struct err err = { 0 };
    form.wide = (struct config_list){ patterns, COUNT_OF(patterns) };
    text_gives(&form, "host,t1,t2,last\na,1,2,3\nb,4,,6\n",
               FORMULAS("host", "column", "cell", "t1"),
               "a|t1|1|1\na|t2|2|1\na|last|3|1\nb|t1|4|4\nb|last|6|4\n");
    struct reading r = { .out = STRBUF_INIT };
    AUTO(rows_free) struct rows *rows = rows_make(&none, &form, FORMULAS("cell"), &r);
    assert_int_equal(text_read(rows, "host,other\na,1\n", &r, &err), -EINVAL);
    assert_non_null(strstr(err.text, "'wide' of [table] is the name of no column"));
    strbuf_done(&r.out);
}

static void rows_of_a_long_table_are_one_run_together(void **state)
{
    (void)state;
    static const char *by[] = { "run" };
    struct sheet form = sheet_default;
    struct reading r = { .out = STRBUF_INIT };
    struct err err = { 0 };
    form.long_by = (struct config_list){ by, 1 };
    form.long_name = "metric";
    form.long_value = "value";
    AUTO(rows_free)
    struct rows *rows =
        rows_make(&none, &form, FORMULAS("run", "speed", "load", "missing(load)"), &r);
    static const char text[] = "run,metric,value\n1,speed,10\n2,speed,20\nbad\n"
                               "1,load,5\n1,load,6\n1,speed,7\n";
    assert_int_equal(text_read(rows, text, &r, &err), 0);
    assert_string_equal(strbuf_text(&r.out),
                        "! 4: has 1 field, not 3 as the names; divided by ',', which "
                        "'separator' of [table] can change\n1|10|5|0\n2|20||1\n");
    assert_int_equal(rows_doubles(rows), 2); /* load and speed of run 1 */
    assert_int_equal(text_read(rows, text, &r, &err), 0);
    assert_int_equal(rows_doubles(rows), 4); /* of all tables */
    assert_int_equal(text_read(rows, "run,what,value\n1,a,2\n", &r, &err), -EINVAL);
    assert_non_null(strstr(err.text, "'metric'"));
    assert_int_equal(rows_doubles(rows), 4);
    strbuf_done(&r.out);
}

static void columns_are_made_in_their_order(void **state)
{
    (void)state;
    static const struct mapping_items columns = {
        .items = { { .name = "twice", .formula = "a * 2" },
                   { .name = "a", .formula = "a + 100" }, /* of the file's a */
                   { .name = "both", .formula = "twice + a" } },
        .count = 3,
    };
    struct reading r = { .out = STRBUF_INIT };
    AUTO(rows_free)
    struct rows *rows =
        rows_make(&columns, &sheet_default, FORMULAS("twice", "a", "both", "file"), &r);
    assert_int_equal(text_read(rows, "a\n1\n2\n", &r, NULL), 0);
    AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
    const char *name = strrchr(path, '/') + 1;
    strbuf_addf(&want, "2|101|103|%s\n4|102|106|%s\n", name, name);
    assert_string_equal(strbuf_text(&r.out), strbuf_text(&want));
    assert_true(rows_has(rows, "a") && rows_has(rows, "both"));
    assert_false(rows_has(rows, "b"));
    /* Another table has other columns. */
    strbuf_clear(&r.out);
    assert_int_equal(text_read(rows, "b,a\n9,5\n", &r, NULL), 0);
    assert_ptr_equal(strstr(strbuf_text(&r.out), "10|105|115|"), r.out.data);
    assert_true(rows_has(rows, "b"));
    assert_int_equal(rows_count(rows), 3);
    strbuf_done(&r.out);
}

/* ---- jobs ---- */

static void a_job_is_a_row_too(void **state)
{
    (void)state;
    struct reading r = { .out = STRBUF_INIT };
    const struct rows_reader reader = { on_row, on_fault, &r };
    AUTO(rows_free)
    struct rows *rows = rows_make(
        &none, &sheet_default,
        FORMULAS("id + 1", "speed", "app", "missing(gone)", "digits + 1", "file"), &r);
    AUTO(job_row_done) struct job_row job;
    job_row_init(&job);
    job_row_i64(&job, "id", 41);
    job_row_double(&job, "speed", 2.5);
    job_row_text(&job, "app", "ior");
    job_row_missing(&job, "gone");
    job_row_text(&job, "digits", "7"); /* as if it came out of a file */
    assert_int_equal(job_row_error(&job), 0);
    assert_int_equal(rows_read_job(rows, &job, "/x/run.darshan", &reader, NULL), 0);
    assert_string_equal(strbuf_text(&r.out), "42|2.5|ior|1|8|run.darshan\n");
    strbuf_done(&r.out);
}

static void a_number_that_is_a_name_has_no_point(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *name;
    } cases[] = {
        { "16.0", "16" }, { "16.00", "16" },  { "1600", "1600" }, { "16.50", "16.50" },
        { "0", "0" },     { "0.0", "0" },     { "-8.0", "-8" },   { "v1.0", "v1.0" },
        { "", "" },       { "100.0", "100" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct reading r = { .out = STRBUF_INIT };
        const struct rows_reader reader = { on_row, on_fault, &r };
        AUTO(rows_free)
        struct rows *rows = rows_make(&none, &sheet_default, FORMULAS("a"), &r);
        AUTO(job_row_done) struct job_row job;
        job_row_init(&job);
        job_row_text(&job, "a", cases[i].cell);
        assert_int_equal(rows_read_job(rows, &job, "x", &reader, NULL), 0);
        struct span name = rows_value_name(rows, 0);
        if (!span_is(name, cases[i].name))
            fail_msg("'%s': '" SPAN_FMT "'", cases[i].cell, SPAN_ARG(name));
        strbuf_done(&r.out);
    }
}

/* ---- errors ---- */

static void what_cannot_be_understood_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *text, *reason;
        int rc;
    } cases[] = {
        { "a +", "a\n1\n", "formula: 'a +': column 4", -EINVAL },
        { "a", "", "the file is empty", -ENODATA },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct reading r = { .out = STRBUF_INIT };
        struct err err = { 0 };
        AUTO(rows_free)
        struct rows *rows =
            rows_make(&none, &sheet_default, FORMULAS(cases[i].formula), &r);
        int rc = text_read(rows, cases[i].text, &r, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d: %s", cases[i].formula, rc, err.text);
        strbuf_done(&r.out);
    }
    struct reading r = { .out = STRBUF_INIT };
    const struct rows_reader reader = { on_row, on_fault, &r };
    AUTO(rows_free)
    struct rows *rows = rows_make(&none, &sheet_default, FORMULAS("a"), &r);
    assert_int_equal(rows_read_file(rows, "/no/such", &reader, NULL), -ENOENT);
    strbuf_done(&r.out);
}

static void a_reader_ends_the_reading(void **state)
{
    (void)state;
    struct reading r = { .out = STRBUF_INIT, .stop_at = 2 };
    struct err err = { 0 };
    AUTO(rows_free)
    struct rows *rows = rows_make(&none, &sheet_default, FORMULAS("a"), &r);
    assert_int_equal(text_read(rows, "a\n1\n2\n3\n", &r, &err), -ENOSPC);
    assert_string_equal(strbuf_text(&r.out), "1\n2\n");
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    strbuf_done(&r.out);
}

static void names_that_no_table_had_are_errors(void **state)
{
    (void)state;
    static const char *may_lack[] = { "later" };
    const struct config_list optional = { may_lack, 1 };
    const struct config_list nothing = { NULL, 0 };
    struct reading r = { .out = STRBUF_INIT };
    struct err err = { 0 };
    AUTO(rows_free)
    struct rows *rows = rows_make(&none, &sheet_default, FORMULAS("a", "later"), &r);
    assert_int_equal(text_read(rows, "a\n1\n", &r, NULL), 0);
    assert_int_equal(rows_check_names(rows, &optional, &err), 0);
    assert_int_equal(rows_check_names(rows, &nothing, &err), -EINVAL);
    assert_non_null(strstr(err.text, "later"));
    /* It is enough that one table has it. */
    assert_int_equal(text_read(rows, "a,later\n1,2\n", &r, NULL), 0);
    assert_int_equal(text_read(rows, "a\n1\n", &r, NULL), 0);
    assert_int_equal(rows_check_names(rows, &nothing, &err), 0);
    strbuf_done(&r.out);
}

static void formulas_are_limited(void **state)
{
    (void)state;
    struct rows *rows = NULL;
    assert_int_equal(rows_new(&none, &sheet_default, &rows), 0);
    for (int i = 0; i < ROWS_FORMULAS_MAX; i++)
        assert_int_equal(rows_add_formula(rows, "f", "1"), i);
    assert_int_equal(rows_add_formula(rows, "f", "1"), -E2BIG);
    rows_free(rows);
    rows_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_their_names),
        cmocka_unit_test(a_sheet_without_names_is_given_them),
        cmocka_unit_test(rows_of_another_length_are_faults),
        cmocka_unit_test(a_wide_column_is_a_run_of_its_own),
        cmocka_unit_test(rows_of_a_long_table_are_one_run_together),
        cmocka_unit_test(columns_are_made_in_their_order),
        cmocka_unit_test(a_job_is_a_row_too),
        cmocka_unit_test(a_number_that_is_a_name_has_no_point),
        cmocka_unit_test(what_cannot_be_understood_is_an_error),
        cmocka_unit_test(a_reader_ends_the_reading),
        cmocka_unit_test(names_that_no_table_had_are_errors),
        cmocka_unit_test(formulas_are_limited),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
