/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_clients - clients and their sockets: what they hold is counted, and
 * bounded; who is gone is noticed; no peer has all connections. */
#include "base/number.h"
#include "base/test/testing.h"
#include "dataset/forwarder/clients.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK (256U << 10)

struct peer {
    struct client client; /* first */
    int fd;               /* the other end */
    bool is_closed;
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

static void on_closed(void *owner, const char *reason)
{
    struct peer *peer = owner;
    (void)reason;
    peer->is_closed = true;
    if (peer->client.all)
        clients_remove(&peer->client);
}

static const struct channel_events events = { on_received, on_sent, on_closed,
                                              on_sent };

static void peer_open(struct peer *peer, struct channel_loop *channels)
{
    int fds[2];
    *peer = (struct peer){ 0 };
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    peer->fd = fds[1];
    assert_int_equal(
        channel_open(&peer->client.channel, channels, fds[0], 4096, &events, peer), 0);
}

static void loop_open(uv_loop_t *loop, struct channel_loop *channels)
{
    *channels = (struct channel_loop){ 0 };
    assert_int_equal(uv_loop_init(loop), 0);
    assert_int_equal(channel_loop_init(channels, loop), 0);
}

static void loop_close(uv_loop_t *loop, struct channel_loop *channels,
                       struct peer *peers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        channel_close(&peers[i].client.channel);
        (void)close(peers[i].fd);
    }
    assert_int_equal(channels->queued_bytes, 0);
    assert_int_equal(channels->held_bytes, 0);
    channel_loop_done(channels);
    (void)uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
}

static struct payload *chunk_new(void)
{
    struct payload *chunk = payload_new(CHUNK);
    if (!chunk)
        abort();
    memset(chunk->data, 7, CHUNK);
    return chunk;
}

static void short_pieces_hold_no_chunks(void **state)
{
    struct channel_loop channels;
    struct peer peer;
    uv_loop_t loop;
    (void)state;
    loop_open(&loop, &channels);
    peer_open(&peer, &channels);
    for (uint32_t i = 0; i < 1000; i++) {
        AUTO(payload_unref) struct payload *chunk = chunk_new();
        channel_send(&peer.client.channel, "head", 4, chunk, i, 512);
        assert_int_equal(chunk->refs, 1);
    }
    assert_int_equal(channels.held_bytes, 1000 * (CHANNEL_PART_BYTES + 512));
    assert_int_equal(channel_queued(&peer.client.channel), 1000 * (4 + 512));
    loop_close(&loop, &channels, &peer, 1);
}

static void a_piece_counts_with_all_that_it_holds(void **state)
{
    struct channel_loop channels;
    struct peer peer;
    uv_loop_t loop;
    uint32_t count = 0;
    (void)state;
    loop_open(&loop, &channels);
    peer_open(&peer, &channels);
    for (; !channel_is_full(&peer.client.channel); count++) {
        AUTO(payload_unref) struct payload *chunk = chunk_new();
        channel_send(&peer.client.channel, NULL, 0, chunk, 0, CHUNK / 3);
    }
    assert_in_range(count, CHANNEL_QUEUED_MAX / CHUNK - 1, CHANNEL_QUEUED_MAX / CHUNK);
    loop_close(&loop, &channels, &peer, 1);
}

/* As responses to pings that a client does not read. */
static void parts_without_bytes_count(void **state)
{
    struct channel_loop channels;
    struct peer peer;
    uv_loop_t loop;
    uint32_t count = 0;
    (void)state;
    loop_open(&loop, &channels);
    peer_open(&peer, &channels);
    for (; !channel_is_full(&peer.client.channel); count++)
        channel_send(&peer.client.channel, "0123456789012345", 16, NULL, 0, 0);
    assert_true(count <= CHANNEL_QUEUED_MAX / CHANNEL_PART_BYTES + 1);
    loop_close(&loop, &channels, &peer, 1);
}

static void what_is_sent_is_held_no_longer(void **state)
{
    struct channel_loop channels;
    struct peer peer;
    uv_loop_t loop;
    static char in[CHUNK];
    size_t received = 0;
    (void)state;
    loop_open(&loop, &channels);
    peer_open(&peer, &channels);
    for (uint32_t i = 0; i < 2000; i++)
        channel_send(&peer.client.channel, "0123456789012345", 16, NULL, 0, 0);
    while (received < 2000 * 16) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        ssize_t size = recv(peer.fd, in, sizeof in, 0);
        received += size > 0 ? (size_t)size : 0;
    }
    (void)uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(channels.held_bytes, 0);
    assert_int_equal(peer.client.channel.capacity, 0); /* the ring, too */
    loop_close(&loop, &channels, &peer, 1);
}

/* Each has one chunk where all together have much. */
static void capacity_ends(void **state)
{
    struct channel_loop channels;
    struct peer peers[4];
    uv_loop_t loop;
    unsigned first = 0, second = 0;
    (void)state;
    loop_open(&loop, &channels);
    channels.held_max = CHANNEL_HELD_MAX + 2 * CHUNK;
    for (size_t i = 0; i < COUNT_OF(peers); i++)
        peer_open(&peers[i], &channels);
    for (; channel_has_capacity(&peers[0].client.channel, CHUNK); first++)
        channel_reserve(&peers[0].client.channel, CHUNK);
    assert_int_equal(first, CHANNEL_HELD_MAX / CHUNK);
    for (; channel_has_capacity(&peers[1].client.channel, CHUNK); second++)
        channel_reserve(&peers[1].client.channel, CHUNK);
    assert_int_equal(second, 2);
    assert_true(channel_has_capacity(&peers[2].client.channel, CHUNK));
    channel_reserve(&peers[2].client.channel, CHUNK);
    assert_false(channel_has_capacity(&peers[2].client.channel, CHUNK));
    assert_true(channel_has_capacity(&peers[3].client.channel, CHUNK));
    assert_int_equal(channels.held_peak, (size_t)(first + 3) * CHUNK);
    for (size_t i = 0; i < 3; i++)
        channel_unreserve(&peers[i].client.channel,
                          peers[i].client.channel.reserved_bytes);
    loop_close(&loop, &channels, peers, COUNT_OF(peers));
}

static void who_is_gone_is_noticed_while_paused(void **state)
{
    struct channel_loop channels;
    struct peer peer;
    uv_loop_t loop;
    (void)state;
    loop_open(&loop, &channels);
    peer_open(&peer, &channels);
    channel_pause(&peer.client.channel);
    (void)uv_run(&loop, UV_RUN_NOWAIT);
    assert_false(peer.is_closed);
    assert_int_equal(shutdown(peer.fd, SHUT_RDWR), 0);
    for (int i = 0; i < 10 && !peer.is_closed; i++)
        (void)uv_run(&loop, UV_RUN_NOWAIT);
    assert_true(peer.is_closed);
    loop_close(&loop, &channels, &peer, 1);
}

static void line_ignore(void *arg, enum log_level level, enum forwarder_event event,
                        const char *text)
{
    (void)level;
    (void)event;
    *(bool *)arg |= strstr(text, "the same user") != NULL;
}

static void no_user_has_all_connections(void **state)
{
    bool is_reported = false;
    struct channel_loop channels;
    struct peer peers[5];
    uv_loop_t loop;
    const struct forwarder_report report = { line_ignore, &is_reported };
    struct clients all = { .max = 16, .handshake_ns = NS_PER_S, .report = &report };
    (void)state;
    loop_open(&loop, &channels);
    for (size_t i = 0; i < COUNT_OF(peers); i++) {
        peer_open(&peers[i], &channels);
        assert_true(clients_admit(&all, peers[i].client.channel.fd));
        clients_add(&all, &peers[i].client);
        client_set_welcome(&peers[i].client);
    }
    assert_false(clients_admit(&all, peers[0].client.channel.fd));
    assert_true(is_reported);
    assert_int_equal(all.refused, 1);
    clients_close(&all);
    assert_true(clients_admit(&all, peers[0].client.channel.fd));
    loop_close(&loop, &channels, peers, COUNT_OF(peers));
}

/* Those that wait for us have neither a slot of a handshake nor one of who is welcome.
 */
static void who_waits_for_us_counts(void **state)
{
    static const struct forwarder_report silent;
    struct channel_loop channels;
    struct peer peers[5];
    uv_loop_t loop;
    struct clients all = { .max = 16, .handshake_ns = NS_PER_S, .report = &silent };
    (void)state;
    loop_open(&loop, &channels);
    for (size_t i = 0; i < COUNT_OF(peers); i++) {
        peer_open(&peers[i], &channels);
        assert_true(clients_admit(&all, peers[i].client.channel.fd));
        clients_add(&all, &peers[i].client);
        client_set_waiting(&peers[i].client, true);
    }
    assert_int_equal(all.unwelcome, 0);
    assert_false(clients_admit(&all, peers[0].client.channel.fd));
    /* What it had of its handshake before it has no more of. */
    int64_t since_ns = peers[0].client.since_ns -= NS_PER_S;
    client_set_waiting(&peers[0].client, false);
    assert_in_range(peers[0].client.since_ns - since_ns, 0, NS_PER_S / 2);
    assert_int_equal(all.unwelcome, 1);
    clients_close(&all);
    loop_close(&loop, &channels, peers, COUNT_OF(peers));
}

/* A connection from 127.0.0.HOST to a socket of both protocols; -1: there is none. */
static int mapped_accept(int door, in_port_t port, uint8_t host, int *ret_other)
{
    struct sockaddr_in from = { .sin_family = AF_INET }, to = { .sin_family = AF_INET };
    from.sin_addr.s_addr = htonl(0x7f000000U | host);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = port;
    *ret_other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(*ret_other, (struct sockaddr *)&from, sizeof from) < 0 ||
        connect(*ret_other, (struct sockaddr *)&to, sizeof to) < 0)
        return -1;
    return accept4(door, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* IPv4 addresses, as a socket of both protocols has them, are not one network. */
static void addresses_are_counted_each(void **state)
{
    static const struct forwarder_report silent;
    struct clients all = { .max = 3, .handshake_ns = NS_PER_S, .report = &silent };
    struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
    socklen_t size = sizeof any;
    struct channel_loop channels;
    struct peer peer = { 0 };
    uv_loop_t loop;
    int others[2];
    AUTO_CLOSE int door = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    /* Where the kernel has no IPv6 alone. */
    if ((door < 0 && errno == EAFNOSUPPORT) ||
        (bind(door, (struct sockaddr *)&any, sizeof any) < 0 && errno == EADDRNOTAVAIL))
        skip();
    assert_int_equal(listen(door, 4), 0);
    assert_int_equal(getsockname(door, (struct sockaddr *)&any, &size), 0);
    loop_open(&loop, &channels);
    int fd = mapped_accept(door, any.sin6_port, 1, &peer.fd);
    assert_true(fd >= 0 && clients_admit(&all, fd));
    assert_int_equal(
        channel_open(&peer.client.channel, &channels, fd, 4096, &events, &peer), 0);
    clients_add(&all, &peer.client);
    client_set_welcome(&peer.client);
    AUTO_CLOSE int same = mapped_accept(door, any.sin6_port, 1, &others[0]);
    AUTO_CLOSE int other = mapped_accept(door, any.sin6_port, 2, &others[1]);
    assert_false(clients_admit(&all, same));
    assert_true(clients_admit(&all, other));
    (void)close(others[0]);
    (void)close(others[1]);
    clients_close(&all);
    loop_close(&loop, &channels, &peer, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_pieces_hold_no_chunks),
        cmocka_unit_test(a_piece_counts_with_all_that_it_holds),
        cmocka_unit_test(parts_without_bytes_count),
        cmocka_unit_test(what_is_sent_is_held_no_longer),
        cmocka_unit_test(capacity_ends),
        cmocka_unit_test(who_is_gone_is_noticed_while_paused),
        cmocka_unit_test(no_user_has_all_connections),
        cmocka_unit_test(who_waits_for_us_counts),
        cmocka_unit_test(addresses_are_counted_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
