/* SPDX-License-Identifier: Apache-2.0 */
/* test_token_report - tokens in tables, as JSON, and the log's sentence of their end.
 */
#include "net/token/token_report.h"

#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW_S INT64_C(1700000000)

static const struct token agent = {
    .role = NET_ROLE_AGENT,
    .id = "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b10",
    .host = "oss01",
    .targets = { "scratch-*" },
    .target_count = 1,
    .issued_s = NOW_S,
    .expires_s = NOW_S + 3600,
};

static void write_new_file(char *template, struct span text)
{
    int fd = mkstemp(template);
    assert_true(fd >= 0);
    assert_true(write(fd, text.data, text.size) == (ssize_t)text.size);
    assert_int_equal(close(fd), 0);
}

static void a_row_has_null_where_a_token_names_none(void **state)
{
    (void)state;
    AUTO(table_done) struct table table;
    table_init(&table);
    token_add_columns(&table);
    token_add_row(&table, &agent, 0);
    token_add_row(&table, &agent, NOW_S + 5);
    assert_int_equal(table_error(&table), 0);
    assert_int_equal(table.row_count, 2);
    assert_true(table_at(&table, 0, 0)->i64 == (NOW_S + 3600) * MS_PER_S);
    assert_true(table_at(&table, 1, 5)->i64 == (NOW_S + 5) * MS_PER_S);
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    table_to_json(&table, &json);
    assert_non_null(strstr(strbuf_text(&json), "\"oss01\",null,"));
}

static void of_a_table_those_stay_that_end_by_then_or_have_ended(void **state)
{
    static const struct {
        int64_t until_s;
        size_t want;
    } cases[] = { { -100, 0 }, { -50, 1 }, { 0, 1 }, { 10, 2 }, { 11, 2 }, { 99, 3 } };
    static const int64_t ends_s[] = { 10, -50, 99 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        table_init(&table);
        token_add_columns(&table);
        for (size_t k = 0; k < COUNT_OF(ends_s); k++) {
            struct token token = agent;
            token.expires_s = NOW_S + ends_s[k];
            token_add_row(&table, &token, 0);
        }
        int64_t until_ms = (NOW_S + cases[i].until_s) * MS_PER_S;
        token_report_expiring(&table, NOW_S * MS_PER_S, cases[i].until_s * NS_PER_S);
        if (table.row_count != cases[i].want)
            fail_msg("until %lld: %zu rows", (long long)cases[i].until_s,
                     table.row_count);
        for (size_t k = 0; k < table.row_count; k++)
            assert_true(table_at(&table, k, 0)->i64 <= until_ms);
    }
}

/* Each is read alone: the first that is bad ends it, with its name. */
static void tokens_are_read_out_of_files(void **state)
{
    char good[] = "/tmp/token-XXXXXX", bad[] = "/tmp/token-XXXXXX";
    char missing[] = "/nonexistent/token";
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(token_key_new(&key, &err), 0);
    assert_int_equal(token_sign(key, &agent, &text, &err), 0);
    strbuf_addc(&text, '\n');
    write_new_file(good, strbuf_span(&text));
    write_new_file(bad, SPAN("no token\n"));
    const struct {
        const char *name;
        char *paths[2];
        size_t count, rows;
        int want;
    } cases[] = {
        { "none", { NULL, NULL }, 0, 0, 0 },
        { "two, with a line end", { good, good }, 2, 2, 0 },
        { "the second is no token", { good, bad }, 2, 1, -EBADMSG },
        { "the first is not there", { missing, good }, 2, 0, -ENOENT },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        char *paths[2] = { cases[i].paths[0], cases[i].paths[1] };
        table_init(&table);
        err.text[0] = '\0';
        int rc = token_files_read(paths, cases[i].count, &table, &err);
        if (rc != cases[i].want || table.row_count != cases[i].rows)
            fail_msg("%s: %d, %zu rows, %s", cases[i].name, rc, table.row_count,
                     err.text);
        if (rc < 0)
            assert_non_null(strstr(err.text, rc == -ENOENT ? missing : bad));
    }
    (void)unlink(good);
    (void)unlink(bad);
}

static void json_has_all_that_a_token_states(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    token_print_json(&agent, &out);
    assert_string_equal(
        strbuf_text(&out),
        "{\"role\":\"agent\",\"id\":\"8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b10\","
        "\"host\":\"oss01\",\"cluster\":null,\"targets\":[\"scratch-*\"],\"user\":null,"
        "\"accounts\":[],"
        "\"issued\":\"2023-11-14T22:13:20.000Z\","
        "\"expires\":\"2023-11-14T23:13:20.000Z\"}");
}

static void the_end_is_told_in_days_or_hours(void **state)
{
    static const struct {
        int64_t left_s;
        const char *want;
    } cases[] = {
        { INT64_C(29) * 86400, "expires in 29 days, at " },
        { INT64_C(2) * 86400, "expires in 2 days, at " },
        { INT64_C(2) * 86400 - 1, "expires in 47 hours, at " },
        { 59, "expires in 0 hours, at " },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[TOKEN_LEFT_TEXT_MAX];
        token_left_print(text, &agent, cases[i].left_s);
        if (strncmp(text, cases[i].want, strlen(cases[i].want)) != 0)
            fail_msg("%s", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_null_where_a_token_names_none),
        cmocka_unit_test(of_a_table_those_stay_that_end_by_then_or_have_ended),
        cmocka_unit_test(tokens_are_read_out_of_files),
        cmocka_unit_test(json_has_all_that_a_token_states),
        cmocka_unit_test(the_end_is_told_in_days_or_hours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
