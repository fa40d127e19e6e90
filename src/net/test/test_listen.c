/* SPDX-License-Identifier: Apache-2.0 */
/* test_listen - addresses as people write them, and what they refuse to be. */
#include "net/listen.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tcp_addresses_are_read(void **state)
{
    static const struct {
        const char *text;
        int family;
        unsigned port;
        bool is_loopback;
    } cases[] = {
        { "127.0.0.1:8091", AF_INET, 8091, true },
        { "localhost:0", AF_INET, 0, true },
        { "127.9.9.9:1", AF_INET, 1, true },
        { "0.0.0.0:65535", AF_INET, 65535, false },
        { "192.0.2.1:80", AF_INET, 80, false },
        { "[::1]:8091", AF_INET6, 8091, true },
        { "[::]:8091", AF_INET6, 8091, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct listener l;
        assert_int_equal(listener_parse_tcp(cases[i].text, &l, NULL), 0);
        unsigned port =
            ntohs(l.address.any.sa_family == AF_INET ? l.address.in4.sin_port
                                                     : l.address.in6.sin6_port);
        if (l.address.any.sa_family != cases[i].family || port != cases[i].port ||
            l.is_loopback != cases[i].is_loopback || l.fd != -1)
            fail_msg("%s: family %d, port %u", cases[i].text, l.address.any.sa_family,
                     port);
    }
}

static void what_is_no_address_is_refused_with_its_text(void **state)
{
    static const char *const texts[] = {
        "",
        "8091",
        "127.0.0.1",
        "127.0.0.1:",
        ":8091",
        "127.0.0.1:-1",
        "127.0.0.1:65536",
        "example.org:80",
        "::1:8091",
        "[::1:8091",
        "[127.0.0.1]:80",
        "[]:80",
        "1.2.3:8091",
        "[1111:1111:1111:1111:1111:1111:1111:1111:1111:1111]:80",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct listener l = { .fd = 77 };
        struct err err = { 0 };
        if (listener_parse_tcp(texts[i], &l, &err) != -EINVAL || l.fd != 77 ||
            !strstr(err.text, "ADDRESS:PORT"))
            fail_msg("'%s': %s", texts[i], err.text);
    }
}

static void a_port_of_zero_becomes_a_free_one(void **state)
{
    (void)state;
    struct listener l;
    assert_int_equal(listener_parse_tcp("127.0.0.1:0", &l, NULL), 0);
    assert_int_equal(listener_open(&l, NULL), 0);
    assert_true(l.port > 0);
    listener_close(&l);
    assert_int_equal(l.fd, -1);
}

static void a_stale_socket_is_replaced_a_served_one_and_a_file_are_not(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_listen.XXXXXX", path[64];
    struct listener l, other;
    struct err err = { 0 };
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/s", dir);
    assert_int_equal(listener_parse_unix(path, &l, NULL), 0);
    assert_int_equal(listener_parse_unix(path, &other, NULL), 0);
    assert_int_equal(listener_open(&l, NULL), 0);
    assert_int_equal(listener_open(&other, &err), -EADDRINUSE);
    (void)close(l.fd); /* killed: the name stays */
    assert_int_equal(listener_open(&other, NULL), 0);
    listener_close(&other);
    assert_int_not_equal(access(path, F_OK), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fclose(file);
    assert_int_equal(listener_open(&l, &err), -EEXIST);
    assert_int_equal(access(path, F_OK), 0);
    (void)unlink(path);
    (void)rmdir(dir);
}

static void a_path_that_is_too_long_for_a_socket_is_refused(void **state)
{
    (void)state;
    char path[200];
    struct listener l;
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(listener_parse_unix(path, &l, NULL), -EINVAL);
    path[sizeof l.address.un.sun_path - 1] = '\0';
    assert_int_equal(listener_parse_unix(path, &l, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_addresses_are_read),
        cmocka_unit_test(what_is_no_address_is_refused_with_its_text),
        cmocka_unit_test(a_port_of_zero_becomes_a_free_one),
        cmocka_unit_test(a_stale_socket_is_replaced_a_served_one_and_a_file_are_not),
        cmocka_unit_test(a_path_that_is_too_long_for_a_socket_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
