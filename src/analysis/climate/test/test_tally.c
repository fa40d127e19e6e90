/* SPDX-License-Identifier: Apache-2.0 */
/* test_tally - a scoreboard: sums by name, shares, and what rows lack. */
#include "analysis/climate/tally.h"
#include "analysis/climate/test/runs_of.h"

#include <errno.h>
#include <math.h>

static const char csv[] = "user,app,bytes,hours\n"
                          "anna,ior,10,1\n"
                          "bert,ior,30,\n"
                          "anna,hacc,20,2\n"
                          ",ior,40,4\n"
                          "cara,,x,8\n";

static int tally(struct tally_opts *opts, struct table *t, struct err *err)
{
    static const struct mapping_items none;
    char *paths[] = { (char *)(uintptr_t)runs_text_write("t.csv", csv) };
    opts->columns = &none;
    return tally_make(opts, paths, 1, t, err);
}

/* By users: anna 30, bert 30, cara 0 of 100 in all (40 are of a row without a user). */
static void sums_are_by_name_the_largest_first(void **state)
{
    (void)state;
    AUTO(table_done) struct table t = { 0 };
    struct tally_opts opts = { .boards = { { "user", "user" } },
                               .board_count = 1,
                               .scores = { { "bytes", "bytes" }, { "hours", "hours" } },
                               .score_count = 2 };
    assert_int_equal(tally(&opts, &t, NULL), 0);
    static const struct {
        const char *name;
        uint64_t runs;
        double share, bytes, hours;
    } expected[] = { { "anna", 2, 0.3, 30, 3 },
                     { "bert", 1, 0.3, 30, 0 },
                     { "cara", 1, 0, 0, 8 } };
    assert_int_equal(t.row_count, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_string_equal(table_at(&t, i, 0)->text, "user");
        assert_string_equal(table_at(&t, i, 1)->text, expected[i].name);
        assert_int_equal(table_at(&t, i, 2)->u64, expected[i].runs);
        assert_true(fabs(table_at(&t, i, 3)->dbl - expected[i].share) < 1e-12);
        assert_true(table_at(&t, i, 4)->dbl == expected[i].bytes);
        assert_true(table_at(&t, i, 5)->dbl == expected[i].hours);
    }
    /* One row has no user, one no bytes, one no hours. */
    assert_int_equal(t.note_count, 3);
}

static void another_score_may_order_them(void **state)
{
    (void)state;
    AUTO(table_done) struct table t = { 0 };
    struct tally_opts opts = { .boards = { { "user", "user" } },
                               .board_count = 1,
                               .scores = { { "bytes", "bytes" }, { "hours", "hours" } },
                               .score_count = 2,
                               .order = 1,
                               .top = 1 };
    assert_int_equal(tally(&opts, &t, NULL), 0);
    assert_int_equal(t.row_count, 1);
    assert_string_equal(table_at(&t, 0, 1)->text, "cara");
    assert_true(fabs(table_at(&t, 0, 3)->dbl - 8.0 / 15) < 1e-12);
    assert_string_equal(t.notes[0], "user: 2 more");
}

static void boards_are_one_after_the_other(void **state)
{
    (void)state;
    AUTO(table_done) struct table t = { 0 };
    struct tally_opts opts = { .boards = { { "app", "app" }, { "who", "user" } },
                               .board_count = 2,
                               .scores = { { "twice", "2 * bytes" } },
                               .score_count = 1 };
    assert_int_equal(tally(&opts, &t, NULL), 0);
    assert_int_equal(t.row_count, 2 + 3);
    assert_string_equal(table_at(&t, 0, 1)->text, "ior");
    assert_true(table_at(&t, 0, 4)->dbl == 160);
    assert_string_equal(table_at(&t, 2, 0)->text, "who");
}

static void columns_must_be_there_unless_optional(void **state)
{
    (void)state;
    struct table t;
    struct err err = { 0 };
    static const char *optional[] = { "nothing" };
    struct tally_opts opts = { .boards = { { "user", "user" } },
                               .board_count = 1,
                               .scores = { { "x", "nothing" } },
                               .score_count = 1 };
    assert_int_equal(tally(&opts, &t, &err), -EINVAL);
    assert_non_null(strstr(err.text, "nothing"));
    opts.optional = (struct config_list){ optional, 1 };
    assert_int_equal(tally(&opts, &t, NULL), 0);
    assert_true(table_at(&t, 0, 4)->is_null); /* no row has it */
    table_done(&t);
    opts.scores[0].formula = "1 +";
    assert_int_equal(tally(&opts, &t, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_by_name_the_largest_first),
        cmocka_unit_test(another_score_may_order_them),
        cmocka_unit_test(boards_are_one_after_the_other),
        cmocka_unit_test(columns_must_be_there_unless_optional),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
