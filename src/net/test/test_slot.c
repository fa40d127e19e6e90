/* SPDX-License-Identifier: Apache-2.0 */
/* test_slot - who gets a slot among connections, and who makes room. */
#include "base/clock.h"
#include "base/test/testing.h"
#include "net/slot.h"

enum { PEERS_MAX = 64 };

/* Connections of one kind, the oldest first. */
struct group {
    size_t count;
    enum peer_phase phase;
    uint64_t address;
    bool is_local, is_known, is_unstarted, is_fresh;
};

static struct peer peers[PEERS_MAX];

static struct peer *make_peers(const struct group *groups, size_t group_count)
{
    struct peer *list = NULL;
    size_t n = 0;
    memset(peers, 0, sizeof peers);
    for (size_t g = 0; g < group_count; g++) {
        for (size_t i = 0; i < groups[g].count; i++, n++) {
            peers[n].fd = -1;
            peers[n].phase = groups[g].phase;
            peers[n].origin_key = groups[g].address;
            peers[n].is_local = groups[g].is_local;
            peers[n].is_known = groups[g].is_known;
            peers[n].is_started = !groups[g].is_unstarted;
            peers[n].since_ns =
                (int64_t)n + (groups[g].is_fresh ? clock_monotonic_ns() : 0);
            peers[n].next = list;
            list = &peers[n];
        }
    }
    return list;
}

/* 16 places by TCP: 8 for the unauthenticated, 4 for one address of them; 4 of the
 * socket, 2 for users who are not admin, 1 for one of them. */
static const struct net_opts opts = { .connections_max = 16,
                                      .socket_connections_max = 4 };
#define NOBODY SIZE_MAX

static const struct {
    const char *name;
    struct group groups[3];
    struct peer newcomer;
    enum slot_verdict want;
    size_t victim;
} cases[] = {
    { "an empty server", { { 0 } }, { .origin_key = 1 }, SLOT_NOW, NOBODY },
    { "below every limit",
      { { .count = 3, .phase = PEER_REFUSED, .address = 1 } },
      { .origin_key = 1 },
      SLOT_NOW,
      NOBODY },
    { "an address over its quarter replaces its own oldest",
      { { .count = 2, .phase = PEER_HEAD, .address = 2 },
        { .count = 4, .phase = PEER_HEAD, .address = 1 } },
      { .origin_key = 1 },
      SLOT_NOW,
      2 },
    { "a refused one goes before an older one without a request",
      { { .count = 2, .phase = PEER_HEAD, .address = 1 },
        { .count = 2, .phase = PEER_REFUSED, .address = 1 } },
      { .origin_key = 1 },
      SLOT_NOW,
      2 },
    { "the unauthenticated over their half replace one of them",
      { { .count = 3, .phase = PEER_IDLE, .address = 9, .is_known = true },
        { .count = 4, .phase = PEER_HEAD, .address = 2 },
        { .count = 4, .phase = PEER_HEAD, .address = 3 } },
      { .origin_key = 1 },
      SLOT_NOW,
      3 },
    { "an unauthenticated response that is not read makes room",
      { { .count = 4, .phase = PEER_RESPONSE, .address = 1 } },
      { .origin_key = 1 },
      SLOT_NOW,
      0 },
    { "a handler that runs does not",
      { { .count = 4, .phase = PEER_WAITING, .address = 1 } },
      { .origin_key = 1 },
      SLOT_NONE,
      NOBODY },
    { "all places taken: an idle authenticated one goes",
      { { .count = 14, .phase = PEER_BODY, .address = 9, .is_known = true },
        { .count = 2, .phase = PEER_IDLE, .address = 8, .is_known = true } },
      { .origin_key = 1 },
      SLOT_NOW,
      14 },
    { "but no authenticated request is cut off",
      { { .count = 16, .phase = PEER_BODY, .address = 9, .is_known = true } },
      { .origin_key = 1 },
      SLOT_NONE,
      NOBODY },
    { "one that has not started is waited for",
      { { .count = 4, .phase = PEER_HEAD, .address = 1, .is_unstarted = true } },
      { .origin_key = 1 },
      SLOT_SOON,
      NOBODY },
    { "one that may still send its head is waited for",
      { { .count = 4, .phase = PEER_HEAD, .address = 1, .is_fresh = true } },
      { .origin_key = 1 },
      SLOT_SOON,
      NOBODY },
    { "a refused one goes before it",
      { { .count = 3, .phase = PEER_HEAD, .address = 1, .is_fresh = true },
        { .count = 1, .phase = PEER_REFUSED, .address = 1 } },
      { .origin_key = 1 },
      SLOT_NOW,
      3 },
    { "full TCP leaves the unix socket free",
      { { .count = 16, .phase = PEER_BODY, .address = 9, .is_known = true } },
      { .origin_key = 1, .is_local = true, .is_known = true },
      SLOT_NOW,
      NOBODY },
    { "users leave half of the socket to its admins",
      { { .count = 1, .phase = PEER_BODY, .address = 1, .is_local = true },
        { .count = 1, .phase = PEER_HEAD, .address = 2, .is_local = true } },
      { .origin_key = 3, .is_local = true },
      SLOT_NOW,
      1 },
    { "an admin has the other half",
      { { .count = 2, .phase = PEER_WAITING, .address = 1, .is_local = true } },
      { .origin_key = 0, .is_local = true, .is_known = true },
      SLOT_NOW,
      NOBODY },
    { "those that were shut down count no more",
      { { .count = 4, .phase = PEER_CLOSING, .address = 1 } },
      { .origin_key = 1 },
      SLOT_NOW,
      NOBODY },
    { "until there are twice as many connections as places",
      { { .count = 32, .phase = PEER_CLOSING, .address = 1 } },
      { .origin_key = 1 },
      SLOT_SOON,
      NOBODY },
};

static void a_newcomer_over_a_limit_replaces_the_least_worthy_below_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer *list = make_peers(cases[i].groups, COUNT_OF(cases[i].groups));
        struct peer *victim;
        enum slot_verdict got = slot_find(&opts, list, &cases[i].newcomer, &victim);
        size_t index = victim ? (size_t)(victim - peers) : NOBODY;
        if (got != cases[i].want || index != cases[i].victim)
            fail_msg("%s: verdict %d, victim %zd; want %d, %zd", cases[i].name, got,
                     (ssize_t)index, cases[i].want, (ssize_t)cases[i].victim);
    }
}

static void one_sender_has_half_of_the_connections(void **state)
{
    (void)state;
    const struct group groups[] = { { .count = 16, .phase = PEER_HEAD, .address = 1 } };
    struct peer *list = make_peers(groups, COUNT_OF(groups)), *victim;
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(slot_claim(&opts, list, &peers[i], 77, &victim), 0);
    assert_int_equal(slot_claim(&opts, list, &peers[8], 77, &victim), -EAGAIN);
    assert_false(peers[8].is_known);
    assert_int_equal(slot_claim(&opts, list, &peers[8], 78, &victim), 0);
    assert_int_equal(slot_claim(&opts, list, &peers[3], 77, &victim), 0);
    peers[0].phase = PEER_CLOSING;
    assert_int_equal(slot_claim(&opts, list, &peers[9], 77, &victim), 0);
    assert_null(victim);
}

static void its_own_idle_connections_make_room_for_its_new_ones(void **state)
{
    (void)state;
    const struct group groups[] = { { .count = 16, .phase = PEER_IDLE, .address = 1 } };
    struct peer *list = make_peers(groups, COUNT_OF(groups)), *victim;
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(slot_claim(&opts, list, &peers[i], 77, &victim), 0);
    peers[0].phase = PEER_BODY;
    peers[2].since_ns = -1;
    assert_int_equal(slot_claim(&opts, list, &peers[8], 77, &victim), 0);
    assert_ptr_equal(victim, &peers[2]); /* the one that has been idle longest */
    victim->phase = PEER_CLOSING;
    assert_int_equal(slot_claim(&opts, list, &peers[9], 77, &victim), 0);
    assert_ptr_equal(victim, &peers[1]);
    /* Those of others stay. */
    for (size_t i = 0; i < 10; i++)
        peers[i].phase = PEER_BODY;
    assert_int_equal(slot_claim(&opts, list, &peers[10], 77, &victim), -EAGAIN);
    assert_null(victim);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newcomer_over_a_limit_replaces_the_least_worthy_below_it),
        cmocka_unit_test(one_sender_has_half_of_the_connections),
        cmocka_unit_test(its_own_idle_connections_make_room_for_its_new_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
