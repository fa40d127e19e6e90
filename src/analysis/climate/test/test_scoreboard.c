/* SPDX-License-Identifier: Apache-2.0 */
/* test_scoreboard - sums by name, shares, and what rows lack. */
#include "analysis/climate/scoreboard_opts.h"
#include "analysis/climate/test/runs_of.h"

#include <errno.h>
#include <math.h>

static const char csv[] = "user,app,bytes,hours\n"
                          "anna,ior,10,1\n"
                          "bert,ior,30,\n"
                          "anna,hacc,20,2\n"
                          ",ior,40,4\n"
                          "cara,,x,8\n";

static int board_make(struct scoreboard_opts *opts, struct scoreboard *ret,
                      struct err *err)
{
    static const struct mapping_items none;
    char *paths[] = { (char *)(uintptr_t)runs_text_write("t.csv", csv) };
    opts->columns = &none;
    return scoreboard_make(opts, paths, 1, ret, err);
}

/* By users: anna 30, bert 30, cara 0 of 100 in all (40 are of a row without a user). */
static void sums_are_by_name_the_largest_first(void **state)
{
    (void)state;
    AUTO(scoreboard_done) struct scoreboard s = { 0 };
    struct scoreboard_opts opts = {
        .boards = { { "user", "user" } },
        .board_count = 1,
        .scores = { { "bytes", "bytes" }, { "hours", "hours" } },
        .score_count = 2,
    };
    assert_int_equal(board_make(&opts, &s, NULL), 0);
    static const struct {
        const char *name;
        uint64_t runs;
        double share, bytes, hours;
    } expected[] = { { "anna", 2, 0.3, 30, 3 },
                     { "bert", 1, 0.3, 30, 0 },
                     { "cara", 1, 0, 0, 8 } };
    assert_string_equal(s.boards[0].name, "user");
    assert_int_equal(s.boards[0].count, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const struct scoreboard_line *line = &s.boards[0].lines[i];
        assert_string_equal(line->name, expected[i].name);
        assert_int_equal(line->runs, expected[i].runs);
        assert_true(fabs(scoreboard_share(&s, line) - expected[i].share) < 1e-12);
        assert_true(line->scores[0] == expected[i].bytes);
        assert_true(line->scores[1] == expected[i].hours);
    }
    assert_int_equal(s.boards[0].nameless, 1);
    assert_int_equal(s.lacking[0], 1);
    assert_int_equal(s.lacking[1], 1);
    assert_int_equal(s.all.runs, 5);
}

static void another_score_may_order_them(void **state)
{
    (void)state;
    AUTO(scoreboard_done) struct scoreboard s = { 0 };
    struct scoreboard_opts opts = {
        .boards = { { "user", "user" } },
        .board_count = 1,
        .scores = { { "bytes", "bytes" }, { "hours", "hours" } },
        .score_count = 2,
        .order = 1,
        .top = 1,
    };
    assert_int_equal(board_make(&opts, &s, NULL), 0);
    assert_int_equal(s.boards[0].count, 1);
    assert_int_equal(s.boards[0].more, 2);
    assert_string_equal(s.boards[0].lines[0].name, "cara");
    assert_true(fabs(scoreboard_share(&s, &s.boards[0].lines[0]) - 8.0 / 15) < 1e-12);
}

static void boards_are_one_after_the_other(void **state)
{
    (void)state;
    AUTO(scoreboard_done) struct scoreboard s = { 0 };
    struct scoreboard_opts opts = { .boards = { { "app", "app" }, { "who", "user" } },
                                    .board_count = 2,
                                    .scores = { { "twice", "2 * bytes" } },
                                    .score_count = 1 };
    assert_int_equal(board_make(&opts, &s, NULL), 0);
    assert_int_equal(s.boards[0].count, 2);
    assert_string_equal(s.boards[0].lines[0].name, "ior");
    assert_true(s.boards[0].lines[0].scores[0] == 160);
    assert_string_equal(s.boards[1].name, "who");
    assert_int_equal(s.boards[1].count, 3);
}

static void columns_must_be_there_unless_optional(void **state)
{
    (void)state;
    AUTO(scoreboard_done) struct scoreboard s = { 0 };
    struct err err = { 0 };
    static const char *optional[] = { "nothing" };
    struct scoreboard_opts opts = { .boards = { { "user", "user" } },
                                    .board_count = 1,
                                    .scores = { { "x", "nothing" } },
                                    .score_count = 1 };
    assert_int_equal(board_make(&opts, &s, &err), -EINVAL);
    assert_non_null(strstr(err.text, "nothing"));
    opts.optional = (struct config_list){ optional, 1 };
    assert_int_equal(board_make(&opts, &s, NULL), 0);
    assert_int_equal(s.lacking[0], s.all.runs); /* no row has it */
    assert_true(isnan(scoreboard_share(&s, &s.boards[0].lines[0])));
    opts.scores[0].formula = "1 +";
    struct scoreboard none = { .score_count = 7 };
    assert_int_equal(board_make(&opts, &none, &err), -EINVAL);
    assert_int_equal(none.score_count, 7);
}

/* ---- scoreboard_opts ---- */

static void without_a_request_job_summaries_are_added_up(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena = { 0 };
    const struct scoreboard_request request = { .order = "node_hours" };
    struct scoreboard_opts opts = { 0 };
    assert_int_equal(scoreboard_opts_init(&request, &arena, &opts, NULL), 0);
    assert_int_equal(opts.board_count, 3);
    assert_string_equal(opts.boards[1].name, "application");
    assert_int_equal(opts.score_count, 3);
    assert_int_equal(opts.order, 1);
    assert_int_equal(opts.top, SCOREBOARD_TOP_DEFAULT);
    assert_int_equal(opts.optional.count, 9);
}

static void a_term_is_a_column_or_a_named_formula(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena = { 0 };
    const char *boards[] = { "account" };
    const char *scores[] = { "cost=a == b", "x" };
    const struct mapping_items columns = { .count = 0 };
    const struct scoreboard_request request = { .boards = { boards, 1 },
                                                .scores = { scores, 2 },
                                                .top = 3 };
    struct scoreboard_opts opts = { .columns = &columns };
    assert_int_equal(scoreboard_opts_init(&request, &arena, &opts, NULL), 0);
    assert_ptr_equal(opts.columns, &columns);
    assert_int_equal(opts.board_count, 1);
    assert_string_equal(opts.boards[0].formula, "account");
    assert_string_equal(opts.scores[0].name, "cost");
    assert_string_equal(opts.scores[0].formula, "a == b");
    assert_string_equal(opts.scores[1].name, "x");
    assert_int_equal(opts.top, 3);
}

static void wrong_requests_name_their_option(void **state)
{
    (void)state;
    static const char *empty[] = { "" };
    static const char *nameless[] = { "=1" };
    static const char *many[SCOREBOARD_TERMS_MAX + 1] = { "a", "b", "c", "d", "e",
                                                          "f", "g", "h", "i" };
    static const struct {
        struct scoreboard_request request;
        const char *want;
    } cases[] = {
        { { .boards = { empty, 1 } }, "--by: '' is not of the form NAME=FORMULA" },
        { { .scores = { nameless, 1 } },
          "--sum: '=1' is not of the form NAME=FORMULA" },
        { { .boards = { many, COUNT_OF(many) } }, "--by: at most 8 of them" },
        { { .order = "x" }, "--order: there is no sum 'x'" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena = { 0 };
        struct scoreboard_opts opts = { .top = 77 };
        struct err err = { 0 };
        assert_int_equal(scoreboard_opts_init(&cases[i].request, &arena, &opts, &err),
                         -EINVAL);
        assert_string_equal(err.text, cases[i].want);
        assert_int_equal(opts.top, 77);
    }
    const struct scoreboard_request most = { .boards = { many, SCOREBOARD_TERMS_MAX } };
    AUTO(arena_done) struct arena arena = { 0 };
    struct scoreboard_opts opts = { 0 };
    assert_int_equal(scoreboard_opts_init(&most, &arena, &opts, NULL), 0);
    assert_int_equal(opts.board_count, SCOREBOARD_TERMS_MAX);
}

static void tables_of_another_kind_are_an_error_by_default(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena = { 0 };
    AUTO(scoreboard_done) struct scoreboard s = { 0 };
    const char *boards[] = { "user" };
    const struct scoreboard_request by_default = { 0 };
    const struct scoreboard_request by_user = { .boards = { boards, 1 } };
    const struct scoreboard empty = { .board_count = 3 };
    struct scoreboard_opts opts = { 0 };
    struct err err = { 0 };
    assert_int_equal(scoreboard_check(&empty, &by_default, &err), -ENODATA);
    assert_non_null(strstr(err.text, "no row names a user"));
    assert_int_equal(scoreboard_check(&empty, &by_user, &err), 0);
    /* This one has users. */
    assert_int_equal(scoreboard_opts_init(&by_default, &arena, &opts, NULL), 0);
    assert_int_equal(board_make(&opts, &s, NULL), 0);
    assert_int_equal(scoreboard_check(&s, &by_default, &err), 0);
    assert_int_equal(s.boards[2].count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_by_name_the_largest_first),
        cmocka_unit_test(another_score_may_order_them),
        cmocka_unit_test(boards_are_one_after_the_other),
        cmocka_unit_test(columns_must_be_there_unless_optional),
        cmocka_unit_test(without_a_request_job_summaries_are_added_up),
        cmocka_unit_test(a_term_is_a_column_or_a_named_formula),
        cmocka_unit_test(wrong_requests_name_their_option),
        cmocka_unit_test(tables_of_another_kind_are_an_error_by_default),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
