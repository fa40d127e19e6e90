/* SPDX-License-Identifier: Apache-2.0 */
/* test_child - a read in a process of its own: its text, its end, its deadline. */
#include "agent/child.h"
#include "agent/get_param.h"
#include "agent/text_read.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <errno.h>

struct seen {
    struct strbuf text;
    int fail_after; /* data_fn fails once so much has come; 0: never */
    int error, status;
    char complaint[64];
    unsigned done, gone;
    bool was_done_first;
};

static int on_data(void *arg, struct span piece)
{
    struct seen *seen = arg;
    strbuf_add_span(&seen->text, piece);
    return seen->fail_after && seen->text.size >= (size_t)seen->fail_after ? -ECANCELED
                                                                           : 0;
}

static void on_done(void *arg, const struct agent_child_result *result)
{
    struct seen *seen = arg;
    seen->done++;
    seen->error = result->error;
    seen->status = result->status;
    (void)snprintf(seen->complaint, sizeof seen->complaint, SPAN_FMT,
                   SPAN_ARG(result->complaint));
}

static void on_gone(void *arg)
{
    struct seen *seen = arg;
    seen->gone++;
    seen->was_done_first = seen->done == 1;
}

static int run_script(const char *script, int64_t deadline_ns, struct seen *seen)
{
    uv_loop_t loop;
    char *const argv[] = { (char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c",
                           (char *)(uintptr_t)script, NULL };
    const struct agent_child_events events = { on_data, on_done, on_gone, seen };
    assert_int_equal(uv_loop_init(&loop), 0);
    int rc = agent_child_start(&loop, argv, deadline_ns, &events);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0); /* no handle is left */
    return rc;
}

static void what_a_process_prints_and_how_it_ends_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *script, *text;
        int status;
        const char *complaint;
    } cases[] = {
        { "printf one; printf two", "onetwo", 0, "" },
        { "echo lost >&2; exit 3", "", 3, "lost" },
        { "printf half; kill -9 $$", "half", 128 + 9, "" },
        { ":", "", 0, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct seen seen = { .fail_after = 0 };
        assert_int_equal(run_script(cases[i].script, 60 * NS_PER_S, &seen), 0);
        assert_string_equal(strbuf_text(&seen.text), cases[i].text);
        assert_int_equal(seen.error, 0);
        assert_int_equal(seen.status, cases[i].status);
        assert_string_equal(seen.complaint, cases[i].complaint);
        assert_int_equal(seen.done, 1);
        assert_int_equal(seen.gone, 1);
        assert_true(seen.was_done_first);
        strbuf_done(&seen.text);
    }
}

static void at_the_deadline_it_is_given_up(void **state)
{
    (void)state;
    struct seen seen = { .fail_after = 0 };
    assert_int_equal(run_script("printf a; exec sleep 600", 50 * NS_PER_MS, &seen), 0);
    assert_int_equal(seen.error, -ETIMEDOUT);
    assert_int_equal(seen.done, 1);
    assert_int_equal(seen.gone, 1);
    strbuf_done(&seen.text);
}

static void a_reader_that_fails_ends_the_process(void **state)
{
    (void)state;
    struct seen seen = { .fail_after = 1 };
    assert_int_equal(run_script("printf a; exec sleep 600", 60 * NS_PER_S, &seen), 0);
    assert_int_equal(seen.error, -ECANCELED);
    assert_int_equal(seen.done, 1);
    assert_int_equal(seen.gone, 1);
    strbuf_done(&seen.text);
}

static void what_cannot_be_started_calls_nothing(void **state)
{
    (void)state;
    struct seen seen = { .fail_after = 0 };
    uv_loop_t loop;
    char *const argv[] = { (char *)(uintptr_t) "/nowhere/at/all", NULL };
    const struct agent_child_events events = { on_data, on_done, on_gone, &seen };
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(agent_child_start(&loop, argv, NS_PER_S, &events), -ENOENT);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_int_equal(seen.done + seen.gone, 0);
}

/* ---- what is built on it ---- */

static void on_text_done(void *arg, const struct agent_child_result *result)
{
    *(int *)arg = result->error;
}

static void a_text_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t bytes_max;
        int error;
    } cases[] = { { 10, 0 }, { 9, -EMSGSIZE } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uv_loop_t loop;
        int error = 1;
        char *const argv[] = { (char *)(uintptr_t) "/bin/echo",
                               (char *)(uintptr_t) "123456789", NULL };
        struct text_read read = { .loop = &loop,
                                  .bytes_max = cases[i].bytes_max,
                                  .done_fn = on_text_done,
                                  .arg = &error };
        assert_int_equal(uv_loop_init(&loop), 0);
        assert_int_equal(text_read_start(&read, argv, 60 * NS_PER_S, 77), 0);
        assert_true(read.is_out);
        assert_int_equal(read.t_ms, 77);
        (void)uv_run(&loop, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&loop), 0);
        assert_int_equal(error, cases[i].error);
        assert_false(read.is_out);
        text_read_done(&read);
    }
}

static void a_parameter_is_waited_for(void **state)
{
    (void)state;
    const struct agent_opts opts = { .source = "lctl",
                                     .lctl = "/bin/echo",
                                     .deadline_ns = 60 * NS_PER_S };
    const struct agent_opts none = { .source = "lctl",
                                     .lctl = "/nowhere/at/all",
                                     .deadline_ns = 60 * NS_PER_S };
    AUTO(param_result_done) struct param_result result = { 0 };
    AUTO(param_result_done) struct param_result missing = { 0 };
    assert_int_equal(get_param_wait(&opts, "-n", "one", "two", &result), 0);
    assert_string_equal(strbuf_text(&result.text), "get_param -n one two\n");
    assert_int_equal(result.error, 0);
    assert_int_equal(result.status, 0);
    assert_true(result.is_gone);
    assert_int_equal(get_param_wait(&none, "-n", "one", NULL, &missing), -ENOENT);
    assert_int_equal(missing.error, -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_process_prints_and_how_it_ends_is_known),
        cmocka_unit_test(at_the_deadline_it_is_given_up),
        cmocka_unit_test(a_reader_that_fails_ends_the_process),
        cmocka_unit_test(what_cannot_be_started_calls_nothing),
        cmocka_unit_test(a_text_that_is_too_long_is_refused),
        cmocka_unit_test(a_parameter_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
