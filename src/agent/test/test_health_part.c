/* SPDX-License-Identifier: Apache-2.0 */
/* test_health_part - what a node's checks state is stated again where it was lost. */
#include "agent/sampling/health_part.h"

#include "agent/test/reports.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <unistd.h>

static struct agent_reports reports = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct agent_report report = { agent_reports_add, &reports };

static void state_part(struct health_part *part, const char *name,
                       enum resource_health health)
{
    const struct resource_check check = { .kind = "plugin",
                                          .name = SPAN("disk"),
                                          .part = span_of(name),
                                          .health = health,
                                          .reason = SPAN("full"),
                                          .t_ns = clock_now_ns() };
    health_part_state(part, &check);
    health_part_send(part);
}

static uint64_t lost_count(struct health_part *part)
{
    struct health_counts counts;
    health_part_count(part, &counts);
    return counts.queue.lost;
}

static uint64_t on_disk(struct health_part *part, uv_loop_t *loop)
{
    struct health_counts counts;
    (void)uv_run(loop, UV_RUN_NOWAIT);
    health_part_count(part, &counts);
    return counts.queue.waiting;
}

/* A sender that is stopped in an attempt has its memory left to it: here each attempt
 * fails at once, and then it waits. */
static void attempts_end(struct health_part *part)
{
    struct health_counts counts = { 0 };
    uint64_t before;
    do {
        before = counts.queue.attempts_failed;
        (void)usleep(100000);
        health_part_count(part, &counts);
    } while (counts.queue.attempts_failed != before || before == 0);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    *(void **)arg = handle->data;
    uv_close(handle, NULL);
}

static void what_memory_loses_is_stated_again(void **state)
{
    const struct agent_opts opts = { .server = "unix:/nowhere",
                                     .host = "a1",
                                     .cluster = "alex",
                                     .spool = scratch_path("spool"),
                                     .spool_bytes_max = 65536,
                                     .backoff_max_ns = NS_PER_S,
                                     .timeout_ns = NS_PER_S };
    struct health_part *part = NULL;
    struct err err = { 0 };
    void *queue = NULL;
    uv_loop_t loop;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    if (health_part_open(&opts, &report, &loop, &part, &err) < 0)
        fail_msg("%s", err.text);
    /* The loop does not run: nothing goes to the disk, and memory holds 64 texts. */
    for (int i = 0; i < 64; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "dimm:%d", i);
        state_part(part, name, RESOURCE_DEGRADED);
    }
    assert_int_equal(lost_count(part), 0);
    state_part(part, CHECK_OF_HOST, RESOURCE_DOWN);
    assert_int_equal(lost_count(part), 1);
    uint64_t waiting = on_disk(part, &loop);
    state_part(part, CHECK_OF_HOST, RESOURCE_DOWN);
    assert_int_equal(on_disk(part, &loop), waiting + 1);
    /* Once. */
    state_part(part, CHECK_OF_HOST, RESOURCE_DOWN);
    assert_int_equal(on_disk(part, &loop), waiting + 1);
    attempts_end(part);
    health_part_close(part);
    uv_walk(&loop, close_handle, &queue);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    free(queue); /* the handle was in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_memory_loses_is_stated_again),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
