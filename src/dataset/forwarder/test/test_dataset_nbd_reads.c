/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_nbd_reads - requests of an NBD client whose chunks are in memory: what
 * they hold, and how much of them is done in a turn of the loop. */
#include "base/test/testing.h"
#include "dataset/forwarder/nbd/nbd_client.h"

#include <sys/socket.h>

#define CHUNK 16384U
#define CHUNKS 2048U

struct bench {
    uv_loop_t loop;
    struct channel_loop channels;
    struct nbd_server server;
    struct cache_memory *memory;
    struct dataset dataset;
    struct nbd_client *client;
    int fd;
    unsigned turns;
};

static size_t on_received(void *owner, struct span in)
{
    (void)owner;
    return in.size;
}

static void on_sent(void *owner)
{
    nbd_reads_resume(owner);
}

static void on_closed(void *owner, const char *reason)
{
    (void)owner;
    (void)reason;
}

static void on_released(void *owner)
{
    free(owner);
}

static void on_turn(void *arg)
{
    struct bench *bench = arg;
    bench->turns++;
    nbd_server_turn(&bench->server);
}

/* The number of a chunk is in all of its bytes. */
static void chunks_make(struct bench *bench)
{
    for (uint32_t i = 0; i < CHUNKS; i++) {
        AUTO(payload_unref) struct payload *chunk = payload_new(CHUNK);
        if (!chunk)
            abort();
        memset(chunk->data, (int)i, CHUNK);
        memset(chunk->digest.bytes, 0, DIGEST_SIZE);
        memcpy(chunk->digest.bytes, &i, sizeof i);
        chunk->is_verified = true;
        cache_memory_put(bench->memory, chunk);
        assert_int_equal(
            dataset_index_add(&bench->dataset.index, CHUNK, &chunk->digest), 0);
    }
}

static int bench_open(void **state)
{
    static const struct channel_events events = { on_received, on_sent, on_closed,
                                                  on_released };
    struct bench *bench = calloc(1, sizeof *bench);
    int fds[2];
    if (!bench || uv_loop_init(&bench->loop) < 0 ||
        cache_memory_new(UINT64_C(64) << 20, &bench->memory) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) < 0)
        return -1;
    const struct flights_opts opts = { .memory = bench->memory,
                                       .patience_ns = INT64_MAX };
    bench->channels.turn = on_turn;
    bench->channels.arg = bench;
    bench->server.channels = &bench->channels;
    bench->client = calloc(1, sizeof *bench->client);
    if (!bench->client || flights_new(&opts, &bench->server.flights) < 0 ||
        channel_loop_init(&bench->channels, &bench->loop) < 0)
        return -1;
    chunks_make(bench);
    bench->client->server = &bench->server;
    bench->client->dataset = &bench->dataset;
    bench->client->phase = NBD_PHASE_REQUESTS;
    nbd_reads_init(bench->client);
    bench->fd = fds[1];
    *state = bench;
    return channel_open(&bench->client->client.channel, &bench->channels, fds[0], 4096,
                        &events, bench->client);
}

static int bench_close(void **state)
{
    struct bench *bench = *state;
    channel_close(&bench->client->client.channel);
    nbd_reads_leave(bench->client);
    bool is_left = bench->channels.held_bytes != 0;
    channel_loop_done(&bench->channels);
    (void)uv_run(&bench->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&bench->loop);
    flights_free(bench->server.flights);
    cache_memory_free(bench->memory);
    dataset_index_done(&bench->dataset.index);
    (void)close(bench->fd);
    free(bench);
    return is_left ? -1 : 0;
}

static void begin(struct bench *bench, uint16_t command, uint64_t offset, uint32_t size)
{
    const struct nbd_request request = {
        .command = command, .cookie = 7, .offset = offset, .size = size
    };
    assert_true(nbd_reads_have_capacity(bench->client));
    nbd_read_begin(bench->client, &request);
}

static bool has_reads(const struct bench *bench)
{
    for (size_t i = 0; i < NBD_READS_MAX; i++)
        if (bench->client->reads[i].is_active)
            return true;
    return false;
}

/* Turns in which others are served, too. */
static void a_request_to_cache_has_many_turns(void **state)
{
    struct bench *bench = *state;
    for (unsigned i = 0; i < 4; i++)
        begin(bench, NBD_CMD_CACHE, 0, CHUNKS * CHUNK);
    assert_true(bench->server.turn_chunks <= 256);
    for (unsigned i = 0; i < 1000 && has_reads(bench); i++) {
        (void)uv_run(&bench->loop, UV_RUN_NOWAIT);
        assert_true(bench->server.turn_chunks <= 256);
    }
    assert_false(has_reads(bench));
    assert_in_range(bench->turns, 4 * CHUNKS / 256 - 1, 4 * CHUNKS / 256 + 4);
    assert_true(bench->channels.held_peak <= (size_t)4 * CHANNEL_PART_BYTES);
}

static void one_that_leaves_has_no_turn(void **state)
{
    struct bench *bench = *state;
    begin(bench, NBD_CMD_CACHE, 0, CHUNKS * CHUNK);
    assert_ptr_equal(bench->server.first_turn, bench->client);
    nbd_reads_leave(bench->client);
    assert_null(bench->server.first_turn);
    assert_null(bench->server.last_turn);
    (void)uv_run(&bench->loop, UV_RUN_NOWAIT);
}

static void short_reads_that_are_not_received_hold_little(void **state)
{
    struct bench *bench = *state;
    for (uint32_t i = 0; i < CHUNKS; i++)
        begin(bench, NBD_CMD_READ, (uint64_t)i * CHUNK, 512);
    assert_true(bench->channels.held_peak <=
                CHUNKS * (CHANNEL_PART_BYTES + 512U) + CHUNK);
}

static void receive_all(struct bench *bench, uint8_t *data, size_t size)
{
    for (unsigned i = 0; size && i < 1000000; i++) {
        (void)uv_run(&bench->loop, UV_RUN_NOWAIT);
        ssize_t received = recv(bench->fd, data, size, 0);
        data += received > 0 ? received : 0;
        size -= received > 0 ? (size_t)received : 0;
    }
    assert_int_equal(size, 0);
}

/* All clients have much already: this one has its bytes, a chunk at a time. */
static void a_read_goes_on_where_there_is_no_capacity(void **state)
{
    struct bench *bench = *state;
    size_t size = NBD_SIMPLE_HEAD_SIZE + CHUNKS * CHUNK;
    AUTO_FREE uint8_t *data = malloc(size);
    bench->channels.held_max = 1;
    begin(bench, NBD_CMD_READ, 0, CHUNKS * CHUNK);
    receive_all(bench, data, size);
    for (size_t i = 0; i < CHUNKS * CHUNK; i++)
        if (data[NBD_SIMPLE_HEAD_SIZE + i] != (uint8_t)(i / CHUNK))
            fail_msg("byte %zu is wrong", i);
    assert_false(has_reads(bench));
    assert_true(bench->channels.held_peak <= (size_t)3 * CHANNEL_HELD_MIN);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_request_to_cache_has_many_turns),
        CASE(one_that_leaves_has_no_turn),
        CASE(short_reads_that_are_not_received_hold_little),
        CASE(a_read_goes_on_where_there_is_no_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
