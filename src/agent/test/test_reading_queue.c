/* SPDX-License-Identifier: Apache-2.0 */
/* test_reading_queue - readings of targets wait on disk until barod has them. */
#include "agent/readings/reading_queue.h"
#include "agent/test/barod.h"
#include "agent/test/reports.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <unistd.h>

#define ACCEPTED "{\"accepted\":2,\"changed\":0,\"duplicate\":1,\"refused\":0}"
#define SOME_REFUSED                                               \
    "{\"accepted\":1,\"changed\":0,\"duplicate\":0,\"refused\":2," \
    "\"refusals\":[{\"line\":2,\"reason\":\"accepted: 7\"}]}"
#define LINES "{\"target\":\"s-OST0001\",\"t\":1,\"server\":\"oss01\"}\n"

static struct agent_reports reports = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct agent_report report = { agent_reports_add, &reports };

static struct post_queue *queue_new(const struct barod *b, const char *dir)
{
    static struct agent_opts opts;
    struct post_queue *queue = NULL;
    struct err err = { 0 };
    opts = (struct agent_opts){ .server = b->url,
                                .spool = dir,
                                .spool_bytes_max = 65536,
                                .backoff_max_ns = NS_PER_S,
                                .timeout_ns = 10 * NS_PER_S };
    reports.text[0] = '\0';
    if (reading_queue_open(&opts, &report, &queue, &err) < 0)
        fail_msg("%s", err.text);
    return queue;
}

static void outcome_wait(struct post_queue *queue, struct post_queue_counts *ret)
{
    do {
        (void)usleep(1000);
        post_queue_count(queue, ret);
    } while (ret->waiting > 0 && ret->attempts_failed == 0);
}

static void a_response_decides_what_becomes_of_readings(void **state)
{
    static const struct {
        unsigned status;
        const char *body;
        uint64_t sent, refused, waiting;
        const char *reported;
    } cases[] = {
        { 200, ACCEPTED, 3, 0, 0, "" },
        { 200, SOME_REFUSED, 1, 2, 0, "does not accept some readings of targets" },
        { 200, "{}", 0, 0, 3,
          "responds with 200 to /v1/health; readings of targets wait" },
        { 200, "<html>", 0, 0, 3, "wait in the spool" },
        { 400, "{\"title\":\"no\"}", 0, 3, 0, "refused 3 readings of targets (400)" },
        { 400, "no", 0, 0, 3, "wait in the spool" },
        { 401, "{\"title\":\"no\"}", 0, 0, 3, "responds with 401 to /v1/health" },
        { 404, "{\"title\":\"no\"}", 0, 0, 3, "responds with 404 to /v1/health" },
        { 503, "{\"title\":\"no\"}", 0, 0, 3, "responds with 503 to /v1/health" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[16];
        struct post_queue_counts counts;
        struct barod b;
        (void)snprintf(name, sizeof name, "case%zu", i);
        const char *dir = scratch_path(name);
        barod_start(&b, cases[i].status, cases[i].body);
        struct post_queue *queue = queue_new(&b, dir);
        assert_true(post_queue_put(queue, SPAN(LINES), 3));
        outcome_wait(queue, &counts);
        post_queue_close(queue);
        if (counts.sent != cases[i].sent || counts.refused != cases[i].refused ||
            counts.waiting != cases[i].waiting ||
            !strstr(reports.text, cases[i].reported))
            fail_msg("case %zu: %s", i, reports.text);
        barod_stop(&b);
    }
}

static void what_waits_survives_a_restart_and_is_sent_in_order(void **state)
{
    const char *dir = scratch_path("restart");
    struct post_queue_counts counts;
    struct barod b;
    (void)state;
    barod_start(&b, 503, "");
    struct post_queue *queue = queue_new(&b, dir);
    assert_true(post_queue_put(queue, SPAN("one\n"), 1));
    assert_true(post_queue_put(queue, SPAN("two\n"), 1));
    outcome_wait(queue, &counts);
    assert_int_equal(counts.waiting, 2);
    post_queue_close(queue);
    {
        LOCKED(&b.lock);
        strbuf_clear(&b.bodies);
    }
    barod_set(&b, 200, ACCEPTED);
    queue = queue_new(&b, dir);
    outcome_wait(queue, &counts);
    assert_int_equal(counts.waiting, 0);
    assert_string_equal(strbuf_text(&b.bodies), "one\ntwo\n");
    post_queue_close(queue);
    barod_stop(&b);
}

/* The oldest go, and are counted. */
static void the_queue_is_bounded(void **state)
{
    static char lines[4096];
    const char *dir = scratch_path("bounded");
    struct post_queue_counts counts;
    struct barod b;
    (void)state;
    memset(lines, 'x', sizeof lines);
    barod_start(&b, 503, "");
    struct post_queue *queue = queue_new(&b, dir);
    for (int i = 0; i < 64; i++)
        assert_true(post_queue_put(queue, (struct span){ lines, sizeof lines }, 10));
    post_queue_count(queue, &counts);
    assert_true(counts.lost > 0);
    assert_int_equal(counts.lost + counts.waiting, 640);
    /* One that is sending when it is closed is left to the end of the process. */
    outcome_wait(queue, &counts);
    post_queue_close(queue);
    barod_stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_response_decides_what_becomes_of_readings),
        cmocka_unit_test(what_waits_survives_a_restart_and_is_sent_in_order),
        cmocka_unit_test(the_queue_is_bounded),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
