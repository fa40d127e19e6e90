/* SPDX-License-Identifier: Apache-2.0 */
/* test_summarize - logs that cannot be read cost their own row, in their order. */
#include "base/test/testing.h"
#include "client/job/job.h"

struct heard {
    struct strbuf logs;
    size_t lost, with_notes;
    int rc; /* of the callback */
};

static int on_result(void *arg, const struct job_summarized *result)
{
    struct heard *heard = arg;
    strbuf_addf(&heard->logs, "%s%zu:%s", heard->logs.size > 0 ? " " : "", result->done,
                result->log);
    heard->lost += result->is_lost;
    heard->with_notes +=
        result->notes.size > 0 && result->notes.data[result->notes.size - 1] == '\n';
    return heard->rc;
}

static void row_print(void *arg, const struct job_context *context, struct strbuf *out)
{
    (void)arg;
    job_context_print_csv(context, out);
}

static int log_open(void *arg, const char *name, struct job_log **ret, struct err *err)
{
    (void)arg;
    return job_log_open(name, ret, err);
}

static int summarize(struct heard *heard, uint64_t workers)
{
    static const char *const logs[] = { "/no/b", "/no/a", "/no/c" };
    static const struct job_inputs inputs = { .log = log_open };
    const struct job_summarize_opts opts = { .inputs = &inputs,
                                             .logs = logs,
                                             .count = COUNT_OF(logs),
                                             .workers = workers,
                                             .wants_lines = true,
                                             .arg = heard,
                                             .print = row_print,
                                             .result = on_result };
    return job_summarize(&opts, NULL);
}

static void results_come_in_the_order_of_the_logs(void **state)
{
    (void)state;
    for (uint64_t workers = 1; workers <= 3; workers++) {
        struct heard heard = { .logs = STRBUF_INIT };
        assert_int_equal(summarize(&heard, workers), 0);
        assert_string_equal(strbuf_text(&heard.logs), "1:/no/b 2:/no/a 3:/no/c");
        assert_int_equal(heard.lost, 3);
        assert_int_equal(heard.with_notes, 3);
        strbuf_done(&heard.logs);
    }
}

static void a_failing_result_ends_it(void **state)
{
    (void)state;
    struct heard heard = { .logs = STRBUF_INIT, .rc = -EIO };
    assert_true(summarize(&heard, 1) < 0);
    assert_string_equal(strbuf_text(&heard.logs), "1:/no/b");
    strbuf_done(&heard.logs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_in_the_order_of_the_logs),
        cmocka_unit_test(a_failing_result_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
