/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_channel - where memory is out a channel ends, and not under the feet of
 * who sends. */
#include "base/test/testing.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_memory_out;

static void *calloc_limited(size_t count, size_t size)
{
    return is_memory_out ? NULL : calloc(count, size);
}

#define calloc calloc_limited
#include "dataset/forwarder/channel.c" /* NOLINT(bugprone-suspicious-include): its calloc is ours */
#undef calloc

#include "dataset/forwarder/channel.h"

struct owner {
    struct channel channel;
    unsigned closed, released;
    const char *reason;
};

static size_t on_received(void *owner, struct span in)
{
    (void)owner;
    return in.size;
}

static void on_sent(void *owner)
{
    (void)owner;
}

static void on_closed(void *arg, const char *reason)
{
    struct owner *owner = arg;
    owner->closed++;
    owner->reason = reason;
}

static void on_released(void *arg)
{
    struct owner *owner = arg;
    owner->released++;
}

static void it_ends_from_the_loop(void **state)
{
    static const struct channel_events events = { on_received, on_sent, on_closed,
                                                  on_released };
    struct channel_loop channels = { 0 };
    struct owner owner = { 0 };
    uv_loop_t loop;
    int pair[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(channel_loop_init(&channels, &loop), 0);
    assert_int_equal(
        channel_open(&owner.channel, &channels, pair[0], 4096, &events, &owner), 0);
    is_memory_out = true;
    channel_send(&owner.channel, "a", 1, NULL, 0, 0);
    is_memory_out = false;
    assert_int_equal(owner.closed, 0); /* who sends goes on with what it has */
    assert_false(owner.channel.is_closed);
    channel_send(&owner.channel, "b", 1, NULL, 0, 0); /* not without what was before */
    assert_int_equal(channel_queued(&owner.channel), 0);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(owner.closed, 1);
    assert_int_equal(owner.released, 1);
    assert_string_equal(owner.reason, "memory is out");
    channel_loop_done(&channels);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    (void)close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_ends_from_the_loop) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
