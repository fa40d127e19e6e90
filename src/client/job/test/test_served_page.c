/* SPDX-License-Identifier: Apache-2.0 */
/* test_served_page - the page of a job as a barod makes it. */
#include "client/job/job.h"
#include "client/job/test/barod.h"

#include <errno.h>
#include <string.h>

static const struct barod_response pages[] = {
    { "cluster=alex", 200, "Job 4711 on alex\n", false },
    { "format=line", 200, "A sentence.\n", false },
    { "GET /v1/jobs/4711", 200, "{\"job\":{}}\n", false },
};

static int page(const char *id, const char *form, struct strbuf *out, struct err *err)
{
    const struct client_endpoint endpoint = { .server = barod.url, .token_file = "" };
    const struct job_page_request request = { .id = id, .form = form };
    return job_served_page(&endpoint, &request, out, err);
}

static void a_page_is_printed_as_it_is_served(void **state)
{
    (void)state;
    static const struct {
        const char *id, *form, *body;
    } cases[] = { { "4711", "json", "{\"job\":{}}\n" },
                  { "4711", "line", "A sentence.\n" },
                  { "alex/4711", "text", "Job 4711 on alex\n" } };
    barod_script(&barod, pages, COUNT_OF(pages));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        assert_int_equal(page(cases[i].id, cases[i].form, &out, &err), 0);
        assert_string_equal(strbuf_text(&out), cases[i].body);
    }
}

static void forms_and_databases_that_have_no_page_are_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct client_endpoint database = { .records = "r.db" };
    struct err err = { 0 };
    assert_int_equal(page("4711", "xml", &out, &err), -EINVAL);
    assert_string_equal(err.text,
                        "--output: invalid value 'xml' (choose text, json, html)");
    const struct job_page_request request = { .id = "4711", .form = "json" };
    assert_int_equal(job_served_page(&database, &request, &out, &err), -EINVAL);
    assert_int_equal(out.size, 0);
}

static void ids_that_were_not_found_are_requested_and_logs_are_not(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        bool want;
    } cases[] = {
        { "4711", -ENOENT, true },         { "4711", 0, false },
        { "4711", -EIO, false },           { "alex/4711", 0, true },
        { "./4711", -ENOENT, false },      { "/4711", -ENOENT, false },
        { "a/b.darshan", -ENOENT, false }, { "a/b/c", -ENOENT, false },
        { "job.darshan", -ENOENT, false },
    };
    const struct client_endpoint endpoint = { 0 }, database = { .records = "r.db" };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (job_is_served(&endpoint, cases[i].text, cases[i].rc) != cases[i].want)
            fail_msg("%s", cases[i].text);
        assert_false(job_is_served(&database, cases[i].text, cases[i].rc));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_printed_as_it_is_served),
        cmocka_unit_test(forms_and_databases_that_have_no_page_are_refused),
        cmocka_unit_test(ids_that_were_not_found_are_requested_and_logs_are_not),
    };
    return cmocka_run_group_tests(tests, barod_begin, barod_end);
}
