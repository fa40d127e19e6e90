/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_queue - samples that memory has no capacity for, and why.
 */
#include "agent/sampling/metric_queue.h"
#include "agent/test/reports.h"
#include "base/number.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

static struct agent_reports reports = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct agent_report report = { agent_reports_add, &reports };

static void put(struct text_queue *q, size_t size, uint32_t count)
{
    struct strbuf text = STRBUF_INIT;
    assert_int_equal(strbuf_reserve(&text, size), 0);
    memset(text.data, 'x', size);
    text.size = size;
    (void)text_queue_put(q, &text, count);
    assert_int_equal(text.size, 0);
    strbuf_done(&text);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    uv_close(handle, NULL);
}

static void what_is_lost_has_its_reason(void **state)
{
    const struct agent_opts opts = { .server = "unix:/nowhere",
                                     .spool = scratch_path("spool"),
                                     .spool_bytes_max = 65536,
                                     .backoff_max_ns = NS_PER_S,
                                     .timeout_ns = NS_PER_S };
    struct text_queue *q = NULL;
    struct post_queue_counts counts;
    struct err err = { 0 };
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    if (metric_queue_open(&opts, &report, &loop, &q, &err) < 0)
        fail_msg("%s", err.text);
    put(q, (size_t)9 << 20, 3);
    assert_non_null(strstr(reports.text, "3 samples of this node are lost: they are "
                                         "more than 8 MiB at once"));
    struct strbuf failed = STRBUF_INIT;
    strbuf_adds(&failed, "x");
    failed.error = -ENOMEM;
    (void)text_queue_put(q, &failed, 4);
    assert_non_null(strstr(reports.text, "4 samples of this node are lost: out of "
                                         "memory"));
    /* The loop does not run: nothing goes to the disk. */
    for (int i = 0; i < 64; i++)
        put(q, 100, 1);
    assert_null(strstr(reports.text, "slow"));
    put(q, 100, 5);
    assert_non_null(strstr(reports.text, "5 samples of this node are lost: the disk"));
    text_queue_count(q, &counts);
    assert_int_equal(counts.lost, 12);
    text_queue_close(q);
    uv_walk(&loop, close_handle, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    free(q); /* the handle was in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_lost_has_its_reason),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
