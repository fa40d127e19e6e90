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

/* ---- what is long goes by a thread ---- */

#define LONG_BYTES (3U << 20)

struct reader {
    uv_poll_t poll;
    int fd;
    size_t size;
    bool is_wrong;
    struct channel *closes; /* after the first bytes */
};

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct reader *reader = poll->data;
    uint8_t bytes[65536];
    (void)status;
    (void)events;
    ssize_t size = recv(reader->fd, bytes, sizeof bytes, 0);
    if (size <= 0) {
        (void)uv_poll_stop(poll);
        return;
    }
    for (ssize_t i = 0; i < size; i++, reader->size++)
        reader->is_wrong |= bytes[i] != (uint8_t)(reader->size * 7 >> 4);
    if (reader->closes)
        channel_close(reader->closes);
    if (reader->size >= 2 * LONG_BYTES)
        (void)uv_poll_stop(poll);
}

static void long_ones_sent(struct owner *owner, struct reader *reader, bool is_cut)
{
    static const struct channel_events events = { on_received, on_sent, on_closed,
                                                  on_released };
    struct channel_loop channels = { .sender_count = 2 };
    uv_loop_t loop;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(channel_loop_init(&channels, &loop), 0);
    assert_int_equal(
        channel_open(&owner->channel, &channels, pair[0], 4096, &events, owner), 0);
    for (size_t part = 0; part < 2; part++) {
        struct payload *payload = payload_new(LONG_BYTES);
        uint8_t head[8];
        for (size_t i = 0; i < LONG_BYTES; i++)
            payload->data[i] = (uint8_t)((part * LONG_BYTES + i) * 7 >> 4);
        memcpy(head, payload->data, sizeof head);
        channel_send(&owner->channel, head, sizeof head, payload, sizeof head,
                     LONG_BYTES - sizeof head);
        payload_unref(payload);
    }
    reader->fd = pair[1];
    reader->closes = is_cut ? &owner->channel : NULL;
    reader->poll.data = reader;
    assert_int_equal(uv_poll_init(&loop, &reader->poll, pair[1]), 0);
    (void)uv_poll_start(&reader->poll, UV_READABLE, on_readable);
    (void)uv_run(&loop, UV_RUN_ONCE);
    assert_true(owner->channel.is_sending); /* a thread has it */
    while (uv_is_active((uv_handle_t *)&reader->poll))
        (void)uv_run(&loop, UV_RUN_ONCE);
    channel_close(&owner->channel);
    uv_close((uv_handle_t *)&reader->poll, NULL);
    channel_loop_done(&channels);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    channel_loop_free(&channels);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_int_equal(channels.queued_bytes, 0);
    assert_int_equal(channels.held_bytes, 0);
    (void)close(pair[1]);
}

static void a_thread_sends_what_is_long(void **state)
{
    struct owner owner = { 0 };
    struct reader reader = { 0 };
    (void)state;
    long_ones_sent(&owner, &reader, false);
    assert_int_equal(reader.size, 2 * LONG_BYTES);
    assert_false(reader.is_wrong);
    assert_int_equal(owner.released, 1);
}

/* What the thread reads stays until it has returned. */
static void a_channel_may_be_closed_meanwhile(void **state)
{
    struct owner owner = { 0 };
    struct reader reader = { 0 };
    (void)state;
    long_ones_sent(&owner, &reader, true);
    assert_true(reader.size < 2 * LONG_BYTES);
    assert_false(reader.is_wrong);
    assert_int_equal(owner.released, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_from_the_loop),
        cmocka_unit_test(a_thread_sends_what_is_long),
        cmocka_unit_test(a_channel_may_be_closed_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
