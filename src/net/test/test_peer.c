/* SPDX-License-Identifier: Apache-2.0 */
/* test_peer - the list of connections, and what each of them is doing. */
#include "net/peer.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct peer *new_peer(int fd)
{
    struct peer *peer = calloc(1, sizeof *peer);
    assert_non_null(peer);
    peer->fd = fd;
    return peer;
}

static void a_peer_is_found_by_its_descriptor_from_its_link_to_its_unlink(void **state)
{
    (void)state;
    struct peers peers;
    peers_init(&peers);
    struct peer *a = new_peer(7), *b = new_peer(8), *c = new_peer(9);
    peers_link(&peers, a);
    peers_link(&peers, b);
    peers_link(&peers, c);
    assert_ptr_equal(peers.first, c);
    assert_false(b->is_started);
    assert_ptr_equal(peers_start(&peers, 8), b);
    assert_true(b->is_started);
    assert_null(peers_start(&peers, 10));
    peers_unlink(&peers, b); /* amid the list */
    assert_null(peers_start(&peers, 8));
    assert_ptr_equal(c->next, a);
    assert_ptr_equal(a->previous, c);
    peers_unlink(&peers, c); /* the first */
    peers_unlink(&peers, a); /* the last */
    assert_null(peers.first);
    peers_done(&peers);
    free(a);
    free(b);
    free(c);
}

/* libmicrohttpd closed the descriptor without a word, and the kernel gave it anew. */
static void a_descriptor_that_is_linked_again_replaces_the_stale_peer(void **state)
{
    (void)state;
    struct peers peers;
    peers_init(&peers);
    peers_link(&peers, new_peer(7));
    struct peer *fresh = new_peer(7);
    peers_link(&peers, fresh);
    assert_ptr_equal(peers.first, fresh);
    assert_null(fresh->next);
    peers_unlink(&peers, fresh);
    peers_done(&peers);
    free(fresh);
}

static void counts_tell_who_is_authenticated(void **state)
{
    (void)state;
    struct peers peers;
    struct peer tcp = { .fd = 1, .is_known = true }, stranger = { .fd = 2 },
                local = { .fd = 3, .is_local = true };
    struct peer_counts counts;
    peers_init(&peers);
    peers_link(&peers, &tcp);
    peers_link(&peers, &stranger);
    peers_link(&peers, &local);
    peers_count(&peers, &counts);
    assert_int_equal(counts.tcp, 2);
    assert_int_equal(counts.tcp_unauthenticated, 1);
    assert_int_equal(counts.local, 1);
    peers_done(&peers);
}

static void only_a_handler_or_a_response_makes_busy(void **state)
{
    static const struct {
        enum peer_phase phase;
        bool want;
    } cases[] = {
        { PEER_HEAD, false },    { PEER_IDLE, false },    { PEER_BODY, false },
        { PEER_WAITING, true },  { PEER_RESPONSE, true }, { PEER_REFUSED, false },
        { PEER_CLOSING, false },
    };
    (void)state;
    struct peers peers;
    struct peer peer = { .fd = 1 };
    peers_init(&peers);
    peers_link(&peers, &peer);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        peer.phase = cases[i].phase;
        if (peers_are_busy(&peers) != cases[i].want)
            fail_msg("phase %d", (int)cases[i].phase);
    }
    peers_done(&peers);
}

static void a_phase_begins_at_zero_and_one_that_goes_on_does_not(void **state)
{
    (void)state;
    struct peer peer = { .bytes = 9 };
    peer_enter(&peer, PEER_RESPONSE);
    assert_int_equal(peer.bytes, 0);
    assert_true(peer.since_ns > 0);
    int64_t since_ns = peer.since_ns;
    peer.bytes = 5;
    peer_continue(&peer, PEER_WAITING);
    assert_int_equal(peer.phase, PEER_WAITING);
    assert_int_equal(peer.bytes, 5);
    assert_true(peer.since_ns == since_ns);
}

static void one_that_was_shut_down_stays_so_and_its_client_sees_the_end(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct peer peer = { .fd = ends[0] };
    peer_shut_down(&peer);
    peer_enter(&peer, PEER_IDLE);
    peer_continue(&peer, PEER_RESPONSE);
    assert_int_equal(peer.phase, PEER_CLOSING);
    assert_int_equal(read(ends[1], &byte, 1), 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_is_found_by_its_descriptor_from_its_link_to_its_unlink),
        cmocka_unit_test(a_descriptor_that_is_linked_again_replaces_the_stale_peer),
        cmocka_unit_test(counts_tell_who_is_authenticated),
        cmocka_unit_test(only_a_handler_or_a_response_makes_busy),
        cmocka_unit_test(a_phase_begins_at_zero_and_one_that_goes_on_does_not),
        cmocka_unit_test(one_that_was_shut_down_stays_so_and_its_client_sees_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
