/* SPDX-License-Identifier: Apache-2.0 */
/* test_query_job_json - a job's page as JSON, there and back. */
#include "base/span.h"
#include "base/test/testing.h"
#include "query/jobs/jobs.h"

static void parts_init(struct table *parts)
{
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
}

static void parts_done(struct table *parts)
{
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
}

static void a_page_survives_the_way_there_and_back(void **state)
{
    struct table parts[QUERY_JOB_PART_COUNT], again[QUERY_JOB_PART_COUNT];
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf rewritten = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    parts_init(parts);
    parts_init(again);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++) {
        table_add_column(&parts[i], "name", TABLE_TEXT, "");
        table_add_column(&parts[i], "value", TABLE_U64, "bytes");
        table_add_row(&parts[i]);
        table_set_text(&parts[i], 0, SPAN("a \"quoted\" {brace} [x] \\ \xc3\xa4"));
        table_set_u64(&parts[i], 1, UINT64_MAX - (uint64_t)i);
        table_add_row(&parts[i]); /* of nulls */
        table_add_note(&parts[i], "a note: {\"x\":1}");
    }
    query_job_to_json(parts, &json);
    if (query_job_from_json(strbuf_span(&json), again, &err) < 0)
        fail_msg("%s", err.text);
    query_job_to_json(again, &rewritten);
    assert_string_equal(strbuf_text(&rewritten), strbuf_text(&json));
    assert_true(table_at(&again[2], 0, 1)->u64 == UINT64_MAX - 2);
    assert_true(table_at(&again[3], 1, 0)->is_null);
    parts_done(parts);
    parts_done(again);
}

static void what_is_no_page_is_refused(void **state)
{
    static const struct {
        const char *json;
        int want;
    } cases[] = {
        { "", -EBADMSG },
        { "[1]", -EBADMSG },
        { "{\"summary\":", -EBADMSG },
        { "{\"summary\":\"text\"}", -EBADMSG },
        { "{\"summary\":[1]}", -EBADMSG },
        { "{\"summary\":{\"columns\":[],\"rows\":[[}}", -EBADMSG },
        { "{}", 0 },
        { "{\"of a newer server\":{\"columns\":[],\"rows\":[]}}", 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct table parts[QUERY_JOB_PART_COUNT];
        struct err err = { 0 };
        parts_init(parts);
        int rc = query_job_from_json(span_of(cases[i].json), parts, &err);
        parts_done(parts);
        if (rc != cases[i].want)
            fail_msg("%s: %d %s", cases[i].json, rc, err.text);
    }
}

static void each_part_has_its_own_name(void **state)
{
    (void)state;
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(query_job_part_name((enum query_job_part)i),
                                    query_job_part_name((enum query_job_part)k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_survives_the_way_there_and_back),
        cmocka_unit_test(what_is_no_page_is_refused),
        cmocka_unit_test(each_part_has_its_own_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
