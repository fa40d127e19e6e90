/* SPDX-License-Identifier: Apache-2.0 */
/* test_result_screen - a result on a terminal, and where there is none. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define T_MS INT64_C(1669014000789) /* 2022-11-21T07:00:00.789Z */

static void table_fill(struct table *table)
{
    table_init(table);
    table_add_column(table, "job", TABLE_TEXT, "");
    table_add_row(table);
    table_set_text(table, 0, SPAN("4711"));
    table_add_note(table, "oss02: timed out");
}

static const struct result_heading heading = { .now_ms = T_MS,
                                               .interval_ns = 5 * NS_PER_S };

/* What is drawn on such a screen; the caller frees it. */
static char *draw(bool is_terminal, const char *output, struct strbuf *notes)
{
    AUTO(table_done) struct table table;
    char *text = NULL;
    size_t size = 0;
    struct result_form form;
    struct err err = { 0 };
    FILE *out = open_memstream(&text, &size);
    struct screen screen = {
        .out = out, .fd = -1, .is_terminal = is_terminal, .width = 80, .height = 24
    };
    assert_non_null(out);
    table_fill(&table);
    assert_int_equal(result_form_init(&form, output, false, &screen, &err), 0);
    if (result_screen_draw(&screen, &table, &form, &heading, notes, &err) < 0)
        fail_msg("%s", err.text);
    (void)fclose(out);
    return text;
}

static void a_terminal_has_the_time_above_the_table(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    char *text = draw(true, NULL, &notes);
    assert_non_null(strstr(text, "2022-11-21T07:00:00Z  every 5 s, Ctrl-C ends"));
    assert_non_null(strstr(text, "4711"));
    assert_non_null(strstr(text, "oss02: timed out"));
    assert_int_equal(notes.size, 0);
    free(text);
}

static void a_file_has_the_table_alone(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    char *text = draw(false, "json", &notes);
    assert_string_equal(text, "[\n {\"job\":\"4711\"}\n]\n\n");
    assert_string_equal(strbuf_text(&notes), "# oss02: timed out\n");
    free(text);
}

static void a_screen_that_takes_nothing_is_an_error(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(table_done) struct table table;
    struct result_form form;
    struct err err = { 0 };
    FILE *full = fopen("/dev/full", "w");
    struct screen screen = { .out = full, .fd = -1 };
    if (!full)
        skip();
    table_fill(&table);
    assert_int_equal(result_form_init(&form, NULL, false, &screen, &err), 0);
    assert_int_equal(result_screen_draw(&screen, &table, &form, &heading, &notes, &err),
                     -EIO);
    assert_string_equal(err.text, "standard output: Input/output error");
    (void)fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_has_the_time_above_the_table),
        cmocka_unit_test(a_file_has_the_table_alone),
        cmocka_unit_test(a_screen_that_takes_nothing_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
