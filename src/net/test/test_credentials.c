/* SPDX-License-Identifier: Apache-2.0 */
/* test_credentials - what the kernel states about the other end of a socket. */
#include "net/credentials.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A connection to a listener of this family; the accepted end. */
static int connect_to_self(int family, int *ret_client)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
    } address = { .any.sa_family = (sa_family_t)family };
    socklen_t size = family == AF_INET ? sizeof address.in4 : sizeof address.in6;
    AUTO_CLOSE int listener = socket(family, SOCK_STREAM, 0);
    if (family == AF_INET)
        address.in4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        address.in6.sin6_addr = in6addr_loopback;
    if (listener < 0 || bind(listener, &address.any, size) < 0 ||
        listen(listener, 1) < 0 || getsockname(listener, &address.any, &size) < 0)
        return -1;
    *ret_client = socket(family, SOCK_STREAM, 0);
    if (connect(*ret_client, &address.any, size) < 0)
        return -1;
    return accept(listener, NULL, NULL);
}

static void a_tcp_client_is_known_by_its_address(void **state)
{
    static const struct {
        const char *name;
        int family;
        bool has_tokens;
        const char *origin;
    } cases[] = {
        { "IPv4", AF_INET, true, "127.0.0.1" },
        { "without tokens", AF_INET, false, "127.0.0.1" },
        { "IPv6, whose /64 is one origin", AF_INET6, true, "::/64" },
    };
    (void)state;
    static const struct credential_groups groups = { .has_admin = true };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int client = -1;
        struct peer peer = { .fd = connect_to_self(cases[i].family, &client) };
        if (peer.fd < 0) { /* a machine without IPv6 */
            assert_int_equal(cases[i].family, AF_INET6);
            (void)close(client);
            continue;
        }
        credentials_read(&groups, cases[i].has_tokens, &peer);
        if (strcmp(peer.origin, cases[i].origin) != 0)
            fail_msg("%s: '%s'", cases[i].name, peer.origin);
        assert_false(peer.is_local);
        assert_false(peer.is_admin);
        assert_true(peer.is_tcp_loopback);
        assert_int_equal(peer.is_known, !cases[i].has_tokens);
        assert_true(peer.origin_key != 0);
        (void)close(peer.fd);
        (void)close(client);
    }
}

/* The daemon's own user, as the test is, is admin by that. */
static void a_unix_client_is_known_by_its_user(void **state)
{
    (void)state;
    int ends[2];
    char origin[32];
    static const struct credential_groups groups = { 0 };
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct peer peer = { .fd = ends[0] };
    credentials_read(&groups, true, &peer);
    (void)snprintf(origin, sizeof origin, "uid %u", (unsigned)getuid());
    assert_string_equal(peer.origin, origin);
    assert_true(peer.is_local);
    assert_true(peer.is_admin);
    assert_false(peer.is_scheduler);
    assert_true(peer.is_known);
    assert_int_equal(peer.uid, getuid());
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void a_member_of_the_schedulers_group_is_scheduler(void **state)
{
    (void)state;
    int ends[2];
    const struct credential_groups groups = { .scheduler = getgid(),
                                              .has_scheduler = true };
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct peer peer = { .fd = ends[0] };
    credentials_read(&groups, true, &peer);
    assert_true(peer.is_scheduler);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void of_what_is_no_socket_nothing_is_believed(void **state)
{
    (void)state;
    static const struct credential_groups groups = { .has_admin = true };
    struct peer peer = { .fd = -1 };
    credentials_read(&groups, true, &peer);
    assert_false(peer.is_local || peer.is_admin || peer.is_known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tcp_client_is_known_by_its_address),
        cmocka_unit_test(a_unix_client_is_known_by_its_user),
        cmocka_unit_test(a_member_of_the_schedulers_group_is_scheduler),
        cmocka_unit_test(of_what_is_no_socket_nothing_is_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
