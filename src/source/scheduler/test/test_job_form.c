/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_form - the names of forms, and what a line that is no job costs. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/scheduler/job_form.h"

static void each_form_is_known_by_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum job_form want;
    } cases[] = {
        { "auto", JOB_FORM_ANY },  { "sacct", JOB_FORM_SACCT },
        { "csv", JOB_FORM_CSV },   { "pbs-log", JOB_FORM_PBS_LOG },
        { "json", JOB_FORM_JSON }, { "json-lines", JOB_FORM_JSON_LINES },
    };
    assert_int_equal(COUNT_OF(cases), JOB_FORM_COUNT);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum job_form form = JOB_FORM_COUNT;
        int rc = job_form_parse(span_of(cases[i].name), &form);
        if (rc != 0 || form != cases[i].want)
            fail_msg("%s: got %d, form %d", cases[i].name, rc, (int)form);
        assert_string_equal(job_form_name(form), cases[i].name);
    }
}

static void other_names_are_refused_and_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "", "JSON", "json ", "sacc", "jsonl", "pbs" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        enum job_form form = JOB_FORM_CSV;
        int rc = job_form_parse(span_of(names[i]), &form);
        if (rc != -EINVAL || form != JOB_FORM_CSV)
            fail_msg("'%s': got %d, form %d", names[i], rc, (int)form);
    }
}

static void fault_keep(void *arg, uint64_t line, struct span text, const char *reason)
{
    strbuf_addf(arg, "%d " SPAN_FMT " %s;", (int)line, SPAN_ARG(text), reason);
}

static void a_fault_is_counted_and_reported_where_it_is_wanted(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
    AUTO(job_list_done) struct job_list list;
    struct job_text_opts opts = { .on_fault = fault_keep, .arg = &faults };
    job_list_init(&list);
    job_text_fault(&opts, &list, 7, SPAN("x|y"), "it has no id");
    opts.on_fault = NULL;
    job_text_fault(&opts, &list, 8, SPAN("z"), "it has no id");
    assert_int_equal(list.fault_count, 2);
    assert_string_equal(strbuf_text(&faults), "7 x|y it has no id;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_is_known_by_its_name),
        cmocka_unit_test(other_names_are_refused_and_change_nothing),
        cmocka_unit_test(a_fault_is_counted_and_reported_where_it_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
