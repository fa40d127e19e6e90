/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_feed - texts that wait for a sink which is slow, full, or refuses. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/ingest.h"

#include <pthread.h>

/* A sink with a gate: while it is shut, put() waits in it. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_shut;
    unsigned waiting, puts, refusals_left;
    int refusal;
    double last;
    unsigned said[LINE_FEED_NOTICE_COUNT];
    char words[256];
    unsigned released;
    struct sink sink;
    struct lookup_cache *cache;
};

static int gate_series(void *arg, const struct sink_key *key, struct level_series **ret,
                       uint16_t *ret_shard)
{
    (void)key;
    *ret = arg;
    *ret_shard = 0;
    return 0;
}

static int gate_put(void *arg, size_t shard, const struct sample *samples, size_t count,
                    struct sample_counts *ret)
{
    struct gate *gate = arg;
    (void)shard;
    LOCKED(&gate->lock);
    gate->waiting++;
    (void)pthread_cond_broadcast(&gate->changed);
    while (gate->is_shut)
        (void)pthread_cond_wait(&gate->changed, &gate->lock);
    gate->waiting--;
    gate->puts++;
    (void)pthread_cond_broadcast(&gate->changed);
    if (gate->refusals_left > 0) {
        gate->refusals_left--;
        return gate->refusal;
    }
    gate->last = samples[count - 1].value;
    ret->accepted = count;
    return 0;
}

static uint32_t gate_generation(void *arg)
{
    (void)arg;
    return 1;
}

static void hear(void *arg, enum line_feed_notice notice, const char *text)
{
    struct gate *gate = arg;
    LOCKED(&gate->lock);
    gate->said[notice]++;
    (void)snprintf(gate->words, sizeof gate->words, "%s", text);
}

static void release(void *owner)
{
    struct gate *gate = owner;
    LOCKED(&gate->lock);
    gate->released++;
}

static void set_shut(struct gate *gate, bool is_shut)
{
    LOCKED(&gate->lock);
    gate->is_shut = is_shut;
    (void)pthread_cond_broadcast(&gate->changed);
}

static void await_waiting(struct gate *gate)
{
    LOCKED(&gate->lock);
    while (gate->waiting == 0)
        (void)pthread_cond_wait(&gate->changed, &gate->lock);
}

static void await_puts(struct gate *gate, unsigned puts)
{
    LOCKED(&gate->lock);
    while (gate->puts < puts)
        (void)pthread_cond_wait(&gate->changed, &gate->lock);
}

static int setup(void **state)
{
    struct gate *gate = calloc(1, sizeof *gate);
    assert_non_null(gate);
    (void)pthread_mutex_init(&gate->lock, NULL);
    (void)pthread_cond_init(&gate->changed, NULL);
    gate->sink = (struct sink){ .series = gate_series,
                                .put = gate_put,
                                .generation = gate_generation,
                                .arg = gate,
                                .shard_count = 1 };
    assert_int_equal(lookup_cache_new(1000, &gate->cache), 0);
    *state = gate;
    return 0;
}

static int teardown(void **state)
{
    struct gate *gate = *state;
    lookup_cache_free(gate->cache);
    (void)pthread_cond_destroy(&gate->changed);
    (void)pthread_mutex_destroy(&gate->lock);
    free(gate);
    return 0;
}

static struct line_feed *feed_of(struct gate *gate, size_t texts_max, size_t bytes_max)
{
    struct line_feed *feed = NULL;
    const struct line_feed_opts opts = {
        .receiver = { .sink = &gate->sink,
                      .cache = gate->cache,
                      .names.cluster = SPAN("c") },
        .texts_max = texts_max,
        .bytes_max = bytes_max,
        .retry_ns = NS_PER_MS,
        .say = hear,
        .arg = gate,
    };
    assert_int_equal(line_feed_new(&opts, &feed), 0);
    return feed;
}

static int push(struct gate *gate, struct line_feed *feed, const char *text)
{
    return line_feed_push(feed, span_of(text), gate, release);
}

static int64_t soon(void)
{
    return clock_monotonic_ns() + 10 * NS_PER_S;
}

static void texts_are_taken_in_by_the_end(void **state)
{
    struct gate *gate = *state;
    AUTO(line_feed_free) struct line_feed *feed = feed_of(gate, 100, 1 << 20);
    struct line_feed_stats stats;
    assert_int_equal(push(gate, feed, "m,host=h value=1 1\nm,host=h value=2 2"), 0);
    assert_int_equal(push(gate, feed, "m,host=h value=3 3\n"), 0);
    line_feed_stop(feed, soon());
    line_feed_stats(feed, &stats);
    assert_int_equal(stats.texts, 2);
    assert_int_equal(stats.lines, 3);
    assert_int_equal(stats.samples, 3);
    assert_int_equal(stats.queue_bytes, 0);
    assert_int_equal(stats.queue_texts, 0);
    assert_true(gate->last == 3);
    assert_int_equal(gate->released, 2);
    assert_int_equal(push(gate, feed, "m,host=h value=4 4"), -ESHUTDOWN);
}

static void a_bad_line_costs_that_line_and_is_said(void **state)
{
    struct gate *gate = *state;
    AUTO(line_feed_free) struct line_feed *feed = feed_of(gate, 100, 1 << 20);
    struct line_feed_stats stats;
    assert_int_equal(push(gate, feed, "m,host=h value=1 1\nm value=2 2\n"), 0);
    line_feed_stop(feed, soon());
    line_feed_stats(feed, &stats);
    assert_int_equal(stats.bad, 1);
    assert_int_equal(stats.samples, 1);
    assert_int_equal(gate->said[LINE_FEED_BAD], 1);
    assert_string_equal(gate->words, "1 of 2 lines are bad; the first: line 2, column "
                                     "1: no tag names the host");
}

static void what_finds_no_room_is_dropped_and_counted(void **state)
{
    static const struct {
        const char *name;
        size_t texts_max, bytes_max;
        const char *text;
    } cases[] = {
        { "texts", 2, 1 << 20, "m,host=h value=1 1" },
        { "bytes", 100, 150, "m,host=h value=1 1" },
    };
    struct gate *gate = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(line_feed_free)
        struct line_feed *feed = feed_of(gate, cases[i].texts_max, cases[i].bytes_max);
        struct line_feed_stats stats;
        gate->released = 0;
        gate->said[LINE_FEED_FULL] = 0;
        set_shut(gate, true);
        assert_int_equal(push(gate, feed, cases[i].text), 0);
        await_waiting(gate);
        assert_int_equal(push(gate, feed, cases[i].text), 0);
        if (push(gate, feed, cases[i].text) != -ENOBUFS)
            fail_msg("%s: there was room", cases[i].name);
        set_shut(gate, false);
        line_feed_stop(feed, soon());
        line_feed_stats(feed, &stats);
        assert_int_equal(stats.dropped, 1);
        assert_int_equal(stats.texts, 2);
        assert_int_equal(gate->said[LINE_FEED_FULL], 1);
        /* The third stayed with who pushed it. */
        assert_int_equal(gate->released, 2);
    }
}

static void a_text_larger_than_the_queue_is_taken_alone(void **state)
{
    struct gate *gate = *state;
    AUTO(line_feed_free) struct line_feed *feed = feed_of(gate, 1, 1);
    struct line_feed_stats stats;
    assert_int_equal(push(gate, feed, "m,host=h value=1 1"), 0);
    line_feed_stop(feed, soon());
    line_feed_stats(feed, &stats);
    assert_int_equal(stats.texts, 1);
}

static void what_cannot_be_kept_now_is_tried_again(void **state)
{
    struct gate *gate = *state;
    AUTO(line_feed_free) struct line_feed *feed = feed_of(gate, 100, 1 << 20);
    struct line_feed_stats stats;
    gate->refusal = -ENOSPC;
    gate->refusals_left = 3;
    assert_int_equal(push(gate, feed, "m,host=h value=1 1"), 0);
    assert_int_equal(push(gate, feed, "m,host=h value=2 2"), 0);
    await_puts(gate, 5);
    line_feed_stop(feed, soon());
    line_feed_stats(feed, &stats);
    assert_int_equal(stats.texts, 2);
    assert_int_equal(stats.samples, 2);
    assert_int_equal(stats.retries, 3);
    assert_int_equal(stats.lost, 0);
    assert_int_equal(gate->said[LINE_FEED_UNKEPT], 3);
    assert_true(gate->last == 2);
}

static void what_cannot_be_kept_until_the_end_is_lost_and_said(void **state)
{
    struct gate *gate = *state;
    AUTO(line_feed_free) struct line_feed *feed = feed_of(gate, 100, 1 << 20);
    struct line_feed_stats stats;
    gate->refusal = -ENOSPC;
    gate->refusals_left = UINT32_MAX;
    assert_int_equal(push(gate, feed, "m,host=h value=1 1"), 0);
    assert_int_equal(push(gate, feed, "m,host=h value=2 2"), 0);
    line_feed_stop(feed, soon());
    line_feed_stats(feed, &stats);
    assert_int_equal(stats.lost, 2);
    assert_int_equal(stats.texts, 0);
    assert_int_equal(stats.queue_texts, 0);
    assert_int_equal(gate->said[LINE_FEED_LOST], 2);
    assert_int_equal(gate->released, 2);
}

static void after_the_deadline_nothing_is_tried(void **state)
{
    struct gate *gate = *state;
    AUTO(line_feed_free) struct line_feed *feed = feed_of(gate, 100, 1 << 20);
    struct line_feed_stats stats;
    set_shut(gate, true);
    assert_int_equal(push(gate, feed, "m,host=h value=1 1"), 0);
    await_waiting(gate);
    assert_int_equal(push(gate, feed, "m,host=h value=2 2"), 0);
    /* The one in the sink can be waited for only; the gate opens by itself after. */
    gate->refusals_left = 0;
    set_shut(gate, false);
    await_puts(gate, 1);
    line_feed_stop(feed, 0);
    line_feed_stats(feed, &stats);
    assert_int_equal(stats.texts + stats.lost, 2);
    assert_int_equal(gate->released, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_are_taken_in_by_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bad_line_costs_that_line_and_is_said, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_finds_no_room_is_dropped_and_counted,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_text_larger_than_the_queue_is_taken_alone,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_kept_now_is_tried_again, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            what_cannot_be_kept_until_the_end_is_lost_and_said, setup, teardown),
        cmocka_unit_test_setup_teardown(after_the_deadline_nothing_is_tried, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
