/* SPDX-License-Identifier: Apache-2.0 */
/* test_climate_tables - noise floors and an UMAMI diagram as tables. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "report/climate_table.h"
#include "report/umami_table.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct floor sets[] = {
    { "ior", 2, 6, 1, 3, { 5, 1.1, 1.2, 1.3, 1.4 }, { 4, 1.01, 1.02, 1.03, 1.04 } },
    { "hacc", 0, 0, 2, 0, { 0, NAN, NAN, NAN, NAN }, { 0, NAN, NAN, NAN, NAN } },
};
static const struct floors floors = {
    .sets = sets,
    .count = 2,
    .all = { NULL, 2, 6, 3, 3, { 5, 1.1, 1.2, 1.3, 1.4 }, { 4, 1, 1, 1, 1 } },
};

static void floors_are_a_row_a_class_and_one_of_all(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    table_init(&t);
    assert_int_equal(floor_table_make(&floors, NULL, &t, NULL), 0);
    assert_int_equal(t.row_count, 3);
    assert_int_equal(t.column_count, 15);
    assert_string_equal(t.columns[5].name, "pairs");
    assert_string_equal(t.columns[6].name, "q50");
    assert_string_equal(t.columns[14].name, "next_q99");
    assert_string_equal(table_at(&t, 0, 0)->text, "ior");
    assert_int_equal(table_at(&t, 0, 3)->u64, 1);
    assert_int_equal(table_at(&t, 0, 5)->u64, 5);
    assert_true(table_at(&t, 0, 8)->dbl == 1.3);
    assert_true(table_at(&t, 0, 14)->dbl == 1.04);
    assert_true(table_at(&t, 1, 6)->is_null); /* no pair, no factor */
    assert_int_equal(table_at(&t, 1, 10)->u64, 0);
    assert_string_equal(table_at(&t, 2, 0)->text, "all");
    assert_int_equal(t.note_count, 0);
}

static void a_pattern_chooses_classes(void **state)
{
    (void)state;
    AUTO(table_done) struct table t, none;
    struct err err = { 0 };
    table_init(&t);
    table_init(&none);
    assert_int_equal(floor_table_make(&floors, "h*", &t, NULL), 0);
    assert_int_equal(t.row_count, 1);
    assert_string_equal(table_at(&t, 0, 0)->text, "hacc");
    assert_int_equal(floor_table_make(&floors, "x*", &none, &err), -ENOENT);
    assert_string_equal(err.text, "of 2 classes none is called 'x*'");
}

static void without_a_pair_there_is_a_note(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    const struct floors lonely = { .sets = sets + 1, .count = 1, .all = sets[1] };
    table_init(&t);
    assert_int_equal(floor_table_make(&lonely, NULL, &t, NULL), 0);
    assert_int_equal(t.note_count, 1);
    assert_string_equal(t.notes[0], "no two runs of a class are equal in all counters");
}

static void an_umami_is_a_row_a_measure(void **state)
{
    (void)state;
    static struct umami_row rows[] = {
        { .name = "cpu",
          .value = 3,
          .q05 = 1,
          .q25 = 2,
          .q50 = 2.5,
          .q75 = 4,
          .q95 = 5,
          .other_count = 9 },
        { .name = "full",
          .value = NAN,
          .q05 = NAN,
          .q25 = NAN,
          .q50 = NAN,
          .q75 = NAN,
          .q95 = NAN },
    };
    const struct umami u = { .rows = rows, .row_count = 2 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    umami_table_print(&u, TABLE_FORM_CSV, &out);
    if (!strstr(strbuf_text(&out),
                "measure,quarter,others,value,q05,q25,q50,q75,q95\n") ||
        !strstr(strbuf_text(&out), ",9,3,1,2,2.5,4,5\n") ||
        !strstr(strbuf_text(&out), ",0,,,,,,\n"))
        fail_msg("%s", strbuf_text(&out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_are_a_row_a_class_and_one_of_all),
        cmocka_unit_test(a_pattern_chooses_classes),
        cmocka_unit_test(without_a_pair_there_is_a_note),
        cmocka_unit_test(an_umami_is_a_row_a_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
